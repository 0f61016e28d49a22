//! The targets that a call can name instead of giving coordinates.

/// The largest number of elements listed for a model with one picture.
pub const MOST_ELEMENTS: u32 = 60;

/// Something on the screen whose position has yet to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AimedAt {
    /// `target="the Save button"`: described in words.
    Named(String),
    /// `element=12`: identified by its number, counted from 1, in the list of elements that came with the model's
    /// picture.
    Element(u32),
}
