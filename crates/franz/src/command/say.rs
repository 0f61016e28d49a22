//! `franz say`: sends a message to a run's model, whether the run is live or not.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use franz_home::{View, shell};
use franz_record::resume::{CONFIG_FILE, is_of_panel};
use franz_record::{MessageError, messages};

use crate::config::flags::Flags;
use crate::exit::Unusable;
use crate::known_runs::{self, KnownRun};
use crate::run_location;
use crate::watch::edit::Editing;

pub(super) fn run(words: &[String], keep: bool) -> Result<u8> {
    let (run, text) = match words {
        [text] => (None, text),
        [run, text] => (Some(run), text),
        _ => unreachable!("the command line takes one or two"),
    };
    let live = if run.is_none() { newest_live()? } else { None };
    let run = live.as_deref().or(run.map(Path::new)).unwrap_or(Path::new("last"));
    let quotes = "put a message of several words in quotes: franz say \"Stop now\"";
    let directory = run_location::find_or_advise(run, &Flags::default(), quotes)?;
    let view = run_location::recorded_in(&directory)?;
    if !view.has_file(CONFIG_FILE) {
        let run = view.path().display();
        let refused =
            anyhow!("{run} is the record of another program's requests: FRANZ cannot send its model a message");
        return Err(Unusable::usage(refused).into());
    }
    if is_of_panel(&view) {
        let run = view.path().display();
        let refused =
            anyhow!("{run} is the directory of a panel, which has no model; name a run (franz runs lists all)");
        return Err(Unusable::usage(refused).into());
    }
    let home = run_location::claimed(view.path())?;
    let editing = keep.then(|| Editing::begin(&home)).transpose()?;
    messages::say(&home, text).map_err(|error| match error {
        MessageError::Disk(error) => anyhow::Error::new(error),
        refused => Unusable::usage(refused).into(),
    })?;
    if let Some(editing) = editing {
        editing
            .keep_in_goal(text)
            .context("the message was sent, but the goal could not be changed")?;
    }
    let run = view.path().display();
    let told = if known_runs::is_in_progress(&view) {
        format!("sent; the model of {run} gets it immediately, or when the run continues")
    } else {
        let word = shell::path(view.path());
        format!("kept; {run} has ended, and its model gets this when you resume it: franz run --resume {word}")
    };
    writeln!(std::io::stdout(), "{told}")?;
    Ok(0)
}

/// Returns the newest run in progress that has a model to talk to, if possible one of this project.
fn newest_live() -> Result<Option<PathBuf>> {
    let settings = run_location::shown(&Flags::default())?;
    let listens = |run: &KnownRun| {
        let has_settings = || View::open(&run.path).is_ok_and(|view| view.has_file(CONFIG_FILE));
        run.is_live() && !run.has_conversations() && has_settings()
    };
    let runs = known_runs::in_progress(Path::new(&settings.record.dir));
    Ok(runs.into_iter().find(listens).map(|run| run.path))
}
