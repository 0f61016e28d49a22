//! Writes `verdicts.jsonl`, with a line for every verdict.

use franz_home::Home;
use franz_json::Raw;
use franz_record::LineFile;
use franz_relay::Exchange;
use franz_secret::Secret;

use super::{Judged, Output};
use crate::verdict::{FILE, Verdict};

pub(super) struct VerdictOutput {
    home: Home,
    /// The file, opened at the first verdict and again after a failure.
    lines: Option<LineFile>,
}

impl VerdictOutput {
    pub(super) fn new(home: &Home) -> Self {
        Self {
            home: home.clone(),
            lines: None,
        }
    }

    fn open(&self) -> Result<LineFile, String> {
        let (lines, cut) = LineFile::open(&self.home, FILE).map_err(|error| error.to_string())?;
        if let Some(cut) = cut {
            tracing::warn!("an unterminated last verdict was moved aside to {}", cut.display());
        }
        Ok(lines)
    }
}

impl Output for VerdictOutput {
    fn take(&mut self, judged: &Judged<'_>) -> Result<(), String> {
        let mut lines = match self.lines.take() {
            Some(lines) => lines,
            None => self.open()?,
        };
        lines.append(&judged.verdict).map_err(|error| error.to_string())?;
        self.lines = Some(lines);
        Ok(())
    }
}

/// Replaces an excerpt that could contain a part of a key.
const NOT_SHOWN: &str = "(not shown: it contains the API key)";

/// Removes API keys from the text that a verdict quotes from an exchange.
pub(super) fn hide(secret: &Secret, exchange: &Exchange, verdict: &mut Verdict) {
    verdict.why = verdict.why.take().map(|why| secret.text(&why).into_owned());
    if let Some(difference) = &mut verdict.difference {
        if exchange.request.payload().is_ok_and(|body| secret.is_in(&body)) {
            difference.received = Raw::string(NOT_SHOWN);
            difference.sent = Raw::string(NOT_SHOWN);
        }
        for excerpt in [&mut difference.received, &mut difference.sent] {
            let hidden = secret.bytes(excerpt.get().as_bytes());
            let literal = str::from_utf8(&hidden)
                .ok()
                .and_then(|literal| Raw::parse(literal).ok());
            *excerpt = literal.unwrap_or_else(|| Raw::string(""));
        }
    }
}
