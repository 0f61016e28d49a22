//! The verifier: is the story that is sent the one that was received?

use std::path::Path;

use crate::exchange::Exchange;
use crate::verdict::Verdict;

/// What agents were last told, each by itself.
#[derive(Debug, Default)]
pub struct Verifier {}

impl Verifier {
    /// A verifier that goes on from what an earlier one kept in the run `directory`.
    pub fn open(directory: &Path) -> Verifier {
        let _ = directory;
        Verifier::default()
    }

    /// Judges one exchange; `None` where it is no chat request.
    pub fn judge(&mut self, exchange: &Exchange) -> Option<Verdict> {
        let _ = exchange;
        None
    }
}
