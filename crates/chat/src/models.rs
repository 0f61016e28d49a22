//! Lists a server's models and collects the known facts about each.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, RequestBuilder};
use thiserror::Error;

use crate::body::Remainder;
use crate::choice::Candidate;
use crate::client::{AnswerBytes, Client};
use crate::failure::RequestFailure;
use crate::model_metadata::{self, Hint};
use crate::server_kind::ServerKind;

/// How long to wait for the list of models.
const LIST: Duration = Duration::from_secs(10);

/// How long to wait for the answer to each further request. Most servers do not support these requests, and none of the
/// requests may delay the start.
const HINT: Duration = Duration::from_secs(2);

/// The largest number of models to ask about one by one, which only Ollama requires.
const MOST_SHOWN: usize = 64;

/// Why there is no list of models.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ListError {
    /// The server could not be asked or the request failed.
    #[error("{}", of_failure(.0))]
    Failure(#[from] RequestFailure),
    /// The server did not answer in time.
    #[error("{address} did not list its models within {} s; check the model server, or name the model with --model", after.as_secs())]
    Silent {
        /// The server's address.
        address: String,
        /// The time allowed.
        after: Duration,
    },
    /// The answer is not a list of models.
    #[error(
        "the server at {address} did not return a list of models; check that it is a model server, or name the model with --model"
    )]
    NotAList {
        /// The server's address.
        address: String,
    },
}

impl ListError {
    /// Returns whether only the list is missing. A program that answers this way might still be a model server, and can
    /// be asked for a model by name.
    pub fn is_of_the_list_alone(&self) -> bool {
        match self {
            Self::NotAList { .. } | Self::Failure(RequestFailure::Defect(_) | RequestFailure::TooLarge { .. }) => true,
            Self::Failure(failure) => failure
                .status()
                .is_some_and(|status| has_no_list(status) || status == 500),
            Self::Silent { .. } => false,
        }
    }
}

/// Returns whether this answer means that the server has no list of models.
fn has_no_list(status: u16) -> bool {
    matches!(status, 404 | 405 | 501)
}

/// Describes why there is no list. A user who names a model does not need the list.
fn of_failure(failure: &RequestFailure) -> String {
    match (failure, failure.status()) {
        (_, Some(status)) if has_no_list(status) => {
            let words = failure.words().unwrap_or_default();
            format!(
                "the model server does not list its models ({status}: {words}); name the model with --model, or check the \
                 address (--upstream){}",
                failure.elsewhere()
            )
        }
        (RequestFailure::Defect(_) | RequestFailure::TooLarge { .. }, _) | (_, Some(500)) => {
            format!("{failure}, or name the model with --model")
        }
        _ => failure.to_string(),
    }
}

impl Client {
    /// Returns the names of the server's models, in the server's order.
    pub async fn models(&self) -> Result<Vec<String>, ListError> {
        let listed = self.listed(LIST).await?;
        Ok(listed.into_iter().map(|model| model.id).collect())
    }

    async fn listed(&self, patience: Duration) -> Result<Vec<Candidate>, ListError> {
        let call = self.call(Method::GET, &self.endpoint().models());
        let address = self.endpoint().to_string();
        let mut answer = AnswerBytes::default();
        let exchanged = self.exchange(call, patience, &mut answer, |_, _| Remainder::Needed);
        match exchanged.await {
            Err(RequestFailure::Timeout { after }) => return Err(ListError::Silent { address, after }),
            answer => answer?,
        };
        let listed = model_metadata::listed(&String::from_utf8_lossy(&answer.bytes));
        listed.ok_or(ListError::NotAList { address })
    }

    /// Returns the server's models with the details that LM Studio, Ollama, llama.cpp and vLLM report. All failures
    /// except those of the list itself are ignored.
    pub async fn candidates(&self) -> Result<Vec<Candidate>, ListError> {
        self.candidates_within(LIST).await
    }

    /// Does the same as [`Client::candidates`], but waits only this long for the list itself. A list that has arrived is
    /// not lost if the server is slow to answer the further requests.
    pub async fn candidates_within(&self, patience: Duration) -> Result<Vec<Candidate>, ListError> {
        let mut candidates = self.listed(patience).await?;
        let names: Vec<String> = candidates.iter().map(|candidate| candidate.id.clone()).collect();
        let (lm_studio, ollama, llama_cpp) = tokio::join!(self.lm_studio(), self.ollama(&names), self.llama_cpp());
        let only_one = candidates.len() == 1;
        for hint in lm_studio.iter().chain(&ollama).chain(&llama_cpp) {
            for candidate in &mut candidates {
                hint.inform(candidate, only_one);
            }
        }
        if let Some(kind) = candidates.iter().find_map(|candidate| candidate.kind) {
            let (version, cache) = tokio::join!(self.version(kind), self.cache(kind));
            for candidate in &mut candidates {
                candidate.version = candidate.version.take().or_else(|| version.clone());
                candidate.cache = cache;
            }
        }
        Ok(candidates)
    }

    async fn version(&self, kind: ServerKind) -> Option<String> {
        model_metadata::version(&self.fetch(kind.version_path()?).await?)
    }

    async fn cache(&self, kind: ServerKind) -> Option<bool> {
        model_metadata::cache(&self.fetch(kind.metrics_path()?).await?)
    }

    async fn lm_studio(&self) -> Vec<Hint> {
        let body = self.fetch("/api/v0/models").await;
        body.map_or_else(Vec::new, |body| model_metadata::lm_studio(&body))
    }

    async fn llama_cpp(&self) -> Option<Hint> {
        model_metadata::llama_cpp(&self.fetch("/props").await?)
    }

    /// Requests `/api/ps` first, which only Ollama supports, so that other servers are not asked about every model.
    async fn ollama(&self, names: &[String]) -> Vec<Hint> {
        let body = self.fetch("/api/ps").await;
        let Some(mut hints) = body.and_then(|body| model_metadata::ollama_loaded(&body)) else {
            return Vec::new();
        };
        let shown = tokio::time::timeout(HINT, async {
            for name in names.iter().take(MOST_SHOWN) {
                hints.extend(self.ollama_shown(name).await);
            }
        });
        // Results that arrived in time are useful even if the others did not.
        let _ = shown.await;
        hints
    }

    async fn ollama_shown(&self, name: &str) -> Option<Hint> {
        let question = serde_json::json!({ "model": name }).to_string();
        let call = self.call(Method::POST, &self.endpoint().beside("/api/show"));
        let call = call.header(CONTENT_TYPE, "application/json").body(question);
        model_metadata::ollama_shown(name, &self.text(call).await?)
    }

    async fn fetch(&self, path: &str) -> Option<String> {
        self.text(self.call(Method::GET, &self.endpoint().beside(path))).await
    }

    async fn text(&self, call: RequestBuilder) -> Option<String> {
        let mut answer = AnswerBytes::default();
        self.exchange(call, HINT, &mut answer, |_, _| Remainder::Needed)
            .await
            .ok()?;
        Some(String::from_utf8_lossy(&answer.bytes).into_owned())
    }
}
