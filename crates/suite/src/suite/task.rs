//! A task of a suite.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::source::Source;
use super::{Name, SuiteError, SuiteRules};
use crate::folder;

/// Turns that an attempt may take if the task does not say.
const TURNS: u64 = 30;

/// Seconds that a run may take if the task does not say.
const RUN_S: f64 = 1800.0;

/// Seconds that a check may take if the task does not say.
const CHECK_S: f64 = 60.0;

/// The longest time that a task may ask for, a day.
const DAY_S: f64 = 86_400.0;

/// The most bytes of a goal, and of all commands of `start`. A run gets each of them as a word of its command line, which
/// has 128 kB at most, and `start` with escapes.
const LONGEST_GOAL: usize = 100_000;
const LONGEST_START: usize = 20_000;

/// The most bytes of a live check, which is a word of a command line, too.
pub const LONGEST_LIVE_CHECK: u64 = 100_000;

/// What a model should do, on which screen, and how to find out whether it did.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteTask {
    /// The task's name.
    pub name: Name,
    /// What the model is told to do.
    pub goal: String,
    /// The screen.
    pub screen: TaskScreen,
    /// The commands to start on a private desktop, or those that print what a canvas shows at the start.
    pub start: Vec<String>,
    /// The folder that is copied into the fresh home.
    pub files: Option<String>,
    /// The script that decides whether the task is solved.
    pub check: String,
    /// The script that must accept the screen before the programs end.
    pub check_live: Option<String>,
    /// The script that solves the task, or a `.jsonl` file with the replies of a model that does.
    pub solve: Option<String>,
    /// The most turns that a run may take.
    pub max_turns: u64,
    /// The most seconds that a run may take.
    pub run_s: f64,
    /// The most seconds that the check may take.
    pub check_s: f64,
    /// Words by which `--tag` chooses tasks.
    pub tags: Vec<Name>,
    /// Programs that the task needs.
    pub needs: Vec<String>,
    /// Programs that only `solve` needs.
    pub solve_needs: Vec<String>,
    /// Settings of its runs, by key.
    pub set: toml::Table,
}

/// The kind of screen on which a task is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskScreen {
    /// FRANZ's own sandbox.
    Canvas,
    /// A private desktop.
    Virtual,
}

impl TaskScreen {
    /// Returns the screen's name, as `--screen` takes it.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskScreen::Canvas => "canvas",
            TaskScreen::Virtual => "virtual",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTask {
    pub(super) name: Spanned<String>,
    goal: Spanned<String>,
    screen: TaskScreen,
    #[serde(default)]
    start: Vec<Spanned<String>>,
    files: Option<Spanned<String>>,
    check: Spanned<String>,
    check_live: Option<Spanned<String>>,
    solve: Option<Spanned<String>>,
    max_turns: Option<Spanned<u64>>,
    run_s: Option<Spanned<f64>>,
    check_s: Option<Spanned<f64>>,
    #[serde(default)]
    tags: Vec<Spanned<String>>,
    #[serde(default)]
    needs: Vec<Spanned<String>>,
    #[serde(default)]
    solve_needs: Vec<Spanned<String>>,
    #[serde(default)]
    set: toml::Table,
}

impl WrittenTask {
    /// Checks everything about the task, including that its files exist in `folder`.
    pub(super) fn check(self, source: &Source, folder: &Path, rules: &SuiteRules) -> Result<SuiteTask, SuiteError> {
        let line = source.line(&self.name);
        self.check_texts(source)?;
        let max_turns = match &self.max_turns {
            None => TURNS,
            Some(turns) if (1..=100_000).contains(turns.get_ref()) => *turns.get_ref(),
            Some(turns) => return Err(source.error(source.line(turns), "max_turns is a number from 1 to 100000")),
        };
        for need in self.needs.iter().chain(&self.solve_needs) {
            if need.get_ref().contains('/') || need.get_ref().is_empty() {
                return Err(source.error(
                    source.line(need),
                    "needs and solve_needs list names of programs, such as \"mousepad\"",
                ));
            }
        }
        if let (TaskScreen::Canvas, Some(check)) = (self.screen, &self.check_live) {
            return Err(source.error(
                source.line(check),
                "check_live is for screen = \"virtual\", where programs run",
            ));
        }
        let path = |value: &Spanned<String>, kind| path(source, folder, value, kind);
        let script = |value: &Spanned<String>| path(value, PathKind::File);
        let files = self.files.as_ref().map(|value| path(value, PathKind::Folder));
        let live_script = |value: &Spanned<String>| {
            let text = script(value)?;
            let is_long = |status: fs::Metadata| status.len() > LONGEST_LIVE_CHECK;
            if folder.join(&text).metadata().is_ok_and(is_long) {
                let words = format!("{text} has more than {LONGEST_LIVE_CHECK} bytes; shorten it");
                return Err(source.error(source.line(value), &words));
            }
            Ok(text)
        };
        Ok(SuiteTask {
            name: source.name(&self.name)?,
            screen: self.screen,
            files: files.transpose()?,
            check: script(&self.check)?,
            check_live: self.check_live.as_ref().map(live_script).transpose()?,
            solve: self.solve.as_ref().map(script).transpose()?,
            max_turns,
            run_s: seconds(source, self.run_s.as_ref(), RUN_S)?,
            check_s: seconds(source, self.check_s.as_ref(), CHECK_S)?,
            tags: self.tags.iter().map(|tag| source.name(tag)).collect::<Result<_, _>>()?,
            needs: self.needs.into_iter().map(Spanned::into_inner).collect(),
            solve_needs: self.solve_needs.into_iter().map(Spanned::into_inner).collect(),
            set: source.settings(line, self.set, rules)?,
            goal: self.goal.into_inner(),
            start: self.start.into_iter().map(Spanned::into_inner).collect(),
        })
    }

    /// Checks that the goal and the commands fit a command line.
    fn check_texts(&self, source: &Source) -> Result<(), SuiteError> {
        let goal = self.goal.get_ref();
        let told = if goal.trim().is_empty() {
            Some("the goal is empty".to_owned())
        } else if goal.len() > LONGEST_GOAL {
            Some(format!("the goal has more than {LONGEST_GOAL} bytes; shorten it"))
        } else {
            None
        };
        if let Some(problem) = told {
            return Err(source.error(source.line(&self.goal), &problem));
        }
        let mut length = 0;
        for command in &self.start {
            length += command.get_ref().len();
            if length > LONGEST_START {
                let words = format!(
                    "the commands of start have more than {LONGEST_START} bytes; move them to a script in files"
                );
                return Err(source.error(source.line(command), &words));
            }
        }
        let mut texts = self.start.iter().chain([&self.goal]);
        match texts.find(|text| text.get_ref().contains('\0')) {
            Some(text) => Err(source.error(source.line(text), "it contains a NUL character; remove it")),
            None => Ok(()),
        }
    }
}

fn seconds(source: &Source, value: Option<&Spanned<f64>>, default: f64) -> Result<f64, SuiteError> {
    match value {
        None => Ok(default),
        Some(value) if (0.1..=DAY_S).contains(value.get_ref()) => Ok(*value.get_ref()),
        Some(value) => Err(source.error(source.line(value), "give a number of seconds from 0.1 to 86400")),
    }
}

/// What a path in a suite's file must lead to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathKind {
    File,
    Folder,
}

/// Checks that a path leads to a file or a folder in the suite's folder.
fn path(source: &Source, folder: &Path, value: &Spanned<String>, kind: PathKind) -> Result<String, SuiteError> {
    let text = value.get_ref();
    let wrong = |problem: String| source.error(source.line(value), &problem);
    if !folder::is_inside(text) {
        return Err(wrong(format!("{text:?} is not a path below the suite's folder")));
    }
    let there = folder.join(text);
    match kind {
        _ if !there.exists() => Err(wrong(format!("there is no {text} in the suite's folder"))),
        PathKind::File if !there.is_file() => Err(wrong(format!(
            "{text} is not a file; name a script, such as {text}/check.sh"
        ))),
        PathKind::Folder if !there.is_dir() => Err(wrong(format!(
            "{text} is not a folder; name a folder that is copied into the home"
        ))),
        PathKind::File | PathKind::Folder => Ok(text.clone()),
    }
}
