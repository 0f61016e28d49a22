//! A task of a suite.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::source::Source;
use super::{Name, SuiteError};
use crate::folder;

/// Turns that an attempt may take if the task does not say.
const TURNS: u64 = 30;

/// Seconds that a run may take if the task does not say.
const RUN_S: f64 = 1800.0;

/// Seconds that a check may take if the task does not say.
const CHECK_S: f64 = 60.0;

/// The longest time that a task may ask for, a day.
const DAY_S: f64 = 86_400.0;

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
    start: Vec<String>,
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
    pub(super) fn check(self, source: &Source, folder: &Path) -> Result<SuiteTask, SuiteError> {
        let line = source.line(&self.name);
        if self.goal.get_ref().trim().is_empty() {
            return Err(source.error(source.line(&self.goal), "the goal is empty"));
        }
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
        let path = |value: &Spanned<String>| path(source, folder, value);
        Ok(SuiteTask {
            name: source.name(&self.name)?,
            screen: self.screen,
            files: self.files.as_ref().map(path).transpose()?,
            check: path(&self.check)?,
            check_live: self.check_live.as_ref().map(path).transpose()?,
            solve: self.solve.as_ref().map(path).transpose()?,
            max_turns,
            run_s: seconds(source, self.run_s.as_ref(), RUN_S)?,
            check_s: seconds(source, self.check_s.as_ref(), CHECK_S)?,
            tags: self.tags.iter().map(|tag| source.name(tag)).collect::<Result<_, _>>()?,
            needs: self.needs.into_iter().map(Spanned::into_inner).collect(),
            solve_needs: self.solve_needs.into_iter().map(Spanned::into_inner).collect(),
            set: source.settings(line, self.set)?,
            goal: self.goal.into_inner(),
            start: self.start,
        })
    }
}

fn seconds(source: &Source, value: Option<&Spanned<f64>>, default: f64) -> Result<f64, SuiteError> {
    match value {
        None => Ok(default),
        Some(value) if (0.1..=DAY_S).contains(value.get_ref()) => Ok(*value.get_ref()),
        Some(value) => Err(source.error(source.line(value), "give a number of seconds from 0.1 to 86400")),
    }
}

/// Checks that a path leads to something in the suite's folder.
fn path(source: &Source, folder: &Path, value: &Spanned<String>) -> Result<String, SuiteError> {
    let text = value.get_ref();
    let wrong = |problem: String| source.error(source.line(value), &problem);
    if !folder::is_inside(text) {
        return Err(wrong(format!("{text:?} is not a path below the suite's folder")));
    }
    if !folder.join(text).exists() {
        return Err(wrong(format!("there is no {text} in the suite's folder")));
    }
    Ok(text.clone())
}
