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
#[serde(tag = "do", rename_all = "snake_case")]
enum Asked {
    Pause,
    Resume,
    Step,
    Stop,
    Set {
        key: String,
        value: String,
    },
    Say {
        value: String,
        #[serde(default)]
        keep: bool,
    },
    SetMode {
        value: String,
    },
    // The key of a decision is the nonce of its question.
    Approve {
        key: String,
    },
    ApproveAll {
        key: String,
    },
    Refuse {
        key: String,
        #[serde(default)]
        value: String,
    },
    Edit {
        key: String,
        value: String,
    },
    Answer {
        key: String,
        value: String,
    },
    Reply {
        value: String,
    },
    TakeOver {
        key: String,
    },
    GiveBack,
    Input {
        key: String,
        #[serde(default)]
        inputs: Vec<PersonInput>,
    },
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
        let controls = &self.controls;
        self.done(match asked {
            Asked::Set { key, value } => return self.set(&key, &value, hash),
            Asked::Pause => controls.command(AgentCommand::Pause),
            Asked::Resume => controls.command(AgentCommand::Resume),
            Asked::Step => controls.command(AgentCommand::Step),
            Asked::Stop => controls.command(AgentCommand::Stop),
            Asked::Say { value, keep } => self.say(&value, keep),
            Asked::SetMode { value } => controls.set_mode(&value),
            Asked::Approve { key } => controls.decide(&key, PersonDecision::Approve),
            Asked::ApproveAll { key } => controls.decide(&key, PersonDecision::ApproveAll),
            Asked::Refuse { key, value } => controls.decide(&key, PersonDecision::Refuse(value)),
            Asked::Edit { key, value } => controls.decide(&key, PersonDecision::Edit(value)),
            Asked::Answer { key, value } => controls.decide(&key, PersonDecision::Answer(value)),
            Asked::Reply { value } => controls.reply(&value),
            Asked::TakeOver { key } => controls.take_over(&key),
            Asked::GiveBack => controls.give_back(),
            Asked::Input { key, inputs } => controls.input(&key, inputs),
        })
    }

    fn done(&self, done: Result<(), Refused>) -> HttpResponse {
        match done {
            Ok(()) => json(&Done { ok: true, hash: None }, &self.secret),
            Err(error) => refused(&error, &self.secret),
        }
    }

    /// Sends a message. If it is kept in the goal, tells all pages that the settings have changed.
    fn say(&self, value: &str, keep: bool) -> Result<(), Refused> {
        self.controls.say(value, keep)?;
        if keep && let Ok(Some(page)) = self.controls.settings() {
            self.hub.change(|snapshot| snapshot.config = Some(page.hash));
        }
        Ok(())
    }

    fn set(&self, key: &str, value: &str, hash: Option<String>) -> HttpResponse {
        let Some(hash) = hash else {
            return refusal(
                StatusCode::PRECONDITION_REQUIRED,
                "send If-Match with the hash from /api/settings",
            );
        };
        match self.controls.set(key, value, &hash) {
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
