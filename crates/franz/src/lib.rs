//! FRANZ gives a vision-language model eyes, hands and a memory that it writes itself.
//!
//! The program is [`main`]. It is in a library so that its tests are linked only once.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests start programs and write files as anybody would"
    )
)]

mod agent;
mod agent_builder;
mod calibrate;
mod cli;
mod closed;
mod command;
mod config;
mod consent;
mod console;
#[cfg(test)]
mod crash;
mod doctor;
mod event_log;
mod exit;
mod export;
mod families;
mod gate;
mod guardian;
mod idiom;
mod keys;
mod known_runs;
mod mcp;
mod offline;
mod own_settings;
mod presence;
mod quantity;
mod reading;
mod run_location;
mod screen;
mod shortcomings;
mod state_folder;
mod stop;
mod suite;
mod terminal;
mod terminal_orders;
mod trusted_files;
mod upstream;
mod watch;

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;
use tracing_subscriber::EnvFilter;

use cli::{Cli, LogFormat};

/// Runs the command line of this process and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| cli::help::advise(error).exit());
    let verbose = cli.verbose;
    log_to_stderr(cli.log_format, verbose);
    match command::dispatch(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            terminal::complain(&exit::describe(&error, verbose));
            ExitCode::from(exit::code(&error))
        }
    }
}

/// Returns 128 unguessable random bits as 32 hexadecimal digits.
fn random() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("this system provides no random numbers")?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

fn log_to_stderr(format: LogFormat, verbose: bool) {
    // An MCP host may well ask for what FRANZ does not offer.
    let default = if verbose {
        "warn,rmcp=error,franz=info"
    } else {
        "warn,rmcp=error"
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal() && ::console::colors_enabled_stderr())
        // A closed stderr must not cause a panic.
        .log_internal_errors(false)
        .with_writer(|| terminal::StderrAboveFoot);
    match format {
        LogFormat::Text => logs.init(),
        LogFormat::Json => logs.json().init(),
    }
}
