//! Where a run is on disk, whether new or resumed, and the settings found there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use franz_home::{ClaimError, Home, View};
use franz_record::resume::{CONFIG_FILE, Source, check_is_run, check_version};
use franz_record::{
    AGENT_LOCK, DirectoryError, Lock, LockError, PANEL_LOCK, ResumeError, Resumed, Run, RunError, RunOptions, RunState,
    Status, TurnLine, Unwanted, create_directory, last_panel, last_run,
};

use crate::config::flags::Flags;
use crate::config::resolve::{self, Approval, Resolved};
use crate::config::settings::{PanelSettings, Settings};
use crate::config::today;
use crate::consent::Consent;
use crate::exit::Unusable;
use crate::known_runs;
use crate::own_settings::OwnSettings;
use crate::terminal::complain;
use crate::trusted_files;

/// How long to wait for a killed panel's agent to release its run. The agent ends within two seconds once it notices, but
/// a busy machine can let it notice late.
pub(crate) const RELEASE: Duration = Duration::from_secs(6);

/// The directory of a run.
pub(crate) enum RunLocation {
    /// A new run, in the directory with this name or in one that FRANZ names.
    New(Option<PathBuf>),
    /// A resumed run.
    Resumed(Home),
}

/// A run that is open for writing.
pub(crate) struct Opened {
    pub(crate) run: Run,
    pub(crate) state: RunState,
    /// Messages to the person about the state in which the run was found.
    pub(crate) notices: Vec<String>,
    /// The last turn, if its reply still has to be read for its mode and goal.
    pub(crate) unread: Option<TurnLine>,
    /// The reason why the last reply's actions must not be performed, if there is one.
    pub(crate) unwanted: Option<Unwanted>,
}

impl RunLocation {
    /// Returns the location that `--resume` or `--run-dir` names. Refuses an unusable directory before anything else
    /// happens.
    pub(crate) fn of(resume: Option<&Path>, run_dir: Option<&Path>, flags: &Flags) -> Result<RunLocation> {
        match (resume, run_dir) {
            (Some(named), _) => {
                let advice = "put a goal after it: franz run --resume last \"Draw a hat\"";
                let directory = find_or_advise(named, flags, advice)?;
                let home = claimed(&directory)?;
                // The settings of a newer version might not even be readable, so check this before they are read.
                check_version(&home).map_err(|error| with_code(error.into()))?;
                Ok(RunLocation::Resumed(home))
            }
            (None, Some(directory)) if holds_something(directory) => {
                let directory = directory.to_owned();
                Err(Unusable::usage(DirectoryError::Exists { directory }).into())
            }
            (None, directory) => Ok(RunLocation::New(directory.map(Path::to_owned))),
        }
    }

    /// Returns the location of a panel. Here, `last` is the newest panel.
    pub(crate) fn of_panel(resume: Option<&Path>, run_dir: Option<&Path>, flags: &Flags) -> Result<RunLocation> {
        if !resume.is_some_and(|named| named == Path::new("last") && !named.is_dir()) {
            return RunLocation::of(resume, run_dir, flags);
        }
        let runs = shown(flags)?.record.dir;
        let newest = last_panel(Path::new(&runs)).or_else(known_runs::newest_panel);
        let none = || Unusable::usage(format!("no panel to continue in {runs}; start one with: franz panel"));
        RunLocation::of(Some(&newest.ok_or_else(none)?), run_dir, flags)
    }

    /// Resolves the run's settings, and checks them for contradictions.
    pub(crate) fn resolve(&self, flags: &Flags, consent: Consent) -> Result<Resolved> {
        let mut approval = Approval {
            trusts: trusted_files::has,
            allows: &mut |file, refused| consent.allows(file, refused),
        };
        let resolved = match self {
            RunLocation::New(_) => resolve::new_run(flags, &mut approval),
            RunLocation::Resumed(home) => {
                let (kept, today) = (OwnSettings::of(home.path()), today::read().map_err(Unusable::usage)?);
                resolve::resumed(home, kept, &today, flags, &mut approval)
            }
        };
        let resolved = resolved.map_err(Unusable::usage)?;
        resolved.limits.iter().for_each(|limit| complain(limit));
        Ok(resolved)
    }

    /// Returns the directory of a resumed run.
    pub(crate) fn existing(&self) -> Option<&View> {
        match self {
            RunLocation::New(_) => None,
            RunLocation::Resumed(directory) => Some(directory),
        }
    }

    /// Creates the run's directory with its settings for an agent that will open it, or uses the existing one.
    pub(crate) fn prepare(&self, resolved: &Resolved) -> Result<Home> {
        let settings = &resolved.settings;
        match self {
            RunLocation::New(directory) => {
                let made = create_directory(directory.as_deref(), Path::new(&settings.record.dir));
                let made = made.map_err(|error| with_code(error.into()))?;
                let own = OwnSettings::new(made.path(), resolved.bounds.clone());
                let notice = own.keep_around(|| {
                    let text = settings.to_toml()?;
                    Ok(made.replace(CONFIG_FILE, text.as_bytes(), settings.is_durable())?)
                })?;
                if let Some(notice) = notice {
                    complain(&notice);
                }
                Ok(made)
            }
            RunLocation::Resumed(directory) => {
                check_is_run(directory).map_err(|error| with_code(error.into()))?;
                Ok(directory.clone())
            }
        }
    }

    /// Refuses to resume a run that a panel controls, even while that panel's agent is dead. Returns the panel's lock,
    /// which keeps panels out until the run is open.
    pub(crate) fn without_panel(&self) -> Result<Option<Lock>> {
        let RunLocation::Resumed(directory) = self else {
            return Ok(None);
        };
        check_is_run(directory).map_err(|error| with_code(error.into()))?;
        // A living agent is the better reason to give, so check for one first.
        let agents = Lock::acquire(directory, AGENT_LOCK);
        let panels = agents.and_then(|_free| Lock::acquire(directory, PANEL_LOCK));
        Ok(Some(panels.map_err(|error| with_code(error.into()))?))
    }

    /// Creates the run's directory with its settings, or opens the existing one.
    pub(crate) fn open(&self, resolved: &Resolved) -> Result<Opened> {
        let settings = &resolved.settings;
        let options = settings.run_options();
        match self {
            RunLocation::New(directory) => {
                let created = Run::create(directory.as_deref(), Path::new(&settings.record.dir), options);
                let (run, state) = created.map_err(with_code)?;
                let own = OwnSettings::new(run.path(), resolved.bounds.clone());
                let notice = own.keep_around(|| Ok(run.write_config(&settings.to_toml()?)?))?;
                Ok(Opened {
                    run,
                    state,
                    notices: notice.into_iter().collect(),
                    unread: None,
                    unwanted: None,
                })
            }
            RunLocation::Resumed(directory) => {
                let (run, resumed) = Run::open(directory.clone(), options).map_err(with_code)?;
                let Resumed {
                    state,
                    last_turn,
                    source,
                    unwanted,
                    mut notices,
                } = resumed;
                notices.extend(resolved.notices.iter().cloned());
                let answered = last_turn.filter(|line| line.status == Status::Ok);
                Ok(Opened {
                    run,
                    state,
                    notices,
                    unread: answered.filter(|_| source == Source::TurnLine),
                    unwanted,
                })
            }
        }
    }
}

fn holds_something(directory: &Path) -> bool {
    std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some())
}

/// Claims the directory for this user.
pub(crate) fn claimed(directory: &Path) -> Result<Home> {
    let home = Home::claim(directory).map_err(|error| with_code(error.into()))?;
    home.notices().iter().for_each(|notice| complain(notice));
    Ok(home)
}

/// Finds a run's directory by path or name, or the latest one for `last`. Runs below `record.dir` take precedence over
/// others.
pub(crate) fn find(named: &Path, flags: &Flags) -> Result<PathBuf> {
    Ok(found(named, flags)?.ok_or_else(|| unknown(named))?)
}

/// Works like [`find`], and ends the error about a missing run with this advice.
pub(crate) fn find_or_advise(named: &Path, flags: &Flags, advice: &str) -> Result<PathBuf> {
    let advised = || Unusable::usage(format!("{}; {advice}", unknown(named)));
    Ok(found(named, flags)?.ok_or_else(advised)?)
}

fn unknown(named: &Path) -> Unusable {
    Unusable::usage(format!(
        "there is no run {}; name its directory, or use last (franz runs lists all runs)",
        named.display()
    ))
}

/// Finds a run's directory; returns `None` if no run has this name.
fn found(named: &Path, flags: &Flags) -> Result<Option<PathBuf>> {
    if named.is_dir() {
        return Ok(Some(named.to_owned()));
    }
    let settings = shown(flags)?;
    let runs = Path::new(&settings.record.dir);
    if named == Path::new("last") {
        let none = || {
            Unusable::usage(format!(
                "no run to continue in {}; start one with: franz run",
                runs.display()
            ))
        };
        return Ok(Some(last_run(runs).or_else(known_runs::newest).ok_or_else(none)?));
    }
    let directory = runs.join(named);
    if directory.is_dir() {
        return Ok(Some(directory));
    }
    let elsewhere = named.to_str().map(known_runs::named).unwrap_or_default();
    match elsewhere.as_slice() {
        [one] => Ok(Some(one.clone())),
        [] => Ok(None),
        several => {
            let several: Vec<String> = several.iter().map(|path| path.display().to_string()).collect();
            let several = several.join(" and ");
            Err(Unusable::usage(format!(
                "several runs have that name; give the directory of one: {several}"
            ))
            .into())
        }
    }
}

/// Finds a recorded run by path or name, or the latest one for `last`. Returns it with the settings of a panel that
/// shows it.
pub(crate) fn recorded(named: &Path, flags: &Flags) -> Result<(View, PanelSettings)> {
    let view = recorded_in(&find(named, flags)?)?;
    let settings = shown(flags)?;
    Ok((view, settings.panel))
}

/// Opens the recorded run in this directory.
pub(crate) fn recorded_in(directory: &Path) -> Result<View> {
    let view = View::open(directory).map_err(Unusable::usage)?;
    check_is_run(&view).map_err(Unusable::usage)?;
    Ok(view)
}

/// Returns the settings for a command that only finds or shows a run.
pub(crate) fn shown(flags: &Flags) -> Result<Settings> {
    Ok(resolve::shown(flags, trusted_files::has).map_err(Unusable::usage)?)
}

/// Checks whether a run could not be opened because another agent is using it.
pub(crate) fn is_in_use(error: &anyhow::Error) -> bool {
    let unusable = error.downcast_ref::<Unusable>();
    let cause = unusable.and_then(|unusable| unusable.cause().downcast_ref());
    matches!(cause, Some(RunError::Lock(LockError::Held { .. })))
}

/// Reports an error as wrong usage if another start would run into it again.
pub(crate) fn with_code(error: RunError) -> anyhow::Error {
    match error {
        RunError::Claim(ClaimError::Disk(_)) | RunError::Directory(DirectoryError::Claim(ClaimError::Disk(_))) => {
            error.into()
        }
        RunError::Claim(_)
        | RunError::Directory(
            DirectoryError::Exists { .. } | DirectoryError::NoDirectory { .. } | DirectoryError::Claim(_),
        )
        | RunError::Lock(LockError::Held { .. })
        | RunError::Resume(ResumeError::NotARun { .. } | ResumeError::Newer { .. } | ResumeError::Unusable { .. }) => {
            Unusable::usage(error).into()
        }
        other => other.into(),
    }
}

impl Settings {
    /// Returns how the run is recorded.
    pub(crate) fn run_options(&self) -> RunOptions {
        RunOptions {
            batch: self.record.batch,
            durable: self.is_durable(),
            keep_pictures: self.record.keep_pictures,
        }
    }
}
