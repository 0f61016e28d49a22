//! `franz replay`: shows a recorded run in the dashboard.

use anyhow::{Context, Result};

use crate::cli::ReplayArgs;
use crate::config::flags::Flags;
use crate::keys;
use crate::run_location;
use crate::stop::Stop;
use crate::terminal::say;
use crate::watch::{self, ReplayDashboard};

pub(super) fn run(arguments: &ReplayArgs) -> Result<u8> {
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let (view, panel) = run_location::recorded(&arguments.run, &Flags::of(arguments))?;
    let keyring = keys::keyring(&[])?;
    watch::within_runtime(async {
        let recorded = ReplayDashboard::open(&view, &panel, keyring.secret().clone()).await?;
        let link = recorded.access().link();
        say(&format!("FRANZ {}, a recorded run", env!("CARGO_PKG_VERSION")));
        say(&format!("look    {link}"));
        say(&format!("record  {}", view.path().display()));
        say("stop    Ctrl+C");
        if !arguments.no_open {
            recorded.open_browser()?;
        }
        recorded.serve(stop.given()).await;
        Ok(stop.ending().map_or(0, |ending| ending.exit_code()))
    })
}
