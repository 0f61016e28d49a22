//! The documents do not lie: every command in them is run or parsed, every setting read, every reply answered, every message looked up.
//!
//! A fenced block is checked by the word behind its fence; a word that is not in [`page::check`] fails. `keys` and `families` also write
//! their tables anew, with `INSTA_UPDATE=always cargo test -p franz-agent --test it docs`.

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
