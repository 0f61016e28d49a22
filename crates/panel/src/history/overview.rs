//! The part of a snapshot that is read from the record.

use franz_record::Tokens;

use super::verdicts::Tally;
use super::{Extent, History};

/// The totals of the whole record.
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
    /// Returns the totals of the record as it is now.
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
    /// Returns the recorded verdicts. If the verdicts counted when the run was opened and those `told` since then add
    /// up to more, returns their sum instead, because a larger sum means that the disk did not accept all verdicts.
    pub fn verdicts_or(&self, told: &Tally) -> Tally {
        self.verdicts.or_more(&self.verdicts_at_open, told)
    }
}
