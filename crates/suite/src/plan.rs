//! The plan: every attempt of a suite, one line each, in seeded random order.
//!
//! The first line of `plan.jsonl` describes the suite, the models and the digest of the suite's files. Each block
//! contains every pair of task and model once, in its own order, so that all models run under the same conditions. No
//! clock is used.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::folder::SuiteDigest;
use crate::suite::{Name, Suite, SuiteModel, SuiteTask};

/// The file in a results folder that holds the plan.
pub const PLAN_FILE: &str = "plan.jsonl";

/// The most attempts in a plan.
const MOST_ATTEMPTS: usize = 10_000_000;

/// The number of bits of an attempt's seed: a shell and JSON can both calculate with it.
const SEED_BITS: u32 = 31;

/// A plan.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptPlan {
    /// Its first line.
    pub header: PlanHeader,
    /// The attempts, in order of their numbers, from 1.
    pub attempts: Vec<PlannedAttempt>,
}

/// The first line of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanHeader {
    /// The version of this format.
    pub v: u32,
    /// The version of FRANZ that made the plan.
    pub franz: String,
    /// The suite's name.
    pub suite: Name,
    /// The digest of the suite's files.
    pub digest: SuiteDigest,
    /// The models, without their keys.
    pub models: Vec<SuiteModel>,
    /// The profiles.
    pub profiles: Vec<String>,
    /// How often each model tries each task with each profile.
    pub repeat: u32,
    /// The number of attempts that follow.
    pub attempts: usize,
}

/// One attempt of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedAttempt {
    /// Its number, from 1.
    pub attempt: u32,
    /// The task.
    pub task: Name,
    /// The model.
    pub model: Name,
    /// The profile.
    pub profile: String,
    /// Which repeat it is, from 1.
    pub repeat: u32,
    /// The seed that the task's programs and check get, below 2^31.
    pub seed: u32,
}

/// What to plan.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The version of FRANZ.
    pub franz: String,
    /// The models that play.
    pub models: Vec<SuiteModel>,
    /// The profiles with which they play.
    pub profiles: Vec<String>,
    /// How often.
    pub repeat: u32,
    /// Only tasks with one of these tags; all, if empty.
    pub tags: Vec<Name>,
    /// The most attempts.
    pub limit: Option<usize>,
}

/// Describes why a plan cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// No task has one of the tags.
    #[error("no task has the tag {0}; the suite's tags are: {1}")]
    NoTask(String, String),
    /// There is nothing to play.
    #[error("the plan is empty: it needs at least one model, one profile and one repeat")]
    Empty,
    /// A model or a profile is there twice.
    #[error("{0} is given twice; give each model and each profile once, and use --repeat to play more attempts")]
    Twice(String),
    /// There are too many attempts.
    #[error("{0} attempts are too many; a plan has {MOST_ATTEMPTS} at most")]
    TooMany(usize),
    /// A line cannot be read.
    #[error("{PLAN_FILE}, line {line}: {problem}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

impl AttemptPlan {
    /// Returns the highest repeat of an attempt. A limit may leave out whole repeats.
    pub fn repeats(&self) -> u32 {
        let repeats = self.attempts.iter().map(|attempt| attempt.repeat);
        repeats.max().unwrap_or_default()
    }

    /// The current version of the format.
    pub const VERSION: u32 = 1;

    /// Plans a suite whose files have this digest.
    pub fn new(suite: &Suite, digest: SuiteDigest, options: &PlanOptions) -> Result<AttemptPlan, PlanError> {
        let tasks = chosen(suite, &options.tags)?;
        let models: Vec<&str> = options.models.iter().map(|model| model.name.as_str()).collect();
        let profiles: Vec<&str> = options.profiles.iter().map(String::as_str).collect();
        if let Some(name) = twice(&models).or_else(|| twice(&profiles)) {
            return Err(PlanError::Twice(name.to_owned()));
        }
        let pairs = tasks.len() * options.models.len() * options.profiles.len();
        let whole = pairs.saturating_mul(options.repeat as usize);
        if whole == 0 {
            return Err(PlanError::Empty);
        }
        let count = options.limit.map_or(whole, |limit| limit.min(whole));
        if count == 0 {
            return Err(PlanError::Empty);
        }
        if count > MOST_ATTEMPTS {
            return Err(PlanError::TooMany(count));
        }
        let mut attempts = Vec::with_capacity(count.min(whole));
        for repeat in 1..=options.repeat {
            if attempts.len() >= count {
                break;
            }
            attempts.extend(block(suite, &digest, &tasks, options, repeat));
        }
        attempts.truncate(count);
        for (attempt, number) in attempts.iter_mut().zip(1..) {
            attempt.attempt = number;
        }
        let header = PlanHeader {
            v: AttemptPlan::VERSION,
            franz: options.franz.clone(),
            suite: suite.name.clone(),
            digest,
            models: options.models.clone(),
            profiles: options.profiles.clone(),
            repeat: options.repeat,
            attempts: attempts.len(),
        };
        Ok(AttemptPlan { header, attempts })
    }

    /// Returns the text of `plan.jsonl`.
    pub(crate) fn to_jsonl(&self) -> Result<String, PlanError> {
        let mut text = String::with_capacity(self.attempts.len() * 128);
        let mut line = |number: usize, json: Result<String, serde_json::Error>| {
            let json = json.map_err(|error| PlanError::Line {
                line: number,
                problem: error.to_string(),
            })?;
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{json}");
            Ok(())
        };
        line(1, serde_json::to_string(&self.header))?;
        for (attempt, number) in self.attempts.iter().zip(2..) {
            line(number, serde_json::to_string(attempt))?;
        }
        Ok(text)
    }

    /// Reads a plan. It must be complete: as many attempts as its first line says, numbered from 1.
    pub fn parse(text: &str) -> Result<AttemptPlan, PlanError> {
        let wrong = |line: usize, problem: &dyn std::fmt::Display| PlanError::Line {
            line,
            problem: problem.to_string(),
        };
        let mut lines = text.lines();
        let first = lines.next().ok_or_else(|| wrong(1, &"the plan is empty"))?;
        let header: PlanHeader = serde_json::from_str(first).map_err(|error| wrong(1, &error))?;
        if header.v != AttemptPlan::VERSION {
            let problem = format!(
                "version {} is unknown to this FRANZ, which reads version {}",
                header.v,
                AttemptPlan::VERSION
            );
            return Err(wrong(1, &problem));
        }
        for model in &header.models {
            let checked = model.check();
            checked.map_err(|problem| wrong(1, &format!("{}: {problem}", model.name)))?;
        }
        let mut attempts = Vec::new();
        for (text, number) in lines.zip(1_u32..) {
            let line = number as usize + 1;
            let attempt: PlannedAttempt = serde_json::from_str(text).map_err(|error| wrong(line, &error))?;
            if attempt.attempt != number {
                return Err(wrong(
                    line,
                    &format!("this is attempt {}, but {number} should be here", attempt.attempt),
                ));
            }
            if header.models.iter().all(|model| model.name != attempt.model) {
                return Err(wrong(line, &format!("the first line has no model {}", attempt.model)));
            }
            if !header.profiles.contains(&attempt.profile) {
                return Err(wrong(
                    line,
                    &format!("the first line has no profile {}", attempt.profile),
                ));
            }
            attempts.push(attempt);
        }
        if attempts.len() != header.attempts || !text.ends_with('\n') {
            let problem = format!(
                "the plan is truncated: it has {} of {} attempts",
                attempts.len(),
                header.attempts
            );
            return Err(wrong(attempts.len() + 1, &problem));
        }
        Ok(AttemptPlan { header, attempts })
    }

    /// Returns the digest of the plan's text, which its results repeat. It covers the suite's files, by their own digest,
    /// and everything that an attempt uses besides: models with their servers, variables and settings, and profiles.
    pub(crate) fn digest_of(text: &str) -> SuiteDigest {
        SuiteDigest::of_bytes(text.as_bytes())
    }
}

/// Returns the first name that is there twice.
fn twice<'a>(names: &[&'a str]) -> Option<&'a str> {
    let mut known = BTreeSet::new();
    names.iter().copied().find(|name| !known.insert(*name))
}

fn chosen<'a>(suite: &'a Suite, tags: &[Name]) -> Result<Vec<&'a SuiteTask>, PlanError> {
    let has = |task: &&SuiteTask| tags.is_empty() || task.tags.iter().any(|tag| tags.contains(tag));
    let tasks: Vec<&SuiteTask> = suite.tasks.iter().filter(has).collect();
    if tasks.is_empty() {
        let mut known: Vec<&str> = suite
            .tasks
            .iter()
            .flat_map(|task| &task.tags)
            .map(Name::as_str)
            .collect();
        known.sort_unstable();
        known.dedup();
        let asked: Vec<&str> = tags.iter().map(Name::as_str).collect();
        return Err(PlanError::NoTask(asked.join(" or "), known.join(", ")));
    }
    Ok(tasks)
}

/// Returns one repeat of every task by every model, in random order.
fn block(
    suite: &Suite,
    digest: &SuiteDigest,
    tasks: &[&SuiteTask],
    options: &PlanOptions,
    repeat: u32,
) -> Vec<PlannedAttempt> {
    let mut block = Vec::with_capacity(tasks.len() * options.models.len() * options.profiles.len());
    for task in tasks {
        for model in &options.models {
            let seed = seed(&suite.name, &task.name, &model.name, repeat);
            for profile in &options.profiles {
                let place = hash(&[
                    "order",
                    digest.as_str(),
                    task.name.as_str(),
                    model.name.as_str(),
                    profile,
                    &repeat.to_string(),
                ]);
                let attempt = PlannedAttempt {
                    attempt: 0,
                    task: task.name.clone(),
                    model: model.name.clone(),
                    profile: profile.clone(),
                    repeat,
                    seed,
                };
                block.push((place, attempt));
            }
        }
    }
    // Sorting by a hash is a shuffle that depends on nothing else.
    block.sort_by_key(|(place, _)| *place);
    block.into_iter().map(|(_, attempt)| attempt).collect()
}

/// Returns the seed of an attempt.
fn seed(suite: &Name, task: &Name, model: &Name, repeat: u32) -> u32 {
    let hash = hash(&[
        "seed",
        suite.as_str(),
        task.as_str(),
        model.as_str(),
        &repeat.to_string(),
    ]);
    let [a, b, c, d, ..] = hash;
    u32::from_be_bytes([a, b, c, d]) >> (u32::BITS - SEED_BITS)
}

/// Hashes a list of words; different lists have different inputs.
fn hash(words: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for word in words {
        hash.update((word.len() as u64).to_be_bytes());
        hash.update(word.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests;
