//! `franz run`: the agent watched by a panel, or alone.

use anyhow::{Context, Result};
use franz_record::{JsonLines, Output, Outputs, Queue};
use tokio::runtime::Builder;

use crate::agent::Server;
use crate::assembly::{Assembly, check_screen};
use crate::cli::RunOptions;
use crate::config::profile;
use crate::config::settings::Settings;
use crate::console::Console;
use crate::place::Place;
use crate::stop::Stop;
use crate::terminal::complain;
use crate::watch::Watch;

pub(super) fn run(goal: Option<&str>, options: &RunOptions) -> Result<u8> {
    let stop = Stop::default();
    stop.listen().context("cannot listen to Ctrl+C")?;
    let place = Place::of(options)?;
    let layers = place.layers(goal, options)?;
    let settings = Settings::resolve(&layers.whole);

    check_screen(&settings)?;

    // The server comes first: most runs that cannot start fail here, before anything is made on disk.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let Some(server) = Server::connect(runtime, &settings, &stop)? else {
        return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
    };
    if options.step {
        stop.pause();
    }
    let profile = shown_profile(options);
    if !options.no_panel {
        let watch = Watch {
            place,
            layers,
            settings,
            profile,
            stop,
        };
        return watch.run(server, options);
    }
    let assembly = Assembly {
        opened: place.open(&settings)?,
        layers,
        server,
        outputs: outputs(options.json)?,
        stop,
        profile,
        logs_exchanges: true,
        first: None,
        key: None,
    };
    let ending = assembly.agent()?.run();
    if let Some(why) = ending.error() {
        complain(why);
    }
    Ok(ending.exit_code())
}

/// What a person, or a program that reads JSON lines, is told.
pub(crate) fn outputs(json: bool) -> Result<Outputs> {
    let mut outputs = Outputs::default();
    if json {
        outputs.add("events on stdout", queued(JsonLines::new(std::io::stdout()))?);
    } else {
        outputs.add("console", queued(Console::new())?);
    }
    Ok(outputs)
}

/// A terminal or a pipe that nobody reads must not hold the run up.
pub(super) fn queued(output: impl Output + Send + 'static) -> Result<Queue> {
    Queue::new(output).context("cannot start the thread that prints")
}

/// A resumed run has settings of its own, wherever they once came from.
fn shown_profile(options: &RunOptions) -> String {
    match &options.resume {
        Some(_) => "as in its config.toml".to_owned(),
        None => profile::short_name(options.profile.as_deref().unwrap_or(profile::DEFAULT)),
    }
}
