//! The program as its users run it: a real process, a real model server on a free port, a real directory.

mod harness;

mod choosing;
mod drawing;
mod exchange;
mod hostile_reply;
mod hostile_story;
mod live_settings;
mod long_run;
mod resuming;
mod server_trouble;
mod stopping;
mod wrong_input;
