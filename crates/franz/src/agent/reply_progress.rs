//! How far the actions of a reply have got.

use franz_record::Acted;
use franz_screen::ActionId;

/// How far a reply's actions have got.
#[derive(Clone, Copy)]
pub(super) struct ReplyProgress<'a> {
    /// The turn whose actions are performed.
    pub(super) turn: u64,
    /// The number of the next action, from 0.
    pub(super) index: usize,
    /// How many actions the reply has.
    pub(super) total: usize,
    /// The outcomes of the earlier ones.
    pub(super) before: &'a [Acted],
}

impl ReplyProgress<'_> {
    /// Identifies the next action.
    pub(super) fn id(self) -> ActionId {
        ActionId {
            turn: self.turn,
            index: self.index,
        }
    }
}
