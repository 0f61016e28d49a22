//! Checks that the documents are true: every command in them is run or parsed, every setting is read, every reply is
//! answered, and every message is looked up.
//!
//! The word after a fence decides how the fenced block is checked. A word that [`page::check`] does not know fails.
//! `keys` and `families` can also rewrite their tables, with `INSTA_UPDATE=always cargo test -p franz-agent --test it
//! docs`.

mod command;
mod exit_codes;
mod families;
mod keys;
mod links;
mod markdown;
mod message;
mod outcomes;
mod page;
mod paths;
mod record;
mod reply;
mod security;
mod source;
