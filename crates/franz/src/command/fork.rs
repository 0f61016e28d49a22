//! `franz fork`: continues a run from one of its turns, as a new run.

mod dry;

use anyhow::Result;
use franz_dialect::sections;
use franz_frame::{Frame, Scaler, png};
use franz_home::{Home, LARGEST, View, shell};
use franz_record::resume::{check_is_run, check_version};
use franz_record::{Fork, ForkError, PictureName, delete_run};
use franz_screen::{Canvas, Screen as _};

use super::run;
use crate::cli::{ForkArgs, RunArgs};
use crate::config::flags::Flags;
use crate::config::key::GOAL;
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::config::resolve::{self, Approval, Resolved};
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;
use crate::config::today;
use crate::consent::Consent;
use crate::exit::Unusable;
use crate::own_settings::{self, OwnSettings};
use crate::run_location::{RunLocation, find};
use crate::screen;
use crate::terminal::{complain, say};
use crate::trusted_files;

pub(super) fn run(arguments: &ForkArgs) -> Result<u8> {
    let options = &arguments.options;
    if options.resume.is_some() {
        return Err(Unusable::usage("a fork is a new run; continue it later with franz run --resume last").into());
    }
    if arguments.dry.is_some() && !asks_only(options) {
        let message = "--dry sends the recorded request and starts no run; combine it only with --at, --upstream, --model, \
                       --family, --key-for and --wait";
        return Err(Unusable::usage(message).into());
    }
    let flags = Flags::of(options);
    let source = View::open(&find(&arguments.from, &flags)?).map_err(Unusable::usage)?;
    check_is_run(&source).map_err(Unusable::usage)?;
    check_version(&source).map_err(Unusable::usage)?;
    let fork = Fork::of(&source, arguments.at).map_err(with_code)?;
    let place = RunLocation::of(None, options.run_dir.as_deref(), &flags)?;
    // --dry performs nothing and reads replies with the tools that the recorded request offers.
    let today = match arguments.dry {
        Some(_) => Layer::default(),
        None => today::read().map_err(Unusable::usage)?,
    };
    let resolved = resolve(&source, &place, &flags, &fork, &today)?;
    if let Some(times) = arguments.dry {
        return dry::ask(&fork, &source, &resolved, arguments, times);
    }
    let home = place.prepare(&resolved)?;
    let directory = home.path().to_owned();
    let is_canvas = resolved.settings.screen.kind == ScreenKind::Canvas;
    let copied = copy(&source, home, &resolved.settings, &fork, arguments.at);
    if copied.is_err() {
        // A part of a run would count as the newest.
        let _ = own_settings::forget_around(&directory, || delete_run(&directory));
    }
    copied?;
    if !options.quiet && !options.json {
        say(&format!("fork    {} at turn {}", source.name(), arguments.at));
    }
    if !is_canvas {
        complain("the new run begins with the screen as it is now, not as it was at that turn");
    }
    let begun = run::run(
        None,
        &RunArgs {
            resume: Some(directory.clone()),
            run_dir: None,
            profile: None,
            ..options.clone()
        },
    );
    if begun.is_err() {
        complain(&format!(
            "the new run is in {}; begin it with: franz run --resume {}",
            directory.display(),
            shell::path(&directory)
        ));
    }
    begun
}

/// Copies everything up to this turn into the new run.
fn copy(source: &View, home: Home, settings: &Settings, fork: &Fork, turn: u64) -> Result<()> {
    if settings.screen.kind == ScreenKind::Canvas {
        Canvas::copy(source, &home, turn)?;
        if !shows_recorded(source, &home, settings, turn)? {
            complain(&format!(
                "the canvas does not look as it did at turn {turn}: canvas.jsonl is damaged, or the canvas size changed"
            ));
        }
    }
    let begun = fork.begin(home, settings.run_options(), sections::without_heading);
    begun.map_err(with_code)
}

/// Returns whether the new run's canvas shows what the source recorded for this turn, if that picture still exists.
fn shows_recorded(source: &View, home: &Home, settings: &Settings, turn: u64) -> Result<bool> {
    let recorded = source.read(&PictureName::plain(turn).to_string(), LARGEST);
    let Some(recorded) = recorded.ok().and_then(|bytes| png::decode(&bytes).ok()) else {
        return Ok(true);
    };
    let mut canvas = screen::canvas(settings, home)?.screen;
    let mut scaler = Scaler::new();
    let mut in_size = |frame: &Frame| scaler.scale(frame, recorded.width(), recorded.height());
    Ok(in_size(canvas.capture()?) == in_size(&recorded))
}

/// Returns whether these options only say which model to ask.
fn asks_only(options: &RunArgs) -> bool {
    let model = RunArgs {
        server: options.server.clone(),
        wait: options.wait,
        ..RunArgs::default()
    };
    *options == model
}

/// Resolves the settings of the new run: those of the source within the limits of `today`, or of another profile with
/// the source's goal, and the flags.
fn resolve(source: &View, place: &RunLocation, flags: &Flags, fork: &Fork, today: &Layer) -> Result<Resolved> {
    if flags.profile.is_some() {
        let goal = fork.line().goal.as_deref();
        return place.resolve(&flags.clone().with_goal(goal), Consent::Asked);
    }
    let mut approval = Approval {
        trusts: trusted_files::has,
        allows: &mut |file, refused| Consent::Asked.allows(file, refused),
    };
    let resolved = resolve::resumed(source, OwnSettings::of(source.path()), today, flags, &mut approval);
    let mut resolved = resolved.map_err(Unusable::usage)?;
    resolved.limits.iter().for_each(|limit| complain(limit));
    // The goal in the source's file is its last one.
    if let Some(task) = fork.task().filter(|_| resolved.given_goal.is_none()) {
        resolved.layer.insert(GOAL, task.into(), Origin::Default);
        resolved.settings = Settings::resolve(&resolved.layer);
    }
    Ok(resolved)
}

/// Reports an error as wrong usage if another start would run into it again.
fn with_code(error: ForkError) -> anyhow::Error {
    match error {
        ForkError::NoTurn { .. } | ForkError::NoStory { .. } => Unusable::usage(error).into(),
        ForkError::Read(_) | ForkError::Run(_) => error.into(),
    }
}
