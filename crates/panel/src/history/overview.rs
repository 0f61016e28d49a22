//! The part of a snapshot that comes from the record.

use franz_record::Tokens;

use super::verdicts::Tally;
use super::{Extent, History};

/// The totals of everything that is recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overview {
    /// The range of turns.
    pub turns: Extent,
    /// The tokens of all turns.
    pub tokens: Tokens,
    pub(crate) verdicts: Tally,
    pub(crate) verdicts_at_open: Tally,
}

impl History {
    /// Returns the totals of everything that is recorded now.
    pub fn overview(&self) -> Overview {
        let index = self.up_to_date();
        Overview {
            turns: index.extent(),
            tokens: index.totals().tokens,
            verdicts: index.verdicts().tally(),
            verdicts_at_open: self.at_open.clone(),
        }
    }
}

impl Overview {
    /// Returns the recorded verdicts. If those from when the run was opened together with the ones `told` since are
    /// more, returns these instead, because the disk then did not accept all of them.
    pub fn verdicts_or(&self, told: &Tally) -> Tally {
        self.verdicts.or_more(&self.verdicts_at_open, told)
    }
}
