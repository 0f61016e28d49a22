//! Tests the crate over real sockets: a model server that does everything wrong, and several that do it right.

mod asking;
mod failing;
mod finding;
mod remembering;
mod server;
