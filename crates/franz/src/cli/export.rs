//! The options of `franz export`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgGroup, Args};

#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("form").args(["html", "gif", "jsonl", "inspect"]).required(true).multiple(true))]
pub(crate) struct ExportArgs {
    /// The run: its directory, its name, or `last`
    #[arg(default_value = "last")]
    pub(crate) run: PathBuf,
    /// Write one file that opens in any browser: the dashboard's page with the run in it
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a directory for study or training: one line of JSON per turn, pictures as files
    #[arg(long, value_name = "DIR")]
    pub(crate) jsonl: Option<PathBuf>,
    /// Write a log for Inspect's viewer (`inspect view`)
    #[arg(long, value_name = "FILE")]
    pub(crate) inspect: Option<PathBuf>,
    /// Write an animated GIF, with a caption for each turn
    #[arg(long, value_name = "FILE")]
    pub(crate) gif: Option<PathBuf>,
    /// The width of the GIF
    #[arg(long, value_name = "PIXELS", default_value_t = 640, value_parser = clap::value_parser!(u16).range(64..=4096), requires = "gif")]
    pub(crate) width: u16,
    /// Export only these turns, including the last, such as `5..20`, `5..` or `7` [default: all]
    #[arg(long, value_name = "A..B", default_value = "..", hide_default_value = true)]
    pub(crate) turns: TurnRange,
    /// Remove this word from all text, and cover the masked areas in all pictures; without a word, cover only the areas
    /// (repeatable)
    #[arg(long, value_name = "WORD", num_args = 0..=1, default_missing_value = "")]
    pub(crate) redact: Vec<String>,
    /// Remove the words listed in this file, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) redact_from: Option<PathBuf>,
    /// Replace an existing file or export
    #[arg(long)]
    pub(crate) force: bool,
}

/// A range of turns, including the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TurnRange {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl FromStr for TurnRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let number = |text: &str, otherwise| match text {
            "" => Ok(otherwise),
            digits => digits
                .parse()
                .map_err(|_| "use the first and the last turn, such as 5..20"),
        };
        let range = TurnRange {
            first: number(first, 1)?,
            last: number(last, u64::MAX)?,
        };
        if text.is_empty() || range.first > range.last {
            return Err("the first turn must not come after the last; use a range such as 5..20");
        }
        Ok(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_turns_is_read() {
        for (text, first, last) in [
            ("5..20", 5, 20),
            ("5..", 5, u64::MAX),
            ("..20", 1, 20),
            ("..", 1, u64::MAX),
            ("7", 7, 7),
        ] {
            assert_eq!(text.parse(), Ok(TurnRange { first, last }), "{text}");
        }
        for text in ["", "a", "5..a", "20..5", "-1..5", "1...5"] {
            assert!(text.parse::<TurnRange>().is_err(), "{text}");
        }
    }
}
