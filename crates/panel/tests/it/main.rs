//! Tests the panel from outside: what it concludes from exchanges, and what it serves.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]

#[path = "../../../relay/tests/it/exchanges.rs"]
mod exchanges;
#[path = "../../../relay/tests/it/stage.rs"]
#[expect(dead_code, reason = "the relay's tests need more of it")]
mod stage;
#[path = "../../../relay/tests/it/traffic.rs"]
mod traffic;
mod wire;

mod observer;
mod verify;
mod web;
