//! Tests of the verifier, which gets exchanges as a relay copies them.

mod agents;
mod forged;
mod hostile;
mod keeping;
mod replies;
mod story;
