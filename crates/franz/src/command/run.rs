//! `franz run`: puts a run together from settings, server, record and screen, and lets the agent go.

use anyhow::{Context, Result};
use franz_record::{Event, ExchangeLog, ExchangeOptions, JsonLines, Outputs, RunStarted};
use franz_screen::Canvas;
use tokio::runtime::{Builder, Runtime};

use crate::agent::{Agent, Parts, Recorder, Server};
use crate::cli::RunArgs;
use crate::config::layer::Layer;
use crate::config::live::Live;
use crate::config::profile;
use crate::config::settings::Settings;
use crate::console::Console;
use crate::exit::Unusable;
use crate::place::{Opened, Place};
use crate::stop::Stop;
use crate::terminal::printable;
use crate::upstream::{self, Upstream};

pub(super) fn run(arguments: &RunArgs) -> Result<u8> {
    let stop = Stop::default();
    stop.listen().context("cannot listen to Ctrl+C")?;
    let place = Place::of(arguments)?;
    let layer = place.layer(arguments)?;
    let settings = Settings::resolve(&layer);

    // The server comes first: most runs that cannot start fail here, before anything is made on disk.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let Some(upstream) = connect(&runtime, &settings, &stop)? else {
        return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
    };
    let opened = place.open(&settings)?;
    let ending = start(arguments, layer, opened, &upstream, runtime, stop)?.run();
    if let Some(why) = ending.error() {
        eprintln!("franz: {}", printable(why));
    }
    Ok(ending.exit_code())
}

/// The model server, unless a stop was asked for while looking for it.
fn connect(runtime: &Runtime, settings: &Settings, stop: &Stop) -> Result<Option<Upstream>> {
    runtime.block_on(async {
        tokio::select! {
            () = stop.given() => Ok(None),
            upstream = upstream::connect(settings) => upstream.map(Some),
        }
    })
}

fn start(
    arguments: &RunArgs,
    layer: Layer,
    opened: Opened,
    upstream: &Upstream,
    runtime: Runtime,
    stop: Stop,
) -> Result<Agent> {
    let Opened {
        run,
        state,
        mut notices,
    } = opened;
    let live = Live::new(run.config_path(), layer);
    let settings = &live.settings;
    let size = &settings.screen;
    let (canvas, more) = Canvas::open(run.path(), size.width, size.height).map_err(Unusable::screen)?;
    notices.extend(more);
    let exchange = if settings.record.exchange_log {
        let secret = upstream.secret.clone();
        ExchangeLog::open(
            run.path(),
            ExchangeOptions {
                secret,
                ..ExchangeOptions::default()
            },
        )?
    } else {
        ExchangeLog::off()
    };

    let mut outputs = Outputs::default();
    if arguments.json {
        outputs.add("events on stdout", JsonLines::new(std::io::stdout()));
    } else {
        outputs.add("console", Console::new());
    }
    let started = Event::RunStarted(RunStarted {
        run_dir: run.path().display().to_string(),
        profile: profile::short_name(arguments.profile.as_deref().unwrap_or(profile::DEFAULT)),
        upstream: upstream.shown.clone(),
        model: upstream.model.clone(),
        screen: format!(
            "canvas {}x{}, shown to the model as {}x{}",
            size.width, size.height, settings.image.width, settings.image.height
        ),
        turn: state.turn + 1,
    });
    let notices = notices.into_iter().map(|text| Event::Notice { text });
    let mut agent = Agent::new(Parts {
        recorder: Recorder::new(run, exchange, settings.record.required),
        live,
        screen: Box::new(canvas),
        server: Server::new(upstream.client.clone(), Some(upstream.model.clone()), runtime),
        outputs,
        stop,
        state,
    });
    agent.tell_all(std::iter::once(started).chain(notices));
    Ok(agent)
}
