//! Watches a relay. It verifies and records the traffic that passes through the relay, and shows it on a live
//! dashboard.
//!
//! In reading order:
//!
//! - `franz_relay` passes every byte between an agent and its model server, and copies them aside; [`relay_watcher`]
//!   tells the hub what the relay is doing
//! - [`verify`] judges copies: is the story that was sent the one that was received? [`verdict`] holds the result
//! - [`observer`] is the thread that judges exchanges, writes the verdicts down and tells the hub
//! - `conversations` decides which conversation a request belongs to; [`runs`] keeps a directory for each
//! - [`history`] reads the turns and verdicts of a run back, by number, page and word
//! - [`hub`] folds everything that happens into one snapshot, and sends browsers the parts that change
//! - [`controls`] defines what a browser can ask of a run
//! - [`web`] is the dashboard's server; [`export`] writes files to keep
//! - `franz_secret::Secret` holds what none of them may show
//!
//! Deliberately absent: nothing here waits for a slow browser, makes its own requests, or starts a process.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files as anybody would")
)]

mod conversations;
pub mod observer;
pub mod relay_watcher;
pub mod runs;
mod thumbnails;
pub mod verdict;
pub mod verify;

pub mod growing_reply;
pub mod history;
pub mod hub;
pub mod live;
pub mod person_replies;

pub mod controls;
pub mod export;
pub mod web;

pub use controls::{AgentCommand, Controls, Refused};
pub use hub::Hub;
pub use relay_watcher::RelayWatcher;
pub use verdict::{Verdict, VerdictKind};
