//! Handles a page's requests to control the run.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap, IF_MATCH};
use hyper::http::request::Parts;
use serde::{Deserialize, Serialize};

use super::answer::{HttpResponse, json, refusal};
use super::request_body::collect;
use super::service::DashboardService;
use crate::controls::{AgentCommand, PersonDecision, PersonInput, Refused};
use franz_secret::Secret;

#[derive(Deserialize)]
struct Asked {
    #[serde(rename = "do")]
    what: What,
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    keep: bool,
    #[serde(default)]
    inputs: Vec<PersonInput>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum What {
    Pause,
    Resume,
    Step,
    Stop,
    Set,
    Say,
    SetMode,
    Approve,
    ApproveAll,
    Refuse,
    Edit,
    Answer,
    Reply,
    TakeOver,
    GiveBack,
    Input,
}

#[derive(Serialize)]
struct Done {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

impl DashboardService {
    pub(super) async fn control(self: Arc<Self>, head: &Parts, body: &mut Incoming) -> HttpResponse {
        if !is_json(&head.headers) {
            return refusal(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send JSON, with Content-Type: application/json",
            );
        }
        let body = match collect(body).await {
            Ok(body) => body,
            Err(refused) => return *refused,
        };
        let asked: Asked = match serde_json::from_slice(&body) {
            Ok(asked) => asked,
            Err(error) => return refusal(StatusCode::BAD_REQUEST, &format!("cannot read the command: {error}")),
        };
        let hash = if_match(&head.headers);
        let doing = tokio::task::spawn_blocking(move || self.perform(asked, hash));
        doing.await.unwrap_or_else(|error| {
            refusal(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!("it failed ({error}); try again"),
            )
        })
    }

    fn perform(&self, asked: Asked, hash: Option<String>) -> HttpResponse {
        let command = match asked.what {
            What::Pause => AgentCommand::Pause,
            What::Resume => AgentCommand::Resume,
            What::Step => AgentCommand::Step,
            What::Stop => AgentCommand::Stop,
            What::Set => return self.set(asked.key, asked.value, hash),
            What::Say => return self.done(self.controls.say(&asked.value.unwrap_or_default(), asked.keep)),
            What::SetMode => return self.done(self.controls.set_mode(&asked.value.unwrap_or_default())),
            What::Approve => return self.decide(asked, |_| PersonDecision::Approve),
            What::ApproveAll => return self.decide(asked, |_| PersonDecision::ApproveAll),
            What::Refuse => return self.decide(asked, PersonDecision::Refuse),
            What::Edit => return self.decide(asked, PersonDecision::Edit),
            What::Reply => return self.done(self.controls.reply(&asked.value.unwrap_or_default())),
            What::TakeOver => return self.done(self.controls.take_over(&asked.key.unwrap_or_default())),
            What::GiveBack => return self.done(self.controls.give_back()),
            What::Input => {
                let key = asked.key.unwrap_or_default();
                return self.done(self.controls.input(&key, asked.inputs));
            }
            What::Answer => return self.decide(asked, PersonDecision::Answer),
        };
        self.done(self.controls.command(command))
    }

    /// Decides the question whose nonce is in `key`.
    fn decide(&self, asked: Asked, decision: impl FnOnce(String) -> PersonDecision) -> HttpResponse {
        let decision = decision(asked.value.unwrap_or_default());
        self.done(self.controls.decide(&asked.key.unwrap_or_default(), decision))
    }

    fn done(&self, done: Result<(), Refused>) -> HttpResponse {
        match done {
            Ok(()) => json(&Done { ok: true, hash: None }, &self.secret),
            Err(error) => refused(&error, &self.secret),
        }
    }

    fn set(&self, key: Option<String>, value: Option<String>, hash: Option<String>) -> HttpResponse {
        let (Some(key), Some(value)) = (key, value) else {
            return refusal(StatusCode::BAD_REQUEST, "a setting needs a key and a value");
        };
        let Some(hash) = hash else {
            return refusal(
                StatusCode::PRECONDITION_REQUIRED,
                "send If-Match with the hash from /api/settings",
            );
        };
        match self.controls.set(&key, &value, &hash) {
            Ok(hash) => {
                self.hub.change(|snapshot| snapshot.config = Some(hash.clone()));
                let hash = Some(hash);
                json(&Done { ok: true, hash }, &self.secret)
            }
            Err(error) => refused(&error, &self.secret),
        }
    }
}

/// Builds the response to a refused request, which consists of a status and a sentence.
pub(super) fn refused(error: &Refused, secret: &Secret) -> HttpResponse {
    let status = match error {
        Refused::NothingThere(_) => StatusCode::NOT_FOUND,
        Refused::Changed | Refused::Decided(_) => StatusCode::CONFLICT,
        Refused::Forbidden(_) => StatusCode::FORBIDDEN,
        Refused::Wrong(_) => StatusCode::BAD_REQUEST,
        Refused::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    refusal(status, &secret.text(&error.to_string()))
}

/// Checks whether the content type is JSON. A form cannot send this type, so a foreign page would need the browser's
/// permission.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn if_match(headers: &HeaderMap) -> Option<String> {
    let given = headers.get(IF_MATCH)?.to_str().ok()?.trim();
    Some(given.trim_matches('"').to_owned())
}
