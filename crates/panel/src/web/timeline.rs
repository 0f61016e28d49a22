//! Serves data for the timeline and for the view of a request.

use bytes::Bytes;
use franz_record::{LoggedExchange, LoggedMessage, ReadBody};
use hyper::StatusCode;
use hyper::header::{HeaderMap, IF_NONE_MATCH};
use serde::Serialize;

use super::answer::{HttpResponse, answer, immutable, json, not_found, refusal, tagged};
use super::api::{number, whole};
use super::body::ResponseBody;
use super::route::DashboardService;

#[derive(Serialize)]
struct Exchanges {
    exchanges: Vec<ShownExchange>,
}

/// An exchange in the form that pages use.
#[derive(Serialize)]
pub(crate) struct ShownExchange {
    id: String,
    request: Option<ShownMessage>,
    response: Option<ShownMessage>,
}

/// A message. Its body is JSON as it was sent, other text, or the reason why there is none.
#[derive(Serialize)]
struct ShownMessage {
    at: String,
    status: Option<u64>,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl DashboardService {
    pub(super) fn marks(&self, query: Option<&str>) -> HttpResponse {
        match number(query, "after") {
            Ok(after) => json(&self.history.marks(after.unwrap_or(0)), &self.secret),
            Err(()) => refusal(StatusCode::BAD_REQUEST, "after must be a whole number"),
        }
    }

    pub(super) fn thumbnail(&self, hash: &str, headers: &HeaderMap) -> HttpResponse {
        let Some(picture) = self.thumbnails.get(hash, || self.picture_bytes(hash)) else {
            return not_found("there is no such picture, or it cannot be shrunk");
        };
        png(hash, headers, picture)
    }

    /// Responds with all attempts of a turn, as logged.
    pub(super) fn exchanges(&self, turn: &str) -> HttpResponse {
        let Some(turn) = whole(turn) else {
            return not_found("there is no such turn; /api/turns lists them");
        };
        match self.history.exchanges(turn) {
            Ok(found) => {
                let exchanges = found.into_iter().map(ShownExchange::of).collect();
                json(&Exchanges { exchanges }, &self.secret)
            }
            Err(error) => not_found(&self.secret.text(&error.to_string())),
        }
    }
}

/// Responds with a picture, unless the client already has it.
pub(super) fn png(hash: &str, headers: &HeaderMap, picture: impl Into<Bytes>) -> HttpResponse {
    let tag = format!("\"{hash}\"");
    let known = headers.get(IF_NONE_MATCH).is_some_and(|known| *known == *tag);
    let found = if known {
        answer(StatusCode::NOT_MODIFIED, "image/png", ResponseBody::empty())
    } else {
        answer(StatusCode::OK, "image/png", picture)
    };
    immutable(tagged(found, &tag))
}

impl ShownExchange {
    pub(crate) fn of(logged: LoggedExchange) -> Self {
        Self {
            id: logged.id,
            request: logged.request.map(ShownMessage::of),
            response: logged.response.map(ShownMessage::of),
        }
    }
}

impl ShownMessage {
    fn of(LoggedMessage { at, status, body }: LoggedMessage) -> Self {
        let mut shown = Self {
            at,
            status,
            bytes: 0,
            json: None,
            text: None,
            error: None,
        };
        match body {
            ReadBody::Json(body) => {
                shown.bytes = body.get().len();
                shown.json = Some(body.get().to_owned());
            }
            ReadBody::Text(text) => {
                shown.bytes = text.len();
                shown.text = Some(text);
            }
            ReadBody::Missing(why) => shown.error = Some(why),
        }
        shown
    }
}
