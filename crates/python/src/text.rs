//! Values as text: `repr` and `str`, the three ways of formatting, and parsing numbers from text.

pub(crate) mod fields;
pub(crate) mod float;
pub(crate) mod number;
mod percent;
mod repr;
pub(crate) mod spec;

pub(crate) use repr::is_printable;
