//! The log of exchanges. Each request is logged as soon as it is sent, with hashes in place of its pictures. Its
//! response is logged later.

use std::collections::BTreeMap;

use franz_chat::StreamedReply;
use franz_home::{DiskError, Home};
use franz_record::digest::sha256_hex;
use franz_record::{ExchangeLog, ExchangeOptions, LoggedBody, LoggedHead};
use franz_relay::{Exchange, Message, ModelApi, SentRequest, Unreadable};
use jiff::Timestamp;

use super::logged_head::logged_head;
use super::redaction::{redacted, redacted_anywhere};
use super::{Judged, Output};
use crate::verify::reply::{ReceivedReply, ReplyStory};

/// The maximum number of requests that can wait for their responses. The relay does not queue more copies than that.
const AWAITED: usize = 2048;

pub(super) struct LogOutput {
    home: Home,
    options: ExchangeOptions,
    /// Whether the agent is our own. Our own agent rejects a reply that repeats a key, so no part of such a reply is
    /// kept.
    is_own: bool,
    /// The log, opened at the first exchange and again after a failure.
    file: Option<ExchangeLog>,
    /// The log IDs of requests that are waiting for their responses, by exchange number.
    awaited: BTreeMap<u64, String>,
}

impl LogOutput {
    pub(super) fn new(home: &Home, options: ExchangeOptions, is_own: bool) -> Self {
        Self {
            home: home.clone(),
            options,
            is_own,
            file: None,
            awaited: BTreeMap::new(),
        }
    }

    /// Logs a request that is waiting for its response. `turn` is the request's turn, if known.
    pub(super) fn sent(&mut self, sent: &SentRequest, turn: Option<u64>) -> Result<(), String> {
        let head = self.head(&sent.message);
        let id = self.with_log(|log| request(log, sent.started, turn, head, &sent.message))?;
        self.awaited.insert(sent.id, id);
        if self.awaited.len() > AWAITED {
            self.awaited.pop_first();
        }
        Ok(())
    }

    /// Returns what to log of a request's head. Our own agent always sends the same.
    fn head(&self, message: &Message) -> Option<LoggedHead> {
        (!self.is_own).then(|| logged_head(message, &self.options.secret))
    }

    fn with_log<T>(&mut self, write: impl FnOnce(&mut ExchangeLog) -> Result<T, DiskError>) -> Result<T, String> {
        let mut log = match self.file.take() {
            Some(log) => log,
            None => self.open()?,
        };
        let written = write(&mut log).map_err(|error| error.to_string())?;
        self.file = Some(log);
        Ok(written)
    }

    fn open(&self) -> Result<ExchangeLog, String> {
        let opened = ExchangeLog::open(&self.home, self.options.clone());
        let (log, cut) = opened.map_err(|error| error.to_string())?;
        if let Some(cut) = cut {
            tracing::warn!(
                "an unterminated last line of the log was moved aside to {}",
                cut.display()
            );
        }
        Ok(log)
    }

    /// If a response to our own agent repeats a key, returns why no part of it is kept.
    fn refused(&self, body: &[u8]) -> Option<String> {
        // A key might be split between several pieces of a stream, so join them first.
        let secret = &self.options.secret;
        let together = || StreamedReply::is_in(None, body) && secret.is_in(&StreamedReply::of(body, 0).so_far());
        let repeats = self.is_own && !secret.is_empty() && (secret.is_in(body) || together());
        repeats.then(|| {
            let (bytes, sha256) = (body.len(), sha256_hex(body));
            format!("the response repeated the API key; {bytes} bytes, SHA-256 {sha256}")
        })
    }

    /// Logs the response of an exchange.
    pub(super) fn finished(
        &mut self,
        exchange: &Exchange,
        turn: Option<u64>,
        received: &ReceivedReply,
    ) -> Result<(), String> {
        let payload = exchange.response.as_ref().map(Message::payload);
        let body = match (payload.clone(), &received.story) {
            (Some(Ok(body)), _) => self.refused(&body).map_or(Ok(body), Err),
            // A stream that lacks only the end of its framing.
            (Some(Err(why @ Unreadable::Incomplete)), ReplyStory::Story(_)) => {
                let arrived = exchange.response.as_ref().and_then(Message::arrived);
                let body = arrived.ok_or_else(|| why.to_string());
                body.and_then(|body| self.refused(&body).map_or(Ok(body), Err))
            }
            (Some(Err(why)), _) => Err(why.to_string()),
            (None, ReplyStory::Nothing(why) | ReplyStory::Unseen(why)) => Err(why.clone()),
            (None, ReplyStory::Story(_)) => Err(String::new()),
        };
        // An attempt of our own agent that broke off is repeated, but nobody else keeps what another program was told.
        let is_kept = !self.is_own && payload == Some(Err(Unreadable::Incomplete));
        let response = exchange.response.as_ref().filter(|_| is_kept);
        let arrived = response.and_then(Message::arrived);
        let body = match (&body, &arrived) {
            (Ok(body), _) => LoggedBody::Bytes(body),
            (Err(why), Some(arrived)) => LoggedBody::Partial(arrived, why),
            (Err(why), None) => LoggedBody::Missing(why),
        };
        let status = exchange.response.as_ref().and_then(Message::status);
        let end = exchange.started.checked_add(exchange.whole).unwrap_or(exchange.started);
        let logged = self.awaited.remove(&exchange.id);
        let head = logged.is_none().then(|| self.head(&exchange.request)).flatten();
        self.with_log(|log| {
            let id = match logged {
                Some(id) => id,
                None => request(log, exchange.started, turn, head, &exchange.request)?,
            };
            log.response(&id, end, turn, status, body)
        })
    }
}

impl Output for LogOutput {
    fn take(&mut self, judged: &Judged<'_>) -> Result<(), String> {
        self.finished(judged.wire, judged.verdict.turn, &judged.received)
    }
}

/// Logs a request and returns its ID.
fn request(
    log: &mut ExchangeLog,
    at: Timestamp,
    turn: Option<u64>,
    head: Option<LoggedHead>,
    message: &Message,
) -> Result<String, DiskError> {
    let body = message
        .payload()
        .map(|body| match ModelApi::of(message.method(), message.target()) {
            Some(ModelApi::Chat) | None => redacted(&body),
            Some(_) => redacted_anywhere(&body),
        })
        .map_err(|why| why.to_string());
    let body = body
        .as_deref()
        .map_or_else(|why| LoggedBody::Missing(why), LoggedBody::Bytes);
    log.request_with_head(at, turn, head, body)
}
