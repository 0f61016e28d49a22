//! `franz runs`, `franz runs show RUN`, `franz runs delete RUN`

mod delete;
mod exchange;
mod list;
mod show;

use anyhow::Result;

use crate::cli::runs::{RunsArgs, RunsCommand};

pub(super) fn run(arguments: &RunsArgs) -> Result<u8> {
    match &arguments.command {
        None => list::print(arguments.json),
        Some(RunsCommand::Show(arguments)) => show::run(arguments),
        Some(RunsCommand::Delete(arguments)) => delete::run(arguments),
    }
}
