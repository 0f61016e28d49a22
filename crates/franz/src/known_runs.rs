//! The runs on this machine: those below `record.dir`, and those that the person's state folder remembers.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use franz_home::View;
use franz_panel::hub::Doing;
use franz_panel::registered_runs::{EarlierRun, RunStatus};
use franz_record::{Lock, OverviewError, RunEnd, RunOverview};
use jiff::Timestamp;

use crate::own_settings;

/// A listed run, as far as it can be read.
pub(crate) struct KnownRun {
    pub(crate) path: PathBuf,
    pub(crate) seen: Result<RunOverview, OverviewError>,
}

impl KnownRun {
    /// Looks at the run in this directory.
    pub(crate) fn at(path: PathBuf) -> KnownRun {
        let seen = RunOverview::read(&path);
        KnownRun { path, seen }
    }

    /// Returns the run's name.
    pub(crate) fn name(&self) -> String {
        let name = || self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.seen.as_ref().map_or_else(|_| name(), |seen| seen.name.clone())
    }

    /// Returns whether an agent or a panel has the run open.
    pub(crate) fn is_live(&self) -> bool {
        self.seen.as_ref().is_ok_and(|seen| seen.is_live)
    }

    /// Returns whether a panel has recorded conversations here.
    pub(crate) fn has_conversations(&self) -> bool {
        self.seen.as_ref().is_ok_and(|seen| seen.conversations.is_some())
    }

    /// Returns the run as a panel lists it.
    pub(crate) fn earlier(self) -> EarlierRun {
        let mut status = RunStatus {
            state: Doing::Stopped,
            ..RunStatus::default()
        };
        if let Ok(seen) = &self.seen {
            status.turn = seen.turns;
            status.goal = seen.goal.clone().unwrap_or_default();
            status.model = seen.model.clone().unwrap_or_default();
            status.detail = seen.end.as_ref().map(|end| end.reason.clone()).unwrap_or_default();
        }
        EarlierRun {
            name: self.name(),
            since: self.touched().map(Timestamp::as_millisecond).unwrap_or_default(),
            problem: self.seen.as_ref().err().map(ToString::to_string),
            directory: self.path,
            status,
        }
    }

    /// Returns when the run was last active, if that is known.
    pub(crate) fn touched(&self) -> Option<Timestamp> {
        self.seen.as_ref().ok()?.touched
    }
}

/// Returns all runs, the newest first; unreadable ones come last.
pub(crate) fn all(record_dir: &Path) -> Vec<KnownRun> {
    let mut runs: Vec<KnownRun> = directories(record_dir).into_iter().map(KnownRun::at).collect();
    runs.sort_by_cached_key(|run| (std::cmp::Reverse(run.touched()), run.name()));
    runs
}

/// Returns the runs in progress: first those below `record_dir`, then all others, each time the newest first.
pub(crate) fn in_progress(record_dir: &Path) -> Vec<KnownRun> {
    let goes_on = |path: &PathBuf| View::open(path).is_ok_and(|view| is_in_progress(&view));
    // Reading an overview takes long in a long run, so look at no others.
    let runs = directories(record_dir).into_iter().filter(goes_on);
    let mut runs: Vec<KnownRun> = runs.map(KnownRun::at).collect();
    let is_elsewhere = |run: &KnownRun| run.path.parent() != Some(record_dir);
    runs.sort_by_cached_key(|run| (is_elsewhere(run), std::cmp::Reverse(run.touched()), run.name()));
    runs
}

/// Returns whether a run is in progress. After its end, a dashboard that stays still has it open. An end that withdraws
/// actions stays in a resumed run until its first step.
pub(crate) fn is_in_progress(run: &View) -> bool {
    Lock::is_held(run) && RunEnd::of(run).is_none_or(|end| end.withdraws)
}

/// How many earlier runs a panel lists.
const EARLIER: usize = 200;

/// Returns the newest runs that have ended, for a panel's list.
pub(crate) fn earlier(record_dir: &Path) -> Vec<EarlierRun> {
    let ended = all(record_dir)
        .into_iter()
        .filter(|run| !run.is_live() && !run.has_conversations());
    ended.take(EARLIER).map(KnownRun::earlier).collect()
}

/// Returns the directories of all runs with this name, wherever they are.
pub(crate) fn named(name: &str) -> Vec<PathBuf> {
    let mut found = own_settings::directories();
    found.retain(|path| path.file_name().is_some_and(|own| own == name) && is_run(path));
    found
}

/// Returns the run that was active most recently, wherever it is.
pub(crate) fn newest() -> Option<PathBuf> {
    newest_of(false)
}

/// Returns the directory of the panel that was active most recently, wherever it is.
pub(crate) fn newest_panel() -> Option<PathBuf> {
    newest_of(true)
}

fn newest_of(of_panel: bool) -> Option<PathBuf> {
    let runs = own_settings::directories().into_iter().map(KnownRun::at);
    let is_wanted = |run: &KnownRun| run.seen.is_ok() && is_panel(&run.path) == of_panel;
    let newest = runs.filter(is_wanted).max_by_key(KnownRun::touched);
    newest.map(|run| run.path)
}

fn is_panel(path: &Path) -> bool {
    View::open(path).is_ok_and(|view| franz_record::resume::is_of_panel(&view))
}

fn is_run(path: &Path) -> bool {
    View::open(path).is_ok_and(|view| franz_record::resume::check_is_run(&view).is_ok())
}

fn directories(record_dir: &Path) -> Vec<PathBuf> {
    let names = View::open(record_dir).and_then(|view| view.names()).unwrap_or_default();
    let below = names
        .iter()
        .map(|name| record_dir.join(name))
        .filter(|path| path.is_dir());
    let remembered = own_settings::directories().into_iter().filter(|path| path.is_dir());
    let mut known = HashSet::new();
    let is_new = |path: &PathBuf| known.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
    below.chain(remembered).filter(is_new).collect()
}
