//! Real X servers with real programs.

mod acting;
mod browser;
mod capture;
mod clipboard;
mod kill;
mod paint;
mod person;
mod private;
mod random;
mod server;
mod stage;
mod texts;
mod typing;
mod witness;
