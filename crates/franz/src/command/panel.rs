//! `franz panel`: runs the relay and dashboard for any agent.

use anyhow::{Context, Result};

use crate::cli::PanelArgs;
use crate::config::flags::Flags;
use crate::consent::Consent;
use crate::keys;
use crate::run_location::RunLocation;
use crate::stop::Stop;
use crate::watch::PanelCommand;

/// The default upstream: LM Studio on a port other than its usual one, which the relay uses.
const UPSTREAM: &str = "http://127.0.0.1:1235";

pub(super) fn run(arguments: PanelArgs) -> Result<u8> {
    let flags = Flags::of(&arguments);
    let place = RunLocation::of_panel(arguments.resume.as_deref(), arguments.run_dir.as_deref(), &flags)?;
    let mut resolved = place.resolve(&flags, Consent::Asked)?;
    if arguments.upstream.is_none() {
        resolved.set_default("model.upstream", UPSTREAM);
    }
    // Do not create this earlier: before this point, Ctrl+C must still abort the question of whether to trust a file.
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let keyring = keys::keyring(&[])?;
    let panel = PanelCommand {
        secret: keyring.secret().clone(),
        place,
        resolved,
        open: !arguments.no_open,
        quiet: arguments.quiet,
        command: arguments.command,
        stop,
    };
    panel.run()
}
