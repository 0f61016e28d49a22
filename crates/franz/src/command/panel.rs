//! `franz panel`: relay and dashboard alone, for any agent.

use anyhow::{Context, Result};

use crate::cli::PanelArgs;
use crate::config::flags::Flags;
use crate::consent::Consent;
use crate::keys;
use crate::run_location::RunLocation;
use crate::stop::Stop;
use crate::watch::PanelCommand;

/// The upstream if none is named: LM Studio, moved out of the relay's way.
const UPSTREAM: &str = "http://127.0.0.1:1235";

pub(super) fn run(arguments: PanelArgs) -> Result<u8> {
    let flags = Flags::of(&arguments);
    let place = RunLocation::of(arguments.resume.as_deref(), arguments.run_dir.as_deref(), &flags)?;
    let mut resolved = place.resolve(&flags, Consent::Asked)?;
    if arguments.upstream.is_none() {
        resolved.set_default("model.upstream", UPSTREAM);
    }
    // Not earlier: up to here, Ctrl+C also answers the question of whether a file may do what it asks for.
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let keyring = keys::keyring(&[])?;
    let panel = PanelCommand {
        secret: keyring.secret().clone(),
        place,
        resolved,
        open: !arguments.no_open,
        command: arguments.command,
        stop,
    };
    panel.run()
}
