//! The verifier, given exchanges as a relay copies them.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]

mod agents;
mod forged;
mod hostile;
mod keeping;
mod replies;
mod story;
mod wire;
