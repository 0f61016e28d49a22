//! The program on real desktops, each test on a private one of its own: what is held is released, whatever happens.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests start programs and write files as anybody would"
)]

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

#[path = "../../../screen/tests/desktop/client.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod client;
mod events;
#[path = "../../../screen/tests/desktop/person.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
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
