//! `franz replay`: shows a recorded run in the dashboard, alone or beside another one, or runs it again offline.

use anyhow::{Context, Result, anyhow};

use crate::cli::ReplayArgs;
use crate::config::flags::Flags;
use crate::keys;
use crate::offline::Rerun;
use crate::run_location;
use crate::stop::Stop;
use crate::terminal::{complain, say};
use crate::watch::{self, ReplayDashboard, RunPair};

pub(super) fn run(arguments: &ReplayArgs) -> Result<u8> {
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    if arguments.offline {
        return rerun(arguments, &stop);
    }
    let flags = Flags::of(arguments);
    let (view, panel) = run_location::recorded(&arguments.run, &flags)?;
    let other = arguments
        .compare
        .as_ref()
        .map(|other| run_location::recorded(other, &flags));
    let other = other.transpose()?.map(|(other, _)| other);
    let pair = other.as_ref().map(|other| RunPair::of(&view, other)).transpose()?;
    let keyring = keys::keyring(&[])?;
    watch::within_runtime(async {
        let recorded = ReplayDashboard::open(&view, pair, &panel, keyring.secret().clone()).await?;
        let what = if other.is_some() {
            "two recorded runs"
        } else {
            "a recorded run"
        };
        say(&format!("FRANZ {}, {what}", env!("CARGO_PKG_VERSION")));
        say(&format!("look    {}", recorded.link()));
        for run in [Some(&view), other.as_ref()].into_iter().flatten() {
            say(&format!("record  {}", run.path().display()));
        }
        say("stop    Ctrl+C");
        if !arguments.no_open {
            recorded.open_browser()?;
        }
        recorded.serve(stop.ended()).await;
        Ok(stop.ending().map_or(0, |ending| ending.exit_code()))
    })
}

/// Runs the run again, without a model, and compares each request. Returns the exit code.
fn rerun(arguments: &ReplayArgs, stop: &Stop) -> Result<u8> {
    let flags = Flags::of(arguments);
    let (source, _) = run_location::recorded(&arguments.run, &flags)?;
    let rerun = Rerun::of(&source, arguments.from, arguments.run_dir.as_deref(), &flags)?;
    say(&format!("replay  {}", source.path().display()));
    let (view, ending) = rerun.to_end(stop)?;
    say(&format!("record  {}", view.path().display()));
    if rerun.is_complete(&view)? {
        say(&rerun.to_string());
        return Ok(0);
    }
    if stop.ending().is_some() {
        complain(&ending.to_string());
        return Ok(ending.exit_code());
    }
    Err(anyhow!("the replay ended early, but the record goes on: {ending}"))
}
