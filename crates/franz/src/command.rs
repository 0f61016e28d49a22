//! The commands of the command line, one file each.

mod agent;
mod calibrate;
mod check;
mod completions;
mod config;
mod demo_model;
mod export;
mod fork;
mod man;
mod mcp;
mod models;
mod open;
mod panel;
mod profiles;
mod read;
mod replay;
mod run;
mod runs;
mod say;
mod scenarios;
mod suite;
mod trust;

use std::io::{Error, ErrorKind};

use anyhow::Result;
use franz_screen::{Target, VncServer};

use crate::cli::{Cli, Command, RunArgs};
use crate::exit::Unusable;
#[cfg(target_os = "linux")]
use crate::suite::herd;
use crate::suite::rehearsal;
use crate::{doctor, guardian, watch};

/// Runs the command that the command line names, and returns the exit code.
pub(crate) fn dispatch(cli: Cli) -> Result<u8> {
    if cli.command.is_some() && cli.run != RunArgs::default() {
        return Err(Unusable::usage("put the options of a run after the command: franz run --max-turns 3").into());
    }
    match cli.command {
        None => run::run(None, &cli.run),
        Some(Command::Run { goal, options }) => {
            let goal = (!goal.is_empty()).then(|| goal.join(" "));
            run::run(goal.as_deref(), &options)
        }
        Some(Command::Agent { run }) => agent::run(&run),
        Some(Command::Doctor(arguments)) => printed(doctor::examine(&arguments)),
        Some(Command::Release { display, when_closed }) => guardian::release(target(display)?, when_closed),
        Some(Command::Guard { command }) => watch::guard(&command),
        #[cfg(target_os = "linux")]
        Some(Command::Leash { parent, command }) => watch::leash(parent, &command),
        #[cfg(target_os = "linux")]
        Some(Command::Herd { parent, command }) => herd::herd(parent, &command),
        Some(Command::Panel(arguments)) => panel::run(arguments),
        Some(Command::Open { run, no_open }) => printed(open::run(run.as_deref(), !no_open)),
        Some(Command::Mcp(arguments)) => mcp::run(&arguments),
        Some(Command::Replay(arguments)) => replay::run(&arguments),
        Some(Command::Export(arguments)) => printed(export::run(&arguments)),
        Some(Command::Fork(arguments)) => fork::run(&arguments),
        Some(Command::Say { words, keep }) => printed(say::run(&words, keep)),
        Some(Command::Runs(arguments)) => printed(runs::run(&arguments)),
        Some(Command::Read(arguments)) => printed(read::run(&arguments)),
        Some(Command::Calibrate(arguments)) => printed(calibrate::run(&arguments)),
        Some(Command::DemoModel(arguments)) => demo_model::serve(&arguments),
        Some(Command::Models(arguments)) => printed(models::print(&arguments)),
        Some(Command::Config(arguments)) => printed(config::print(&arguments)),
        Some(Command::Check { profile }) => printed(check::run(&profile)),
        Some(Command::Profiles { schema: true, .. }) => printed(profiles::print_schema()),
        Some(Command::Profiles { name, .. }) => printed(profiles::print(name.as_deref())),
        Some(Command::Scenarios { profile }) => printed(scenarios::print(profile.as_deref())),
        Some(Command::Suite(arguments)) => suite::run(&arguments),
        Some(Command::Rehearse(arguments)) => rehearsal::rehearse(&arguments),
        Some(Command::Trust(arguments)) => printed(trust::run(&arguments)),
        Some(Command::Completions { shell }) => printed(completions::print(shell)),
        Some(Command::Man { command }) => printed(man::print(command.as_deref())),
    }
}

/// Returns the display of this name, or this desktop if none is named.
fn target(display: Option<String>) -> Result<Target> {
    match display {
        None => Ok(Target::Session { consent: None }),
        Some(name) if name.starts_with("vnc:") => {
            let address = name.parse().map_err(Unusable::usage)?;
            Ok(Target::Vnc(Box::new(VncServer::at(address))))
        }
        Some(name) => Ok(Target::named(name)),
    }
}

/// Turns a closed pipe into success, because a reader such as `head` closes it after reading enough.
fn printed(result: Result<u8>) -> Result<u8> {
    let enough = |error: &Error| error.kind() == ErrorKind::BrokenPipe;
    match result {
        Err(error) if error.downcast_ref().is_some_and(enough) => Ok(0),
        other => other,
    }
}
