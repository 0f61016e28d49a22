//! Watching: what passes a relay is verified, recorded and shown on a live dashboard.
//!
//! In reading order:
//!
//! - `franz_relay` passes every byte between an agent and its model server, and copies them aside; [`relay_watcher`] tells the hub
//!   what it does meanwhile
//! - [`verify`] judges copies: is the story that was sent the one that was received? [`verdict`] says what it found
//! - [`observer`] is the thread that judges, writes it down and tells the hub
//! - `conversations` says which of several a request belongs to, [`runs`] is where each has its directory
//! - [`history`] reads the turns and verdicts of a run back, by number, page and word
//! - [`hub`] tells every browser what happens; [`update`] is what it tells
//! - [`controls`] is what a browser may ask of a run
//! - [`web`] is the dashboard's server, [`export`] what it gives to keep
//! - `franz_secret::Secret` is what none of them shows
//!
//! What is absent on purpose: nothing here waits for a slow browser, makes a request of its own, or starts a process.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files as anybody would")
)]

mod conversations;
pub mod observer;
pub mod relay_watcher;
pub mod runs;
pub mod verdict;
pub mod verify;

pub mod history;
pub mod hub;
pub mod update;

pub mod controls;
pub mod export;
pub mod web;

pub use controls::{AgentCommand, Controls, Refused};
pub use hub::Hub;
pub use relay_watcher::RelayWatcher;
pub use update::Update;
pub use verdict::{Verdict, VerdictKind};
