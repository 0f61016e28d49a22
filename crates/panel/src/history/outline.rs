//! The parts of a turn line that the index reads, and the totals over all turns.

use franz_record::{BesideImage, Image, Status, Timings, Tokens};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The parts of a line that the index needs. All other parts are skipped.
#[derive(Deserialize)]
pub(super) struct Outline<'a> {
    pub(super) turn: u64,
    #[serde(default)]
    ms: Timings,
    #[serde(default)]
    pub(super) status: Status,
    #[serde(default, borrow)]
    pub(super) attempts: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) goal: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) mode: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) feedback: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) acted: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) errors: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) image: Option<Image>,
    #[serde(default)]
    pub(super) beside: Vec<BesideImage>,
    #[serde(default, borrow)]
    usage: Option<&'a RawValue>,
}

impl Outline<'_> {
    /// Returns the pictures that the model saw.
    pub(super) fn images(&self) -> impl Iterator<Item = &Image> {
        self.image.iter().chain(self.beside.iter().map(|beside| &beside.image))
    }
}

/// Totals over all turns of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// How many turns ended without a story.
    pub failed: u64,
    /// The tokens of all turns.
    pub tokens: Tokens,
    /// The duration of all turns, in milliseconds.
    pub ms: f64,
    /// How many turns waited for the model.
    pub asked: u64,
    /// Milliseconds spent waiting for the model in all turns.
    pub model_ms: f64,
    /// Milliseconds spent waiting for the model in the last turn.
    pub last_model_ms: f64,
}

impl Totals {
    pub(super) fn count(&mut self, outline: &Outline<'_>) {
        self.failed += u64::from(outline.status == Status::Failed);
        if let Some(usage) = outline.usage {
            self.tokens.add(Tokens::read(usage.get()));
        }
        self.ms += outline.ms.total();
        let model_ms = outline.ms.model.get();
        if model_ms > 0.0 {
            self.asked += 1;
            self.model_ms += model_ms;
        }
        self.last_model_ms = model_ms;
    }
}
