//! Turns a recorded run into files to share. Nothing in the run changes.
//!
//! All formats are made from a [`Recording`], which holds the turns, requests and pictures without any API key, and
//! notes what is missing. Each format has its own module. Output goes to an [`Unfinished`] file or directory, which is
//! renamed when complete.

mod changed_areas;
mod format_words;
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
pub(crate) use unfinished::{Leftover, Unfinished};
