//! `franz panel`: relay and dashboard alone, for any agent.

use anyhow::{Context, Result};

use crate::cli::PanelArgs;
use crate::config::origin::Origin;
use crate::consent::Consent;
use crate::keys;
use crate::run_location::RunLocation;
use crate::stop::Stop;
use crate::watch::PanelCommand;

/// The upstream if nobody names one: LM Studio, moved out of the relay's way.
const UPSTREAM: &str = "http://127.0.0.1:1235";

pub(super) fn run(arguments: PanelArgs) -> Result<u8> {
    let options = arguments.options();
    let place = RunLocation::of(&options)?;
    let mut layers = place.layers(None, &options, Consent::Asked)?;
    if options.upstream.is_none() {
        for layer in [&mut layers.whole, &mut layers.bounds] {
            layer.insert("model.upstream", UPSTREAM.into(), Origin::Default);
        }
    }
    let settings = layers.settings();
    // Not earlier: until here, Ctrl+C also answers the question whether a file may do what it wants.
    let stop = Stop::default();
    stop.listen().context("cannot listen to Ctrl+C")?;
    let keyring = keys::keyring(&[])?;
    let panel = PanelCommand {
        secret: keyring.secret().clone(),
        place,
        layers,
        settings,
        open: !options.no_open,
        command: arguments.command,
        stop,
    };
    panel.run()
}
