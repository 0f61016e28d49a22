//! `franz runs show RUN`: shows what a run did, turn by turn.

use std::io::{self, Write as _};

use anyhow::Result;
use franz_home::View;
use franz_record::{RunOverview, TurnLines};

use super::exchange;
use super::list::{local, outcome};
use crate::cli::runs::ShowArgs;
use crate::config::flags::Flags;
use crate::console;
use crate::exit::Unusable;
use crate::quantity::size;
use crate::run_location;
use crate::terminal::{complain, one_line};

pub(super) fn run(arguments: &ShowArgs) -> Result<u8> {
    let (view, _) = run_location::recorded(&arguments.run, &Flags::default())?;
    match &arguments.exchange {
        Some(wanted) => exchange::show(&view, wanted),
        None => show(&view),
    }
}

fn show(view: &View) -> Result<u8> {
    let seen = RunOverview::read(view.path()).map_err(Unusable::usage)?;
    let mut out = io::stdout().lock();
    for (name, value) in facts(&seen) {
        writeln!(out, "{name:<9}{}", one_line(&value))?;
    }
    for turn in TurnLines::open(view)? {
        match turn {
            Ok(turn) => writeln!(out, "{}", one_line(&console::turn(&turn)))?,
            Err(error) => complain(&error.to_string()),
        }
    }
    Ok(0)
}

fn facts(seen: &RunOverview) -> Vec<(&'static str, String)> {
    let tokens = seen.tokens.total;
    let ended = seen.end.as_ref().map(|end| match end.at.parse() {
        Ok(at) => format!(", {}: {}", local(at), end.reason),
        Err(_) => format!(": {}", end.reason),
    });
    let facts = [
        ("record", Some(seen.path.display().to_string())),
        ("goal", seen.goal.clone()),
        ("model", seen.model.clone()),
        ("began", seen.began.map(local)),
        (
            "outcome",
            Some(format!("{}{}", outcome(seen), ended.unwrap_or_default())),
        ),
        ("turns", Some(seen.turns.to_string())),
        (
            "tokens",
            (tokens > 0).then(|| format!("{tokens} ({})", seen.tokens.words())),
        ),
        ("size", Some(size(seen.bytes))),
    ];
    let known = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    known.collect()
}
