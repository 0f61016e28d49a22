//! The arguments of `franz runs`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};
use franz_record::Wanted;
use jiff::Span;

use super::{help, number};

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
    #[arg(long, value_name = "AGE", value_parser = read_age)]
    pub(crate) older: Option<Span>,
    /// Delete all runs except this many of the newest
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::whole::<usize>)]
    pub(crate) keep_last: Option<usize>,
    /// Delete without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Reads an age. A negative one would mean a time in the future, before which every run was active.
fn read_age(text: &str) -> Result<Span, String> {
    let age = text.parse().ok().filter(|age: &Span| age.is_positive());
    age.ok_or_else(|| "an age is a length of time before now, such as 30d, 12h or 2w".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::cli::Cli;

    #[test]
    fn an_age_is_positive() {
        for (age, is_read) in [
            ("30d", true),
            ("12h", true),
            ("2w", true),
            ("1 day 2 hours", true),
            ("P30D", true),
            ("30d ago", false),
            ("-30d", false),
            ("-P30D", false),
            ("0d", false),
            ("30", false),
            ("", false),
        ] {
            let read = Cli::try_parse_from(["franz", "runs", "delete", &format!("--older={age}")]);
            assert_eq!(read.is_ok(), is_read, "{age}");
            if let Err(error) = read {
                assert!(error.to_string().contains("such as 30d, 12h or 2w"), "{age}: {error}");
            }
        }
    }
}
