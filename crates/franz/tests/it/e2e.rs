//! Runs the program as its users do: a real process, a real model server on a free port, and a real directory.

#[cfg(target_os = "linux")]
mod chosen;
mod settings;
mod shown;

mod binding;
mod budget;
mod calibrate;
#[cfg(target_os = "linux")]
mod chaos;
mod choosing;
mod circles;
mod config;
mod conversation;
#[cfg(target_os = "linux")]
mod doctor;
mod drawing;
mod exchange;
mod export;
mod fallback;
mod foreign_settings;
mod forgetting;
mod forking;
mod goal;
mod grounder;
mod grounding;
mod hostile_reply;
mod hostile_story;
#[cfg(target_os = "linux")]
mod in_terminal;
#[cfg(unix)]
mod keys;
mod live_keys;
mod live_settings;
mod log_of_attempts;
mod long_run;
mod mcp;
mod messages;
mod monitoring;
mod other_servers;
#[cfg(target_os = "linux")]
mod planted;
mod played;
mod printed;
mod read;
mod remedies;
mod replaying;
mod resuming;
mod runs;
mod runs_show;
mod server_trouble;
#[cfg(target_os = "linux")]
mod soak;
mod stopping;
#[cfg(target_os = "linux")]
mod stories;
mod streaming;
mod succession;
#[cfg(target_os = "linux")]
mod suite;
#[cfg(unix)]
mod trust;
#[cfg(target_os = "linux")]
mod unread;
mod version_before;
#[cfg(target_os = "linux")]
mod watched;
mod wrong_input;
