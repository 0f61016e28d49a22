//! A recorded run made into files to give away. Nothing is changed in the run.
//!
//! [`Recording`] is what all forms are made of: turns, requests and pictures without any key; it notes what is missing.
//! Each form is a file of its own. [`Unfinished`] takes what is written, and is renamed when it is whole.

mod changed_areas;
mod frames;
mod gaps;
mod gif;
mod html;
mod inspect;
mod jsonl;
mod recording;
mod redaction;
mod request_parts;
mod unfinished;

pub(crate) use gif::write as gif;
pub(crate) use html::write as html;
pub(crate) use inspect::write as inspect;
pub(crate) use jsonl::write as jsonl;
pub(crate) use recording::Recording;
pub(crate) use redaction::Redaction;
pub(crate) use unfinished::Unfinished;
