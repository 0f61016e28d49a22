//! Serves data for the timeline and for the view of a request.

use std::collections::BTreeMap;

use franz_chat::Reply;
use franz_chat::picture::stand_ins;
use franz_json::{Raw, members};
use franz_record::{LoggedExchange, LoggedHead, LoggedMessage, ReadBody, Tokens, TurnLine};
use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde::Serialize;

use super::answer::{HttpResponse, json, not_found, png, refusal};
use super::query::{number, whole};
use super::service::DashboardService;
use crate::history::History;
use crate::other_apis;

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
    /// The pictures of the request that the record still names: their hashes, by the digits in the log.
    pictures: BTreeMap<String, String>,
}

/// The meaning of a response that is a stream of events.
#[derive(Serialize)]
struct Joined {
    text: Option<String>,
    reasoning: Option<String>,
    calls: Option<Raw>,
    finish: Option<String>,
    tokens: Tokens,
    /// Why the stream broke off, if it did.
    broken: Option<String>,
}

/// A message. Its body is JSON as it was sent, other text, or the reason why there is none.
#[derive(Serialize)]
struct ShownMessage {
    at: String,
    status: Option<u64>,
    bytes: usize,
    /// Where the request went and its headers, if they were logged.
    #[serde(flatten)]
    head: Option<LoggedHead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    joined: Option<Joined>,
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
        let pending = self.hub.pending();
        match self.history.exchanges(turn) {
            Ok(found) => {
                let shown = |logged| ShownExchange::of(logged, &self.history, pending.as_deref());
                let exchanges = found.into_iter().map(shown).collect();
                json(&Exchanges { exchanges }, &self.secret)
            }
            Err(error) => not_found(&self.secret.text(&error.to_string())),
        }
    }
}

impl ShownExchange {
    pub(crate) fn of(logged: LoggedExchange, history: &History, pending: Option<&TurnLine>) -> Self {
        let request = logged.request.map(ShownMessage::of);
        let mut response = logged.response.map(ShownMessage::of);
        if let Some(response) = &mut response {
            let target = request.as_ref().and_then(|request| request.head.as_ref());
            let target = target.map(|head| head.target.as_str());
            let text = response.text.as_deref();
            response.joined = text.and_then(|text| Joined::of(target, text.as_bytes()));
        }
        let body = request.as_ref().and_then(|request| request.json.as_deref());
        let named = body.into_iter().flat_map(stand_ins).map(|(_, digits)| digits).collect();
        Self {
            id: logged.id,
            pictures: history.pictures_named(&named, pending),
            request,
            response,
        }
    }

    /// Leaves out the bytes of a streamed response, in which a word can be split into pieces that no search finds.
    pub(crate) fn leave_out_stream(&mut self) {
        const LEFT_OUT: &str = "The stream's bytes are left out, because they can contain a redacted word in pieces.";
        let Some(response) = &mut self.response else { return };
        let is_event = |line: &str| line.starts_with("data:") || line.starts_with("event:");
        let is_stream = |text: &String| response.joined.is_some() || text.lines().any(is_event);
        if response.text.as_ref().is_some_and(is_stream) {
            response.text = Some(LEFT_OUT.to_owned());
        }
    }
}

impl ShownMessage {
    fn of(logged: LoggedMessage) -> Self {
        let LoggedMessage {
            at,
            status,
            head,
            body,
            as_sent,
        } = logged;
        let mut shown = Self {
            at,
            status,
            bytes: 0,
            head,
            joined: None,
            json: None,
            text: None,
            error: None,
        };
        match body {
            ReadBody::Json(body) => {
                let sent = as_sent.unwrap_or_else(|| body.get().to_owned());
                shown.bytes = sent.len();
                shown.json = Some(sent);
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

impl Joined {
    fn of(target: Option<&str>, stream: &[u8]) -> Option<Self> {
        let (whole, broken) = other_apis::joined(target, stream)?;
        let reply = Reply::read(whole).ok()?;
        let [usage] = members(str::from_utf8(reply.raw()).ok()?, ["usage"])?;
        Some(Self {
            text: reply.story().map(franz_json::Story::text),
            reasoning: reply.reasoning().map(|reasoning| reasoning.text().to_owned()),
            calls: reply.tool_calls().cloned(),
            finish: reply.finish().map(str::to_owned),
            tokens: usage.map(|usage| Tokens::read(usage.get())).unwrap_or_default(),
            broken: broken.map(|defect| defect.to_string()),
        })
    }
}
