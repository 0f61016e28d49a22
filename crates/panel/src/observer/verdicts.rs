//! `verdicts.jsonl`: every verdict a line.

use franz_home::Home;
use franz_record::{Lines, Raw};

use super::{Judged, Output};
use crate::secret::Secret;
use crate::verdict::{FILE, Verdict};

pub(super) struct Verdicts {
    home: Home,
    /// Opened at the first verdict, and again where that failed.
    lines: Option<Lines>,
}

impl Verdicts {
    pub(super) fn new(home: &Home) -> Self {
        Self {
            home: home.clone(),
            lines: None,
        }
    }

    fn open(&self) -> Result<Lines, String> {
        let (lines, cut) = Lines::open(&self.home, FILE).map_err(|error| error.to_string())?;
        if let Some(cut) = cut {
            tracing::warn!("an unterminated last verdict was moved aside to {}", cut.display());
        }
        Ok(lines)
    }
}

impl Output for Verdicts {
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

/// Takes the API key out of what a verdict quotes.
pub(super) fn hide(secret: &Secret, verdict: &mut Verdict) {
    verdict.why = verdict.why.take().map(|why| secret.text(&why).into_owned());
    if let Some(difference) = &mut verdict.difference {
        for excerpt in [&mut difference.received, &mut difference.sent] {
            let hidden = secret.json(excerpt.get().as_bytes());
            let literal = str::from_utf8(&hidden)
                .ok()
                .and_then(|literal| Raw::parse(literal).ok());
            *excerpt = literal.unwrap_or_else(|| Raw::string(""));
        }
    }
}
