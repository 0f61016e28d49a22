//! The commands of the command line, a file each.

mod completions;
mod demo_model;
mod profiles;
mod run;

use anyhow::Result;

use crate::cli::{Cli, Command, RunOptions};
use crate::exit::Unusable;

/// Does what the command line asks for and gives the exit code.
pub(crate) fn dispatch(cli: Cli) -> Result<u8> {
    if cli.command.is_some() && cli.run != RunOptions::default() {
        return Err(Unusable::usage("the options of a run stand behind the command: franz run --max-turns 3").into());
    }
    match cli.command {
        None => run::run(None, &cli.run),
        Some(Command::Run { goal, options }) => run::run(goal.as_deref(), &options),
        Some(Command::DemoModel(arguments)) => demo_model::serve(&arguments),
        Some(Command::Profiles { name }) => profiles::print(name.as_deref()),
        Some(Command::Completions { shell }) => completions::print(shell),
    }
}
