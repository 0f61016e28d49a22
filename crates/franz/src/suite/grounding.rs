//! Measures how often models click where they should in the pictures of a grounding set. Nothing is performed.
//!
//! `franz-suite` knows the set, the answers and the report; this module looks at pictures and asks. In reading order:
//! [`pictures`]: the folder of pictures; [`asker`]: one model, and what it answers to an item; [`measurement`]: all
//! items, by several askers at once.

pub(crate) mod asker;
pub(crate) mod measurement;
pub(crate) mod pictures;
