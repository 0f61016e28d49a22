//! Checks that the documents are correct: runs or parses every command in them, reads every setting, answers every
//! reply, and looks up every message.
//!
//! The word after a fence decides how the fenced block is checked. [`page::check`] fails on a word that it does not
//! know. `keys` and `families` can also rewrite their tables, with `INSTA_UPDATE=always cargo test -p franz-agent
//! --test it docs`.

mod basics;
mod command;
mod exit_codes;
mod families;
mod keys;
mod links;
mod markdown;
mod message;
mod miniwob;
mod outcomes;
mod page;
mod paths;
mod record;
mod reply;
mod security;
mod source;
