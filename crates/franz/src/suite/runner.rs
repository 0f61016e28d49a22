//! Runs many attempts, some at the same time.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use franz_action::text::shortened;
use franz_record::Exit;
use franz_suite::{AttemptResult, PlannedAttempt, RecordedOutcome};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::attempt::{Played, Workshop};
use super::queue::AttemptQueue;
use crate::terminal;

/// How often one process tries an attempt that fails because of the infrastructure, not the model or the task.
const MOST_TRIES: u32 = 3;

/// After so many such failures in a row, nothing more is tried: the server is down, or the disk is full.
const MOST_FAILURES: u32 = 6;

/// How long to wait after such a failure before the next attempt; doubled for each one in a row, up to the last one that
/// is followed by another attempt.
const PAUSE: Duration = Duration::from_millis(250);

/// The most characters shown of a check's reason.
pub(crate) const MOST_OF_A_REASON: usize = 300;

/// The remaining work, and the work done.
struct Work {
    queue: AttemptQueue,
    tries: HashMap<u32, u32>,
    failures: u32,
    /// How many attempts failed at every try.
    given_up: u32,
    /// Why nothing more is tried, with the exit code.
    over: Option<(Exit, String)>,
    counts: Counts,
    /// Why attempts were skipped.
    lacking: BTreeSet<String>,
}

#[derive(Default)]
struct Counts {
    solved: u64,
    unsolved: u64,
    faults: u64,
    skipped: u64,
}

/// Runs attempts until each has a result. Returns the exit code.
pub(crate) fn run(shop: &Workshop<'_>, attempts: Vec<PlannedAttempt>, jobs: u32) -> u8 {
    let total = attempts.len();
    let progress = Progress::new(total);
    let work = Mutex::new(Work::new(attempts));
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(u32::try_from(total).unwrap_or(u32::MAX)) {
            scope.spawn(|| {
                while let Some(planned) = next(&work, &changed, shop) {
                    let played = shop.play(&planned);
                    let mut work = locked(&work);
                    work.queue.ended(&planned);
                    let pause = work.note(&planned, played, &progress);
                    drop(work);
                    changed.notify_all();
                    if let Some(pause) = pause {
                        shop.stop.sleep_until_over(pause);
                    }
                }
                changed.notify_all();
            });
        }
    });
    progress.end();
    let work = work.into_inner().unwrap_or_else(PoisonError::into_inner);
    terminal::say(&work.counts.sentence());
    if !work.lacking.is_empty() {
        let lacking: Vec<String> = work.lacking.into_iter().collect();
        terminal::complain(&format!(
            "skipped: {}; to play the skipped attempts, install it and run the same command again",
            lacking.join(", ")
        ));
    }
    if let Some(ending) = shop.stop.ending() {
        return ending.exit_code();
    }
    if let Some((exit, why)) = work.over {
        terminal::complain(&why);
        return exit.code();
    }
    if work.given_up > 0 {
        terminal::complain(&format!(
            "attempts without a result: {}; run the same command again to retry them",
            work.given_up
        ));
        return Exit::Incomplete.code();
    }
    Exit::Finished.code()
}

fn locked(work: &Mutex<Work>) -> MutexGuard<'_, Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the next attempt. Waits while others run that might have to be tried again.
fn next(work: &Mutex<Work>, changed: &Condvar, shop: &Workshop<'_>) -> Option<PlannedAttempt> {
    let mut work = locked(work);
    loop {
        if shop.stop.ending().is_some() || work.over.is_some() {
            return None;
        }
        if let Some(planned) = work.queue.take() {
            return Some(planned);
        }
        if work.queue.is_idle() {
            return None;
        }
        let (again, _) = changed
            .wait_timeout(work, Duration::from_millis(200))
            .unwrap_or_else(PoisonError::into_inner);
        work = again;
    }
}

impl Work {
    fn new(attempts: Vec<PlannedAttempt>) -> Work {
        Work {
            queue: AttemptQueue::new(attempts),
            tries: HashMap::new(),
            failures: 0,
            given_up: 0,
            over: None,
            counts: Counts::default(),
            lacking: BTreeSet::new(),
        }
    }

    /// Records the outcome of an attempt. Returns how long to wait if the failure may be temporary.
    fn note(&mut self, planned: &PlannedAttempt, played: Result<Played>, progress: &Progress) -> Option<Duration> {
        let why = match played {
            Ok(Played::Result(result)) => {
                self.failures = 0;
                self.counts.add(result.outcome);
                progress.tell_result(&result);
                return None;
            }
            Ok(Played::Skipped(why)) => {
                self.counts.skipped += 1;
                progress.tell(planned, RecordedOutcome::Skipped.words(), "", &why);
                self.lacking.insert(why);
                return None;
            }
            Ok(Played::Stopped) => return None,
            Ok(Played::Unusable(why)) => {
                self.over = Some((Exit::Usage, why));
                return None;
            }
            Ok(Played::Failed(why) | Played::CutOff(why)) => why,
            Err(error) => format!("{error:#}"),
        };
        terminal::complain(&format!(
            "attempt {} ({}, {}) failed and does not count: {why}",
            planned.attempt, planned.task, planned.model
        ));
        self.failures += 1;
        let tries = self.tries.entry(planned.attempt).or_insert(0);
        *tries += 1;
        if *tries < MOST_TRIES {
            self.queue.add(planned.clone());
        } else {
            self.given_up += 1;
        }
        if self.failures >= MOST_FAILURES {
            let words = format!(
                "{MOST_FAILURES} attempts in a row failed, so nothing more is tried; run the same command again once this is fixed: {why}"
            );
            self.over = Some((Exit::Incomplete, words));
        }
        // Attempts that were already running may fail, too; nobody waits after those.
        self.over
            .is_none()
            .then(|| PAUSE * 2_u32.saturating_pow(self.failures - 1))
    }
}

impl Counts {
    fn add(&mut self, outcome: RecordedOutcome) {
        let count = match outcome {
            RecordedOutcome::Solved => &mut self.solved,
            RecordedOutcome::Unsolved => &mut self.unsolved,
            RecordedOutcome::Fault => &mut self.faults,
            RecordedOutcome::Skipped => &mut self.skipped,
        };
        *count += 1;
    }

    fn sentence(&self) -> String {
        let mut text = format!("{} solved, {} not solved", self.solved, self.unsolved);
        let faults = if self.faults == 1 {
            "fault of a task"
        } else {
            "faults of a task"
        };
        for (count, words) in [(self.faults, faults), (self.skipped, "skipped")] {
            if count > 0 {
                // Writing to a `String` cannot fail.
                let _ = write!(text, ", {count} {words}");
            }
        }
        text
    }
}

/// Shows the suite's progress: a bar in a terminal, and a line for each attempt.
struct Progress {
    bar: Option<ProgressBar>,
    began: Instant,
    total: usize,
    done: Mutex<usize>,
}

impl Progress {
    fn new(total: usize) -> Progress {
        let bar = (std::io::stderr().is_terminal() && total > 0).then(|| {
            let bars = MultiProgress::new();
            let bar = bars.add(ProgressBar::new(total as u64));
            let style = ProgressStyle::with_template("{wide_bar} {pos} of {len}, {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            terminal::set_foot(Some(bars));
            bar
        });
        Progress {
            bar,
            began: Instant::now(),
            total,
            done: Mutex::new(0),
        }
    }

    fn tell_result(&self, result: &AttemptResult) {
        let run = result.run.as_ref().map_or(String::new(), |run| {
            format!("  {} turns, {:.0} s", run.turns, run.seconds)
        });
        self.tell(&result.attempt, result.outcome.words(), &run, &result.why);
    }

    fn tell(&self, planned: &PlannedAttempt, outcome: &str, run: &str, why: &str) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        let why = if why.is_empty() {
            String::new()
        } else {
            format!("  ({})", shortened(why, MOST_OF_A_REASON))
        };
        terminal::say(&format!(
            "{:>width$} of {}  {outcome:<17} {} · {} · repeat {}{run}{why}",
            *done,
            self.total,
            planned.task,
            planned.model,
            planned.repeat,
            width = self.total.to_string().len(),
        ));
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            terminal::set_foot(None);
        }
        tracing::info!(seconds = self.began.elapsed().as_secs_f64(), "the suite has ended");
    }
}

#[cfg(test)]
mod tests {
    use franz_suite::suite::Name;

    use super::*;

    #[test]
    fn nobody_waits_once_nothing_more_is_tried() {
        let name = |text: &str| Name::try_from(text.to_owned()).unwrap();
        let planned = |attempt| PlannedAttempt {
            attempt,
            task: name("t"),
            model: name("m"),
            profile: "draw".to_owned(),
            repeat: 1,
            seed: 1,
        };
        let (mut work, progress) = (Work::new(Vec::new()), Progress::new(0));
        let mut pause = |attempt| work.note(&planned(attempt), Ok(Played::Failed("no server".to_owned())), &progress);
        let pauses: Vec<Option<u128>> = (1..=64)
            .map(|attempt| pause(attempt).map(|pause| pause.as_millis()))
            .collect();
        assert_eq!(pauses[..5], [250, 500, 1000, 2000, 4000].map(Some));
        assert_eq!(pauses[5..], [None; 59]);
        assert!(work.over.is_some());
    }

    #[test]
    fn counts_are_told_in_words() {
        for (faults, expected) in [
            (0, "2 solved, 0 not solved"),
            (1, "2 solved, 0 not solved, 1 fault of a task"),
            (2, "2 solved, 0 not solved, 2 faults of a task"),
        ] {
            let counts = Counts {
                solved: 2,
                faults,
                ..Counts::default()
            };
            assert_eq!(counts.sentence(), expected);
        }
    }
}
