//! The arguments of `franz runs`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};
use franz_record::Wanted;
use jiff::Span;

use super::help;

#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Print what a run did, turn by turn, or the requests and responses of one turn
    #[command(after_help = help::RUNS_SHOW)]
    Show(ShowArgs),
    /// Delete runs, after asking
    #[command(after_help = help::RUNS_DELETE)]
    Delete(DeleteArgs),
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ShowArgs {
    /// The run: its directory, its name, or `last`
    #[arg(default_value = "last")]
    pub(crate) run: PathBuf,
    /// The turn to print, with each attempt; or the id of one exchange (`req_...`)
    #[arg(long, value_name = "N")]
    pub(crate) exchange: Option<Wanted>,
}

#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("which").args(["runs", "older", "keep_last"]).required(true).multiple(true))]
pub(crate) struct DeleteArgs {
    /// The runs: their directories or names, or `last`
    #[arg(value_name = "RUN", conflicts_with_all = ["older", "keep_last"])]
    pub(crate) runs: Vec<PathBuf>,
    /// Delete runs that have been idle for this long, such as `30d`, `12h` or `2w`
    #[arg(long, value_name = "AGE")]
    pub(crate) older: Option<Span>,
    /// Delete all runs except this many of the newest
    #[arg(long, value_name = "N")]
    pub(crate) keep_last: Option<usize>,
    /// Delete without asking
    #[arg(long)]
    pub(crate) yes: bool,
}
