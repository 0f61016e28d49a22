//! `franz panel`: relay and dashboard alone, for any agent.

use anyhow::{Context, Result};

use crate::cli::PanelArgs;
use crate::place::Place;
use crate::stop::Stop;
use crate::watch::Panel;

/// The upstream when nobody names one: LM Studio, moved out of the way of the relay.
const UPSTREAM: &str = "http://127.0.0.1:1235";

pub(super) fn run(arguments: PanelArgs) -> Result<u8> {
    let stop = Stop::default();
    stop.listen().context("cannot listen to Ctrl+C")?;
    let mut options = arguments.options();
    options.upstream.get_or_insert_with(|| UPSTREAM.to_owned());
    let place = Place::of(&options)?;
    let settings = place.layers(None, &options)?.settings();
    let panel = Panel {
        place,
        settings,
        open: !options.no_open,
        command: arguments.command,
        stop,
    };
    panel.run()
}
