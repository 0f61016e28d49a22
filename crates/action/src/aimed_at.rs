//! What a call names instead of a place.

/// The most elements that a model is told of with one picture.
pub const MOST_ELEMENTS: u32 = 60;

/// A thing on the screen whose place has yet to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AimedAt {
    /// `target="the Save button"`: in words.
    Named(String),
    /// `element=12`: by its number among the elements that the model was told with its picture, from 1.
    Element(u32),
}
