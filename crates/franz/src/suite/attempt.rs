//! One attempt: a fresh home, a run, a check.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_suite::archive;
use franz_suite::results::{KEPT_FILE, PLAYER_FILE, Publication};
use franz_suite::suite::TaskScreen;
use franz_suite::{
    AttemptResult, PlannedAttempt, RecordedOutcome, ResultStore, RunFigures, StoreError, Suite, SuiteModel, SuiteTask,
};

use super::allowed_plan::AllowedPlan;
use super::check::{CHECKED, Check};
use super::live_check::LIVE;
use super::loaded_models::LoadedModels;
use super::play::{ANSWER_FILE, ERRORS, Play, Printed, RECORD};
use super::played_run::PlayedRun;
use super::process::{self, HowEnded};
use super::sandbox::SuiteSandbox;
use super::scratch::{self, Scratch, make};
use super::versions::Versions;
use super::{figures, home, rules};
use crate::cli::suite::KeptAttempts;
use crate::export::{Recording, Redaction, Unfinished, html};
use crate::stop::Stop;
use crate::terminal::complain;

/// The most text kept of a check's output, and of a run's answer and errors.
const PRINTED: u64 = 4 << 10;
const SAID: u64 = 64 << 10;

/// How often an attempt may be cut off before that is its result.
const CUTS: u32 = 3;

/// The context shared by all attempts of a process.
pub(crate) struct Workshop<'a> {
    pub(crate) store: &'a ResultStore,
    pub(crate) plan: &'a AllowedPlan,
    pub(crate) suite: &'a Suite,
    /// The folder with the suite's files, on this machine.
    pub(crate) files: &'a Path,
    pub(crate) sandbox: &'a SuiteSandbox,
    pub(crate) scratch: &'a Scratch,
    pub(crate) stop: &'a Stop,
    pub(crate) keep: KeptAttempts,
    /// The FRANZ executable.
    pub(crate) executable: &'a Path,
    /// The identity of this process, with the number of attempts that it runs at the same time.
    pub(crate) job: &'a str,
    pub(crate) versions: &'a Versions,
    pub(crate) loaded: &'a LoadedModels,
}

/// What an attempt came to.
pub(crate) enum Played {
    /// Its result.
    Result(Box<AttemptResult>),
    /// A failure that says nothing about the model or the task, with the reason.
    Failed(String),
    /// The run lost its screen or was killed, for this reason, although desktops start on this machine; another try
    /// follows.
    CutOff(String),
    /// The attempt was skipped for this reason: a program is missing.
    Skipped(String),
    /// The person stops the suite.
    Stopped,
    /// No attempt like this one can run, with the reason.
    Unusable(String),
}

impl Workshop<'_> {
    /// Plays an attempt and publishes its outcome.
    pub(crate) fn play(&self, planned: &PlannedAttempt) -> Result<Played> {
        for _ in 1..CUTS {
            match self.play_once(planned, false)? {
                Played::CutOff(why) => complain(&format!(
                    "attempt {} ({}, {}) starts over: {why}",
                    planned.attempt, planned.task, planned.model
                )),
                played => return Ok(played),
            }
        }
        self.play_once(planned, true)
    }

    /// Plays an attempt once. If `is_last`, being cut off counts as its result.
    fn play_once(&self, planned: &PlannedAttempt, is_last: bool) -> Result<Played> {
        let id = crate::random()?;
        let id = id.get(..12).unwrap_or(&id);
        let folder = self.scratch.make(&format!("{}-{id}", planned.attempt));
        let played = folder.map_err(anyhow::Error::from).and_then(|folder| {
            let played = Try {
                shop: self,
                planned,
                id,
                folder: &folder,
                is_last,
            }
            .play();
            scratch::remove(&folder);
            played
        });
        if let Err(error) = &played {
            self.publish_error(planned, id, error);
        }
        played
    }

    /// Publishes a try that an error ended as a failure, so that the report counts it.
    fn publish_error(&self, planned: &PlannedAttempt, id: &str, error: &anyhow::Error) {
        let why = format!("{error:#}");
        if let Ok(empty) = self.empty_folder() {
            let _ = self.store.publish_failure(planned.attempt, id, &why, &empty);
        }
    }

    /// Returns an empty folder, for a try that keeps no files.
    fn empty_folder(&self) -> Result<PathBuf> {
        let folder = self.scratch.folder().join("nothing");
        make(&folder)?;
        Ok(folder)
    }

    /// Returns the first missing program that the task needs.
    fn missing<'t>(&self, task: &'t SuiteTask) -> Option<&'t str> {
        let mut needs = task.needs.iter().map(String::as_str);
        needs.find(|program| self.sandbox.find(program).is_none())
    }
}

/// A try at an attempt.
struct Try<'a> {
    shop: &'a Workshop<'a>,
    planned: &'a PlannedAttempt,
    id: &'a str,
    /// The folder for everything about it.
    folder: &'a Path,
    /// Whether being cut off counts as the attempt's result.
    is_last: bool,
}

impl Try<'_> {
    fn play(&self) -> Result<Played> {
        let shop = self.shop;
        let (Some(task), Some(model)) = (shop.suite.task(&self.planned.task), self.model()) else {
            return Ok(Played::Unusable(format!("the suite has no task {}", self.planned.task)));
        };
        if let Some(program) = shop.missing(task) {
            shop.store
                .publish_skip(self.planned.attempt, program, &shop.empty_folder()?, self.id)?;
            return Ok(Played::Skipped(format!("{program} is not installed")));
        }
        let server = match server(model) {
            Ok(server) => server,
            Err(why) => return self.fail(why),
        };
        shop.loaded.load(model, &server, shop.stop);
        if shop.stop.ending().is_some() {
            return Ok(Played::Stopped);
        }
        let home = self.folder.join(HOME);
        fresh_home(task, shop.files, &home)?;
        let play = Play {
            sandbox: shop.sandbox,
            stop: shop.stop,
            executable: shop.executable,
            suite: shop.files,
            task,
            model,
            server: &server,
            profile: &self.planned.profile,
            max_turns: task.max_turns,
            seed: self.planned.seed,
            folder: self.folder,
        };
        let start = match play.start(&home)? {
            Printed::Text(start) => start,
            Printed::Stopped => return Ok(Played::Stopped),
            Printed::Failed(why) => return self.fault(why),
        };
        let ended = play.run(&home, &start)?;
        let exit = match ended.how {
            HowEnded::Stopped => return Ok(Played::Stopped),
            HowEnded::TooLate | HowEnded::TooMany | HowEnded::TooMuch => None,
            HowEnded::Exited(code) => Some(code),
        };
        let errors = process::tail(&self.folder.join(ERRORS), PRINTED);
        let (what, why) = match PlayedRun::of(exit, figures::end(&self.record()).as_ref(), &errors, model) {
            PlayedRun::Complete => return self.check(task, &home, self.figures(exit, ended.seconds)),
            PlayedRun::Refused(why) => return self.fault(why),
            PlayedRun::Failed(why) => return self.fail(why),
            PlayedRun::Killed(_) if play.stop.ending().is_some() => return Ok(Played::Stopped),
            // On a canvas, there is no program that can have killed it.
            PlayedRun::Killed(why) if task.screen == TaskScreen::Canvas => return self.fail(why),
            PlayedRun::Killed(why) => ("the run was killed", why),
            PlayedRun::LostScreen(why) => ("the screen was lost", why),
        };
        let run = self.figures(exit, ended.seconds);
        self.cut_off(&play, run, what, why)
    }

    /// Reads what the run did, with the model's final answer.
    fn figures(&self, exit: Option<u8>, seconds: f64) -> RunFigures {
        let mut run = figures::of(&self.record(), exit, seconds);
        let answer = process::tail(&self.folder.join(ANSWER_FILE), SAID);
        run.answer = Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty());
        run
    }

    /// Ends an attempt that programs on its desktop can have cut off. If no desktop starts on this machine, that is a
    /// failure. Otherwise, after the last try, it counts against the model if it has taken a turn, or else against the task.
    fn cut_off(&self, play: &Play<'_>, run: RunFigures, what: &str, why: String) -> Result<Played> {
        if run.turns == 0 && !play.starts_a_desktop()? {
            return self.fail(why);
        }
        if !self.is_last {
            self.fail(why.clone())?;
            return Ok(Played::CutOff(why));
        }
        let why = format!("{what} {CUTS} times: {why}");
        if run.turns == 0 {
            return self.fault(why);
        }
        self.publish(AttemptResult {
            why,
            run: Some(run),
            ..self.result()
        })
    }

    /// Publishes a fault of the task.
    fn fault(&self, why: String) -> Result<Played> {
        self.publish(AttemptResult {
            outcome: RecordedOutcome::Fault,
            why,
            ..self.result()
        })
    }

    fn model(&self) -> Option<&SuiteModel> {
        let models = &self.shop.plan.header.models;
        models.iter().find(|model| model.name == self.planned.model)
    }

    fn record(&self) -> PathBuf {
        self.folder.join(RECORD)
    }

    /// Checks whether the task is solved, and publishes the result.
    fn check(&self, task: &SuiteTask, home: &Path, run: RunFigures) -> Result<Played> {
        let shop = self.shop;
        let check = Check {
            sandbox: shop.sandbox,
            stop: shop.stop,
            suite: shop.files,
            task,
            seed: self.planned.seed,
        };
        let Some(checked) = check.run(home, Some(&self.record()), self.folder, self.folder)? else {
            return Ok(Played::Stopped);
        };
        let result = AttemptResult {
            outcome: checked.outcome,
            score: checked.score,
            why: checked.why,
            run: Some(run),
            check: Some(checked.report),
            ..self.result()
        };
        self.publish(result)
    }

    fn result(&self) -> AttemptResult {
        AttemptResult {
            v: AttemptResult::VERSION,
            plan: self.shop.store.plan_digest().clone(),
            attempt: self.planned.clone(),
            r#try: self.id.to_owned(),
            outcome: RecordedOutcome::Unsolved,
            score: 0.0,
            why: String::new(),
            run: None,
            check: None,
            isolated: self.shop.sandbox.is_isolated(),
            versions: self.versions(),
            host: host(),
            job: self.shop.job.to_owned(),
        }
    }

    /// Returns the versions of the programs involved and of the model's server.
    fn versions(&self) -> BTreeMap<String, String> {
        let mut versions = self.shop.versions.all();
        let server = self.shop.loaded.server_of(&self.planned.model);
        versions.extend(server.map(|server| (format!("server {}", self.planned.model), server)));
        versions
    }

    fn publish(&self, result: AttemptResult) -> Result<Played> {
        let keeps = match self.shop.keep {
            KeptAttempts::All | KeptAttempts::Ends => true,
            KeptAttempts::Failed => result.outcome != RecordedOutcome::Solved,
            KeptAttempts::None => false,
        };
        let store = self.shop.store;
        let publication = self.publish_with(keeps, |prepared| store.publish(&result, prepared))?;
        let earlier = match publication {
            Publication::First => None,
            // Another process was faster, and only its result counts.
            Publication::Duplicate => store.result(self.planned.attempt).ok().flatten(),
        };
        Ok(Played::Result(Box::new(earlier.unwrap_or(result))))
    }

    fn fail(&self, why: String) -> Result<Played> {
        let keeps = self.shop.keep != KeptAttempts::None;
        let attempt = self.planned.attempt;
        self.publish_with(keeps, |prepared| {
            self.shop.store.publish_failure(attempt, self.id, &why, prepared)
        })?;
        Ok(Played::Failed(why))
    }

    /// Publishes with the files to keep, or without them if they cannot be written. Otherwise, a full disk would lose only
    /// unsolved attempts, because only those keep files.
    fn publish_with<T>(&self, keeps: bool, publish: impl Fn(&Path) -> Result<T, StoreError>) -> Result<T> {
        if keeps && self.record().exists() {
            let kept = self.prepare().and_then(|prepared| Ok(publish(&prepared)?));
            let error = match kept {
                Ok(published) => return Ok(published),
                Err(error) => error,
            };
            complain(&format!(
                "attempt {} ({}, {}): its record and home are not kept: {error:#}",
                self.planned.attempt, self.planned.task, self.planned.model
            ));
        }
        Ok(publish(&self.shop.empty_folder()?)?)
    }

    /// Prepares the folder to publish: an archive of this try's files, and the page that plays its run. A record that
    /// cannot be shown is still kept.
    #[expect(clippy::disallowed_methods, reason = "files of attempts belong to no run")]
    fn prepare(&self) -> Result<PathBuf> {
        let prepared = self.folder.join("prepared");
        make(&prepared)?;
        let kept = self.folder.join("kept");
        make(&kept)?;
        for name in [ANSWER_FILE, ERRORS, CHECKED, LIVE] {
            let (from, to) = (self.folder.join(name), kept.join(name));
            if from.exists() {
                fs::write(&to, process::tail(&from, SAID))?;
            }
        }
        if self.shop.keep == KeptAttempts::Ends {
            keep_ends(&self.record())?;
        }
        let _ = self.player(&prepared.join(PLAYER_FILE));
        home::copy(&self.record(), &kept.join(RECORD))?;
        let copy = kept.join(HOME);
        let copied = home::copy(&self.folder.join(HOME), &copy);
        if copied.is_err() || archive::check(&copy).is_err() {
            // Checking an incomplete home later would give a wrong verdict.
            scratch::remove(&copy);
        }
        archive::pack(&kept, &prepared.join(KEPT_FILE))?;
        Ok(prepared)
    }

    /// Writes the page that plays the run.
    fn player(&self, file: &Path) -> Result<()> {
        let view = franz_home::View::open(&self.record())?;
        let turns = "1..".parse().map_err(anyhow::Error::msg)?;
        let recording = Recording::of(&view, turns, franz_secret::Secret::default(), Redaction::default())?;
        if recording.turns().is_empty() {
            return Ok(());
        }
        html(&recording, Unfinished::beside(file, true, &view)?)
    }
}

/// The home of an attempt's programs.
pub(crate) const HOME: &str = "home";

/// Makes the home of an attempt.
pub(crate) fn fresh_home(task: &SuiteTask, suite: &Path, home: &Path) -> Result<()> {
    make(home)?;
    if let Some(files) = &task.files {
        franz_suite::folder::copy(&suite.join(files), home)?;
    }
    Ok(())
}

/// Returns the address of a model's server.
pub(super) fn server(model: &SuiteModel) -> Result<String, String> {
    let Some(path) = &model.upstream_file else {
        return Ok(model.upstream.clone().unwrap_or_default());
    };
    let failed =
        |why: &dyn std::fmt::Display| format!("{}, which names the server of {}: {why}", path.display(), model.name);
    let bytes = franz_suite::folder::read(path, 4096).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    match text.trim() {
        "" => Err(failed(&"it is empty")),
        address if address.contains("://") => Ok(address.to_owned()),
        address => Ok(format!("http://{address}")),
    }
    .and_then(|address| {
        rules::server(&address)
            .map(|()| address)
            .map_err(|error| failed(&error))
    })
}

/// Removes all pictures of a run but the first and the last.
#[expect(
    clippy::disallowed_methods,
    reason = "the run has ended, and this is its scratch copy"
)]
fn keep_ends(run: &Path) -> io::Result<()> {
    let mut pictures: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(run)?.flatten() {
        let name = entry.file_name();
        let turn = name.to_str().and_then(|name| name.strip_prefix("turn_"));
        let turn = turn.filter(|name| Path::new(name).extension().is_some_and(|end| end == "png"));
        let turn = turn.and_then(|name| name.split('.').next()?.parse().ok());
        pictures.extend(turn.map(|turn| (turn, entry.path())));
    }
    let (first, last) = (
        pictures.iter().map(|one| one.0).min(),
        pictures.iter().map(|one| one.0).max(),
    );
    for (turn, path) in pictures {
        if Some(turn) != first && Some(turn) != last {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Returns the name of this machine.
fn host() -> String {
    #[cfg(unix)]
    return rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
