//! The check of a task: its script, on a copy of the home, without network or keys, and within its time.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_suite::result::judge;
use franz_suite::{CheckReport, RecordedOutcome, SuiteTask};

use super::checked::Checked;
use super::limits::{FolderLimit, MOST_PROCESSES, ProgramLimits};
use super::play::{ANSWER_FILE, environment};
use super::process::{self, EndedProgram, HowEnded};
use super::sandbox::{Allowed, SuiteSandbox};
use super::scratch::{self, print_to};
use super::shell::{StartMark, limited_and_marked};
use super::{home, live_check};
use crate::stop::Stop;

/// The variables with the folder of the record, and with the file that holds the model's final answer.
const RUN: &str = "SUITE_RUN";
const ANSWER: &str = "SUITE_ANSWER";

/// The file for a check's output.
pub(crate) const CHECKED: &str = "check.txt";

/// How much of it is kept.
const PRINTED: u64 = 4 << 10;

/// The most that a check may leave in its copy of the home, which holds up to half of that to begin with.
const MOST_BYTES: u64 = 2 << 30;
const MOST_FILES: u64 = 100_000;

/// A check of a task.
pub(crate) struct Check<'a> {
    pub(crate) sandbox: &'a SuiteSandbox,
    pub(crate) stop: &'a Stop,
    /// The suite's folder.
    pub(crate) suite: &'a Path,
    pub(crate) task: &'a SuiteTask,
    pub(crate) seed: u32,
}

impl Check<'_> {
    /// Checks a copy of the home, made in `folder`, unless the live check has already decided; `kept` is the folder with
    /// what it found. Returns `None` if the person stops the suite.
    pub(crate) fn run(
        &self,
        home: &Path,
        record: Option<&Path>,
        kept: &Path,
        folder: &Path,
    ) -> Result<Option<Checked>> {
        if self.task.check_live.is_some() {
            let live = live_check::read(kept);
            if live.outcome != RecordedOutcome::Solved {
                return Ok(Some(live));
            }
        }
        let copy = folder.join("checked");
        match home::copy(home, &copy) {
            Err(error) if home::is_of_home(&error) => {
                return Ok(Some(Checked {
                    outcome: RecordedOutcome::Unsolved,
                    score: 0.0,
                    why: format!("the home cannot be checked: {error}"),
                    report: CheckReport::default(),
                }));
            }
            copied => copied.context("cannot copy the home to check it")?,
        }
        let ended = self.ended(&copy, record, folder)?;
        scratch::remove(&copy);
        let exit = match ended.how {
            HowEnded::Stopped => return Ok(None),
            HowEnded::TooLate | HowEnded::TooMany | HowEnded::TooMuch => None,
            HowEnded::Exited(code) => Some(code),
        };
        let printed = process::tail(&folder.join(CHECKED), PRINTED);
        let (outcome, score, mut why) = judge(exit, &printed);
        if let Some(excess) = excess(ended.how) {
            why = excess;
        }
        Ok(Some(Checked {
            outcome,
            score,
            why,
            report: CheckReport {
                exit,
                seconds: ended.seconds,
                printed,
            },
        }))
    }

    /// Runs the script on a copy of the home, within its limits.
    fn ended(&self, copy: &Path, record: Option<&Path>, folder: &Path) -> Result<EndedProgram> {
        let answer = folder.join(ANSWER_FILE);
        let mut environment = environment(copy, self.seed).with(ANSWER, answer.as_os_str());
        let mut read = vec![self.suite];
        if let Some(record) = record {
            environment = environment.with(RUN, record.as_os_str());
            read.push(record);
        }
        if answer.exists() {
            read.push(&answer);
        }
        let allowed = Allowed {
            read: &read,
            write: &[copy],
            own: None,
            network: false,
            directory: copy,
        };
        let most = self.sandbox.counts_processes().then_some(2 * MOST_PROCESSES);
        let start = StartMark::new(folder);
        let mut arguments = limited_and_marked("sh".into(), most);
        arguments.push(self.suite.join(&self.task.check).into_os_string());
        let printed = folder.join(CHECKED);
        let mut command = self.sandbox.command(&arguments, allowed, &environment);
        command.stdin(start.stdin()?);
        print_to(&mut command, &printed)?;
        let limits = ProgramLimits {
            time: Duration::from_secs_f64(self.task.check_s),
            processes: Some(MOST_PROCESSES),
            is_for_attempt: false,
            folder: Some(FolderLimit {
                folder: copy,
                bytes: MOST_BYTES,
                files: MOST_FILES,
            }),
        };
        let ended = process::run_within(&mut command, limits, None, self.stop)?;
        start.check(ended, &printed).context("the check did not start")?;
        Ok(ended)
    }
}

/// Returns the limit that a check exceeded, other than its time limit.
fn excess(how: HowEnded) -> Option<String> {
    match how {
        HowEnded::TooMany => Some(format!("the check had more than {MOST_PROCESSES} processes")),
        HowEnded::TooMuch => Some(format!(
            "the check wrote more than {} MB or {MOST_FILES} files",
            MOST_BYTES >> 20
        )),
        HowEnded::Exited(_) | HowEnded::TooLate | HowEnded::Stopped => None,
    }
}
