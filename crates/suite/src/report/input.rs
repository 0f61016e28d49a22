//! What a report is made of.

use serde::{Deserialize, Serialize};

/// The suite, and the attempts that have results.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportInput {
    /// What is known about the suite and the plan.
    pub facts: SuiteFacts,
    /// The attempts with results, and those that failed or were skipped, in any order. If several have the same task,
    /// model and repeat, the first counts.
    pub attempts: Vec<ReportedAttempt>,
}

/// What is known about the suite and the plan.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SuiteFacts {
    /// The suite's name.
    pub suite: String,
    /// The digest of the suite's files, in hexadecimal.
    pub digest: String,
    /// Whether programs on the desktop could not read the suite's folder in any attempt.
    pub isolated: bool,
    /// The number of runs of the suite that the results come from; shards are runs, too. 0 if not known.
    pub runs: u64,
    /// The number of attempts that ran at the same time; `None` if the results come from several runs, or it is not
    /// known.
    pub jobs: Option<u64>,
    /// The versions of everything that ran. A name may come twice, with different versions.
    pub versions: Vec<RanVersion>,
    /// The planned tasks, in the order in which to show them. Tasks that only attempts name come after them.
    pub tasks: Vec<String>,
    /// The planned models. Models that only attempts name come after them.
    pub models: Vec<String>,
    /// The planned attempts at each task by each model; 0 if not known.
    pub repeats: u64,
    /// The number of planned attempts; 0 if not known.
    pub planned: u64,
    /// The number of results that are left out because they are damaged or not those of the plan.
    pub damaged: u64,
}

/// The version of a program or a file that took part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RanVersion {
    /// Its name, such as `franz` or `Chromium`.
    pub name: String,
    /// Its version, as it reports it.
    pub version: String,
}

/// One attempt at a task by a model.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportedAttempt {
    /// The task's name.
    pub task: String,
    /// The model's name.
    pub model: String,
    /// The attempt's number among those at this task by this model.
    pub repeat: u64,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// How much of the task is done, 0 to 1, if the check says so. Without it, a solved task scores 1 and another 0.
    pub score: Option<f64>,
    /// The number of turns.
    pub turns: u64,
    /// The tokens in all requests.
    pub prompt_tokens: u64,
    /// The tokens in all replies.
    pub completion_tokens: u64,
    /// The seconds that the run took, without loading the model.
    pub seconds: f64,
    /// The actions that were held because the screen had changed.
    pub held: u64,
    /// The actions that were refused.
    pub refused: u64,
    /// The replies that could not be read.
    pub malformed: u64,
    /// The times that the model repeated itself without effect.
    pub loops: u64,
    /// The times that the model said that it cannot do the task.
    pub gave_up: u64,
    /// The file that plays the run, relative to the folder of the report's page, with `/` between folders.
    pub player: Option<String>,
}

/// How an attempt ended. As JSON, its `kind` is `solved`, `unsolved`, `infrastructure`, `task_fault` or `skipped`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// The check found the task solved.
    Solved,
    /// The check found the task not solved.
    #[default]
    Unsolved,
    /// The attempt failed for a reason that is neither the model's nor the task's: a server that is down, a full disk.
    /// It does not count.
    Infrastructure {
        /// The reason.
        #[serde(default)]
        why: String,
    },
    /// The task is at fault: its check ended in a way that says neither solved nor unsolved. It does not count.
    TaskFault {
        /// The reason.
        #[serde(default)]
        why: String,
    },
    /// It was skipped, because a program that the task needs is missing.
    Skipped {
        /// The reason.
        #[serde(default)]
        why: String,
    },
}

impl ReportedAttempt {
    /// Returns the score of an attempt that counts, 0 to 1; `None` if it does not count.
    pub fn score(&self) -> Option<f64> {
        let whole = match self.outcome {
            AttemptOutcome::Solved => 1.0,
            AttemptOutcome::Unsolved => 0.0,
            AttemptOutcome::Infrastructure { .. }
            | AttemptOutcome::TaskFault { .. }
            | AttemptOutcome::Skipped { .. } => return None,
        };
        let told = self.score.filter(|score| score.is_finite());
        Some(told.map_or(whole, |score| score.clamp(0.0, 1.0)))
    }
}

impl AttemptOutcome {
    /// Returns the name of the kind of outcome, as in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Unsolved => "unsolved",
            Self::Infrastructure { .. } => "infrastructure",
            Self::TaskFault { .. } => "task_fault",
            Self::Skipped { .. } => "skipped",
        }
    }

    /// Returns the reason why the attempt does not count; `None` if it counts.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Solved | Self::Unsolved => None,
            Self::Infrastructure { why } | Self::TaskFault { why } | Self::Skipped { why } => Some(why),
        }
    }
}
