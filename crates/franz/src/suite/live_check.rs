//! The check of a task while its programs still run: `check_live`.
//!
//! Its script comes through standard input, because the programs can read every file that the run can.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use franz_screen::DisplayError;
use franz_screen::PrivateDesktop;
use franz_screen::child::{self, Environment};
use franz_screen::desktop::{Display, IsOver};
use franz_screen::private_desktop::{ProgramFailure, ProgramLog};
use franz_suite::result::judge;
use franz_suite::suite::LONGEST_LIVE_CHECK;
use franz_suite::{CheckReport, RecordedOutcome};

use super::checked::Checked;
use super::limits::{MOST_PROCESSES, ProgramLimits};
use super::process::{self, HowEnded};
use super::scratch::print_to;
use crate::cli::suite::LiveCheckArgs;
use crate::exit::Unusable;
use crate::stop::Stop;

/// The file for a live check's result.
pub(crate) const LIVE: &str = "live.json";

/// The most text kept of its output.
const PRINTED: u64 = 4 << 10;

/// A script that runs on a desktop before its programs end.
pub(crate) struct LiveCheck {
    script: String,
    report: PathBuf,
    most: Duration,
}

impl LiveCheck {
    /// Returns the command line of a run that reads its script from standard input.
    pub(crate) fn arguments(folder: &Path, check_s: f64) -> [String; 4] {
        let report = folder.join(LIVE).display().to_string();
        [
            "--check-live".into(),
            report,
            "--check-live-s".into(),
            (check_s.ceil() as u64).to_string(),
        ]
    }

    /// Reads the script from standard input if there is to be a check.
    pub(crate) fn of(arguments: &LiveCheckArgs) -> io::Result<Option<LiveCheck>> {
        let Some(report) = arguments.check_live.clone() else {
            return Ok(None);
        };
        let script = io::read_to_string(io::stdin().take(LONGEST_LIVE_CHECK))?;
        Ok(Some(LiveCheck {
            script,
            report,
            most: Duration::from_secs(arguments.check_live_s.unwrap_or(60)),
        }))
    }

    /// Runs the script on a desktop and writes the report.
    #[expect(clippy::disallowed_methods, reason = "the suite names the file")]
    pub(crate) fn run(&self, desktop: &dyn PrivateDesktop, guest: &Environment) -> io::Result<()> {
        let printed = self.report.with_extension("txt");
        let mut command = child::command("sh", guest);
        command.arg("-c").arg(&self.script).envs(desktop.environment());
        print_to(&mut command, &printed)?;
        // A run is checked even if the person stops it.
        let limits = ProgramLimits {
            processes: Some(process::of_attempt() + MOST_PROCESSES),
            is_for_attempt: true,
            ..ProgramLimits::of_time(self.most)
        };
        let ended = process::run_within(&mut command, limits, None, &Stop::default())?;
        let report = CheckReport {
            exit: match ended.how {
                HowEnded::Exited(code) => Some(code),
                HowEnded::TooLate | HowEnded::TooMany | HowEnded::TooMuch | HowEnded::Stopped => None,
            },
            seconds: ended.seconds,
            printed: process::tail(&printed, PRINTED),
        };
        fs::write(&self.report, serde_json::to_vec(&report)?)
    }

    /// Adds this check to the end of a desktop.
    pub(crate) fn at_the_end_of(self, desktop: Box<dyn PrivateDesktop>, guest: Environment) -> Box<dyn PrivateDesktop> {
        Box::new(CheckedDesktop {
            desktop,
            check: self,
            guest,
        })
    }
}

/// Returns the standard input of a run that checks by this script.
#[expect(clippy::disallowed_methods, reason = "files of suites belong to no run")]
pub(crate) fn stdin(path: &Path) -> Result<fs::File> {
    let file = fs::File::open(path).with_context(|| path.display().to_string())?;
    ensure!(
        file.metadata()?.len() <= LONGEST_LIVE_CHECK,
        Unusable::usage(format!("{} has more than {LONGEST_LIVE_CHECK} bytes", path.display()))
    );
    Ok(file)
}

/// Reads the result of the live check in this folder.
pub(crate) fn read(folder: &Path) -> Checked {
    // In JSON, a control character takes six bytes.
    let bytes = franz_suite::folder::read(&folder.join(LIVE), 8 * PRINTED).ok();
    let report: Option<CheckReport> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(report) = report else {
        return Checked {
            outcome: RecordedOutcome::Fault,
            score: 0.0,
            why: "the live check did not run".to_owned(),
            report: CheckReport::default(),
        };
    };
    let (outcome, score, why) = judge(report.exit, &report.printed);
    Checked {
        outcome,
        score,
        why,
        report,
    }
}

/// A private desktop whose programs are checked before they end with it.
struct CheckedDesktop {
    desktop: Box<dyn PrivateDesktop>,
    check: LiveCheck,
    guest: Environment,
}

impl PrivateDesktop for CheckedDesktop {
    fn name(&self) -> &str {
        self.desktop.name()
    }

    fn window_manager(&self) -> Option<&'static str> {
        self.desktop.window_manager()
    }

    fn session_bus(&self) -> Option<String> {
        self.desktop.session_bus()
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        self.desktop.environment()
    }

    fn run(&mut self, program: Command) -> io::Result<u32> {
        self.desktop.run(program)
    }

    fn log(&self) -> &ProgramLog {
        self.desktop.log()
    }

    fn failure(&mut self, id: u32) -> Result<Option<ProgramFailure>, DisplayError> {
        self.desktop.failure(id)
    }

    fn wait_for_windows(&self, least: u32, time: Duration) -> Result<bool, DisplayError> {
        self.desktop.wait_for_windows(least, time)
    }

    fn open_until(&self, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
        self.desktop.open_until(is_over)
    }
}

impl Drop for CheckedDesktop {
    fn drop(&mut self) {
        // Without a report, the suite says that the check did not run.
        let _ = self.check.run(self.desktop.as_ref(), &self.guest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_live_check_may_print_anything() {
        let folder = tempfile::tempdir().unwrap();
        for byte in ["\u{1}", "\u{fffd}", "\""] {
            let report = CheckReport {
                exit: Some(1),
                seconds: 0.5,
                printed: byte.repeat(PRINTED as usize),
            };
            fs::write(folder.path().join(LIVE), serde_json::to_vec(&report).unwrap()).unwrap();
            let read = read(folder.path());
            assert_eq!(
                (read.outcome, read.report),
                (RecordedOutcome::Unsolved, report),
                "{byte:?}"
            );
        }
    }
}
