//! JSON kept byte for byte: raw values, stories, lone surrogates, and objects read one member at a time.
//!
//! In reading order:
//!
//! - [`Raw`] is any value, [`Story`] a string, both exactly as written
//! - [`literal`] decodes string literals for reading, even invalid ones, and writes literals
//! - [`Object`] and [`members`] read objects, [`each_item`] arrays; [`text`], [`count`] and [`says`] read one value
//! - [`lossy`] reads strings into serde structs, [`mend()`] makes a document readable for [`serde_json::Value`]
//! - [`splice()`] builds objects around raw values
//! - [`indent()`] makes a document readable for people, [`deeper_than`] checks its nesting
//!
//! JSON allows `"\ud800"`, half of a character, which no Rust string can hold, so a derived reader rejects the whole
//! document around it. This crate therefore keeps strings raw until they are read, and decodes only the reader's copy.
//! It does not repair broken JSON.
//!
//! ```
//! use franz_json::{Object, Story};
//!
//! let message = Object::read(r#"{"content":"caf\u00e9 \ud800","id":"\udfff"}"#).expect("an object");
//! let story = message.get("content").and_then(Story::from_value).expect("a string");
//! assert_eq!(story.raw(), r#""caf\u00e9 \ud800""#);
//! assert_eq!(story.text(), "café \u{fffd}");
//! ```
#![forbid(unsafe_code)]

pub mod literal;
pub mod lossy;
mod raw;
mod story;

mod array;
mod depth;
mod object;
mod value;

mod indent;
mod mend;
mod splice;

pub use array::each_item;
pub use depth::deeper_than;
pub use indent::indent;
pub use mend::mend;
pub use object::{Object, each_member, members, members_and_repeated};
pub use raw::Raw;
pub use splice::splice;
pub use story::{NotAString, Story};
pub use value::{count, kind, says, string, text};
