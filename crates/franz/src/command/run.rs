//! `franz run`: puts a run together from settings, server, record and screen, and lets the agent go.

use anyhow::{Context, Result};
use franz_record::{Event, ExchangeLog, ExchangeOptions, JsonLines, Outputs, RunStarted, State};
use franz_screen::Canvas;
use tokio::runtime::Builder;

use crate::agent::{Agent, Memory, Parts, Recorder, Server};
use crate::cli::RunOptions;
use crate::config::live::Live;
use crate::config::profile;
use crate::config::settings::Settings;
use crate::console::Console;
use crate::exit::Unusable;
use crate::place::{Layers, Opened, Place};
use crate::stop::Stop;
use crate::terminal::complain;
use crate::upstream;

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
    let opened = place.open(&settings)?;
    let ending = start(options, layers, opened, server, stop)?.run();
    if let Some(why) = ending.error() {
        complain(why);
    }
    Ok(ending.exit_code())
}

/// A screen that this build does not have is refused before anything is made.
fn check_screen(settings: &Settings) -> Result<()> {
    match settings.screen.kind.as_str() {
        "canvas" => Ok(()),
        kind => Err(Unusable::screen(format!(
            "this version has no screen of the kind '{kind}' yet; draw on the sandbox canvas with --screen canvas"
        ))
        .into()),
    }
}

fn start(options: &RunOptions, layers: Layers, opened: Opened, server: Server, stop: Stop) -> Result<Agent> {
    let Opened {
        run,
        mut state,
        mut notices,
        unread,
    } = opened;
    let live = Live::new(run.config_path(), layers.whole, layers.own);
    let settings = &live.settings;
    let size = &settings.screen;
    let (mut canvas, more) = Canvas::open(run.path(), size.width, size.height).map_err(Unusable::screen)?;
    notices.extend(more);
    if settings.record.durable {
        canvas.make_durable();
    }
    notices.extend(catch_up(&mut state, canvas.last_turn()));
    let upstream = server.upstream();
    let exchange = if settings.record.exchange_log {
        // Also when the first server does not get the key: one to fall back on may, and may repeat it.
        let secret = upstream::secret();
        let options = ExchangeOptions {
            secret,
            ..ExchangeOptions::default()
        };
        ExchangeLog::open(run.path(), options)?
    } else {
        ExchangeLog::off()
    };

    let mut outputs = Outputs::default();
    if options.json {
        outputs.add("events on stdout", JsonLines::new(std::io::stdout()));
    } else {
        outputs.add("console", Console::new());
    }
    let started = Event::RunStarted(RunStarted {
        run_dir: run.path().display().to_string(),
        profile: shown_profile(options),
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
        memory: Memory::of(&run, settings)?,
        recorder: Recorder::new(run, exchange, settings.record.required),
        live,
        screen: Box::new(canvas),
        server,
        outputs,
        stop,
        state,
        unread,
        given_goal: layers.given_goal,
    });
    agent.tell_all(std::iter::once(started).chain(notices));
    Ok(agent)
}

/// Brings a state that lost turns up to the canvas: an action of a turn that the canvas already has would not be drawn.
fn catch_up(state: &mut State, drawn: u64) -> Option<String> {
    let recorded = state.turn;
    if drawn <= recorded.saturating_add(1) {
        return None;
    }
    state.turn = drawn;
    Some(format!(
        "the canvas is at turn {drawn}, but the records end at turn {recorded}; going on behind the canvas"
    ))
}

/// A resumed run has settings of its own, wherever they once came from.
fn shown_profile(options: &RunOptions) -> String {
    match &options.resume {
        Some(_) => "as in its config.toml".to_owned(),
        None => profile::short_name(options.profile.as_deref().unwrap_or(profile::DEFAULT)),
    }
}
