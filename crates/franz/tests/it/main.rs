//! Tests the program from outside: its documents, whole runs on the canvas, runs on real desktops, and runs with a real
//! model server.
#![allow(
    clippy::disallowed_methods,
    reason = "tests start programs and write files as anybody would"
)]

mod chat;
#[path = "../../src/cli.rs"]
mod cli;
#[cfg(target_os = "linux")]
mod dashboard;
mod dice;
#[cfg(target_os = "linux")]
mod doctor;
mod harness;
mod puppet;
mod routes;
#[cfg(target_os = "linux")]
mod terminal;

#[cfg(all(target_os = "linux", feature = "desktop-tests"))]
mod desktop;
mod docs;
mod e2e;
#[cfg(all(target_os = "linux", feature = "model-server-tests"))]
mod real_server;

#[cfg(all(target_os = "linux", not(feature = "model-server-tests")))]
#[test]
#[ignore = "needs a model server: `cargo xtask model-server` installs one and runs these tests"]
fn real_server() {}
