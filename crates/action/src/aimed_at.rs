//! What a call can name instead of giving a place.

/// The largest number of elements that are listed for a model with one picture.
pub const MOST_ELEMENTS: u32 = 60;

/// A thing on the screen whose place has yet to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AimedAt {
    /// `target="the Save button"`: in words.
    Named(String),
    /// `element=12`: by its number, from 1, in the list of elements that came with the model's picture.
    Element(u32),
}
