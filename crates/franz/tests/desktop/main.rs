//! The program on real desktops, each test on a private one of its own: what is held is released, whatever happens.
#![cfg(target_os = "linux")]

#[expect(dead_code, reason = "shared with the tests on the canvas, which need more of it")]
#[path = "../e2e/chat.rs"]
mod chat;
#[expect(dead_code, reason = "shared with the tests on the canvas, which need more of it")]
#[path = "../e2e/watched/dashboard.rs"]
mod dashboard;
#[expect(dead_code, reason = "shared with the tests on the canvas, which need more of it")]
#[path = "../e2e/harness.rs"]
mod harness;

#[path = "../e2e/dice.rs"]
mod dice;
#[path = "../e2e/puppet.rs"]
mod puppet;

mod client;
mod events;
mod person;
mod process;
mod run;
mod stage;
mod work;

mod companion;
mod doctor;
mod dying;
mod effect;
mod giving_back;
mod keys;
mod stopping;
mod task;
