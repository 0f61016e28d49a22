//! The log of exchanges, for people to read: each request with its pictures named instead of shown, and its response.

use franz_home::Home;
use franz_record::digest::sha256_hex;
use franz_record::{ExchangeLog, ExchangeOptions};
use franz_secret::Secret;

use super::redaction::redacted;
use super::{Judged, Output};
use crate::verify::reply::ReplyStory;

pub(super) struct LogOutput {
    home: Home,
    secret: Secret,
    /// Whether the agent is our own, which rejects replies that repeat a key: nothing of those is kept.
    is_own: bool,
    /// Opened at the first exchange, and again after a failure.
    file: Option<ExchangeLog>,
}

impl LogOutput {
    pub(super) fn new(home: &Home, secret: Secret, is_own: bool) -> Self {
        Self {
            home: home.clone(),
            secret,
            is_own,
            file: None,
        }
    }

    fn open(&self) -> Result<ExchangeLog, String> {
        let options = ExchangeOptions {
            secret: self.secret.clone(),
            ..ExchangeOptions::default()
        };
        ExchangeLog::open(&self.home, options).map_err(|error| error.to_string())
    }
}

impl Output for LogOutput {
    fn take(&mut self, judged: &Judged<'_>) -> Result<(), String> {
        let mut log = match self.file.take() {
            Some(log) => log,
            None => self.open()?,
        };
        let request = judged.exchange.request.payload();
        let request = request.map_or_else(|why| not_there("the request", &why.to_string()), |body| redacted(&body));
        let response = match &judged.exchange.response {
            Some(response) => response.payload().map_or_else(
                |why| not_there("the response", &why.to_string()),
                |body| self.kept(&body),
            ),
            None => match &judged.received.story {
                ReplyStory::Nothing(why) | ReplyStory::Unseen(why) => not_there("the response", why),
                ReplyStory::Story(_) => Vec::new(),
            },
        };
        let written = log.request(&request).and_then(|()| log.response(&response));
        written.map_err(|error| error.to_string())?;
        self.file = Some(log);
        Ok(())
    }
}

impl LogOutput {
    fn kept(&self, body: &[u8]) -> Vec<u8> {
        if self.is_own && self.secret.is_in(body) {
            let (bytes, sha256) = (body.len(), sha256_hex(body));
            return not_there(
                "the response",
                &format!("the answer repeated the API key; {bytes} bytes, SHA-256 {sha256}"),
            );
        }
        body.to_vec()
    }
}

fn not_there(what: &str, why: &str) -> Vec<u8> {
    format!("({what} is not shown: {why})").into_bytes()
}
