//! Runs a recorded run again, from its first turn to its last, in a directory of its own.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, anyhow};
use franz_dialect::sections;
use franz_home::View;
use franz_record::{Fork, Outputs, Queue, TurnLines};
use franz_screen::Canvas;
use toml::Value;

use super::recorded_facts::RecordedFacts;
use super::recorded_model::RecordedModel;
use super::recorded_run::{RecordedRun, ReplayError};
use super::recorded_screen::RecordedScreen;
use crate::agent::ModelServers;
use crate::agent_builder::AgentBuilder;
use crate::config::flags::Flags;
use crate::config::key::GOAL;
use crate::config::layer::Layer;
use crate::config::live::Granted;
use crate::config::origin::Origin;
use crate::config::resolve::{self, Approval, Resolved};
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;
use crate::event_log::EventLog;
use crate::exit::Unusable;
use crate::idiom;
use crate::own_settings::OwnSettings;
use crate::presence::Presence;
use crate::run_location::{self, RunLocation, claimed};
use crate::screen::Prepared;
use crate::stop::{Ending, Stop};
use crate::trusted_files;
use crate::upstream::Upstream;

/// The key that limits the turns of an invocation.
const MAX_TURNS: &str = "loop.max_turns";

/// The key for the directory of new runs.
const RECORD_DIR: &str = "record.dir";

/// A recorded run that is about to run again.
pub(crate) struct Rerun {
    run: Arc<RecordedRun>,
    resolved: Resolved,
    place: RunLocation,
    /// How many turns of a desktop have lost their picture.
    lost: Arc<AtomicU64>,
}

impl Rerun {
    /// Prepares to replay the run in `view` from turn `from`, or from its own first turn, into `run_dir`. Fails if the
    /// record does not allow that.
    pub(crate) fn of(view: &View, from: Option<u64>, run_dir: Option<&Path>, flags: &Flags) -> Result<Rerun> {
        let run = RecordedRun::read(view, from).map_err(with_code)?;
        let place = RunLocation::of(None, run_dir, flags)?;
        let resolved = resolved(view, flags)?;
        let settings = &resolved.settings;
        let run = run.with(
            settings.screen.kind == ScreenKind::Canvas,
            settings.grounder.upstream.is_some(),
        );
        // The goal in the run's file is its last one.
        let resolved = with(resolved, [(GOAL, run.first_goal().into())]);
        Ok(Rerun {
            run: Arc::new(run),
            resolved,
            place,
            lost: Arc::default(),
        })
    }

    /// Replays all turns. Returns the directory of the new run and how the replay ended.
    pub(crate) fn to_end(&self, stop: &Stop) -> Result<(View, Ending)> {
        stop.hurry();
        let mut place = self.begin()?;
        let mut done = self.run.first() - 1;
        loop {
            let (view, ending) = self.invoke(&place, done, stop)?;
            let newest = newest(&view)?;
            let is_over = newest >= self.run.last() || newest <= done || stop.ending().is_some();
            if is_over || matches!(ending, Ending::RecordFailed(_) | Ending::ScreenGone(_)) {
                return Ok((view, ending));
            }
            // The run had ended here, too, and was resumed.
            done = newest;
            place = RunLocation::Resumed(claimed(view.path())?);
        }
    }

    /// Returns whether the new run in `view` has all turns of the record.
    pub(crate) fn is_complete(&self, view: &View) -> Result<bool> {
        Ok(newest(view)? >= self.run.last())
    }

    /// Creates the new run's directory. If it does not begin with the run's first turn, gives it the state of the run
    /// before that turn.
    fn begin(&self) -> Result<RunLocation> {
        let home = self.place.prepare(&self.resolved)?;
        let first = self.run.first();
        if first > 1 {
            let source = self.run.view();
            if self.run.is_canvas() {
                Canvas::copy(source, &home, first)?;
            }
            let options = self.resolved.settings.run_options();
            Fork::of(source, first)?.begin(home.clone(), options, sections::without_heading)?;
        }
        Ok(RunLocation::Resumed(home))
    }

    /// Runs turns after `done` until the run ends. Returns its directory and how it ended.
    fn invoke(&self, place: &RunLocation, done: u64, stop: &Stop) -> Result<(View, Ending)> {
        let turns = i64::try_from(self.run.last() - done).unwrap_or(i64::MAX);
        // The file of the new run keeps its own limit.
        let resolved = with(copied(&self.resolved), [(MAX_TURNS, turns.into())]);
        let settings = &resolved.settings;
        self.run.begin(done + 1);
        let shown = format!("the record of {}", self.run.name());
        let upstream = Upstream::of_record(shown, self.run.candidate(), settings)?;
        let picture = idiom::picture(settings, &upstream)?;
        let opened = place.open(&resolved)?;
        let view = View::clone(opened.run.home());
        let prepared = if self.run.is_canvas() {
            None
        } else {
            let screen = RecordedScreen::new(Arc::clone(&self.run), picture, Arc::clone(&self.lost))?;
            Some(Prepared::Recorded(Box::new(screen)))
        };
        let recorded = RecordedModel::new(Arc::clone(&self.run), stop.clone());
        let builder = AgentBuilder {
            server: ModelServers::of_record(upstream, recorded, settings)?,
            grounder: None,
            opened,
            outputs: outputs()?,
            stop: stop.clone(),
            profile: self.run.name(),
            logs_exchanges: true,
            prepared,
            resumable: false,
            presence: Presence::new(false, false),
            first: None,
            granted: Granted::default(),
            key: None,
            facts: RecordedFacts::of(&self.run),
            resolved,
        };
        Ok((view, builder.run_quietly()?))
    }
}

impl fmt::Display for Rerun {
    /// Prints the result of a complete replay.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turns = self.run.last() + 1 - self.run.first();
        let turns = if turns == 1 {
            "1 turn".to_owned()
        } else {
            format!("{turns} turns")
        };
        write!(f, "{turns} replayed: every request equal")?;
        if self.run.is_canvas() {
            return f.write_str(", every picture equal to the byte");
        }
        f.write_str("; nothing was performed, and the pictures are the recorded ones")?;
        match self.lost.load(Ordering::Relaxed) {
            0 => Ok(()),
            1 => f.write_str(", except one that is no longer stored: a black one stood in for it"),
            lost => write!(
                f,
                ", except {lost} that are no longer stored: black ones stood in for them"
            ),
        }
    }
}

/// Returns the settings of the run in `view`, and where the person keeps runs. A file of unknown origin may set anything,
/// because nothing is started, opened or asked; but it gives the new run no permissions for later.
fn resolved(view: &View, flags: &Flags) -> Result<Resolved> {
    let kept = OwnSettings::of(view.path());
    let is_strange = kept.is_none();
    let mut approval = Approval {
        trusts: trusted_files::has,
        allows: &mut |_, _| true,
    };
    // Limits that came later would change requests that are to be repeated.
    let today = Layer::default();
    let mut resolved = resolve::resumed(view, kept, &today, flags, &mut approval).map_err(Unusable::usage)?;
    if is_strange {
        resolved.bounds = resolve::bounds(&Layer::defaults());
    }
    // The new run has a file of its own.
    resolved.file = None;
    let own = run_location::shown(flags)?;
    Ok(with(resolved, [(RECORD_DIR, own.record.dir.into())]))
}

/// Returns the settings with these values.
fn with<const N: usize>(mut resolved: Resolved, values: [(&str, Value); N]) -> Resolved {
    for (name, value) in values {
        resolved.layer.insert(name, value, Origin::Default);
    }
    resolved.settings = Settings::resolve(&resolved.layer);
    resolved
}

fn copied(resolved: &Resolved) -> Resolved {
    Resolved {
        settings: resolved.settings.clone(),
        layer: resolved.layer.clone(),
        bounds: resolved.bounds.clone(),
        file: None,
        flags: Layer::default(),
        given_goal: None,
        notices: resolved.notices.clone(),
        limits: Vec::new(),
    }
}

/// Returns the log on stderr, if the person wants it.
fn outputs() -> Result<Outputs> {
    let mut outputs = Outputs::default();
    if tracing::enabled!(tracing::Level::INFO) {
        outputs.add("log", Queue::new(EventLog::new())?);
    }
    Ok(outputs)
}

/// Returns the last turn of the run in `view`, or 0.
fn newest(view: &View) -> Result<u64> {
    let (turns, _) = TurnLines::newest(view, 1)?;
    Ok(turns.last().map_or(0, |line| line.turn))
}

/// Attaches the exit code to an error about the record.
fn with_code(error: ReplayError) -> anyhow::Error {
    match error {
        ReplayError::NotRecorded { .. } => Unusable::server(error).into(),
        ReplayError::Disk(_) => anyhow!(error),
        _ => Unusable::usage(error).into(),
    }
}
