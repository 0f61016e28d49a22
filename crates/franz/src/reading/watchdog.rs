//! The watchdog that backs up the budgets. It ends the process if reading a reply takes too much processor time.
//!
//! On Linux, it measures only the reading thread's time, so a busy machine does not end the process. Other systems
//! offer no safe call for that; there it measures wall-clock time and allows six times as much.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use franz_home::shell;

use crate::terminal::complain;

/// The shortest pause between two checks of the clock.
const PAUSE: Duration = Duration::from_millis(50);
/// The directory of a run without a panel. Only a person can resume such a run.
static ALONE: OnceLock<PathBuf> = OnceLock::new();
static WATCHED: Watched = Watched {
    reading: Mutex::new(None),
    changed: Condvar::new(),
};
static THREAD: OnceLock<()> = OnceLock::new();

struct Watched {
    reading: Mutex<Option<Reading>>,
    changed: Condvar,
}

/// A reading in progress.
struct Reading {
    clock: Clock,
    most: Duration,
}

/// Notes that this run has no panel, so that only a person can restart it.
pub(crate) fn alone(run: PathBuf) {
    let _ = ALONE.set(run);
}

/// Watches the calling thread until the guard is dropped.
pub(super) fn watch(most: Duration) -> Guard {
    THREAD.get_or_init(|| {
        let thread = std::thread::Builder::new().name("watchdog".to_owned());
        if let Err(error) = thread.spawn(look) {
            tracing::warn!("no watchdog: {error}");
        }
    });
    *WATCHED.reading() = Some(Reading {
        clock: Clock::of_this_thread(),
        most,
    });
    WATCHED.changed.notify_all();
    Guard
}

/// Keeps the thread that created this value under watch until the value is dropped.
pub(super) struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        *WATCHED.reading() = None;
    }
}

impl Watched {
    fn reading(&self) -> MutexGuard<'_, Option<Reading>> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn look() {
    let mut reading = WATCHED.reading();
    loop {
        let left = reading
            .as_ref()
            .map(|reading| reading.most.saturating_sub(reading.clock.used()));
        reading = match left {
            None => WATCHED.changed.wait(reading).unwrap_or_else(PoisonError::into_inner),
            Some(left) if left.is_zero() => end(reading.as_ref().map(|reading| reading.most).unwrap_or_default()),
            Some(left) => {
                let waited = WATCHED.changed.wait_timeout(reading, left.max(PAUSE));
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

fn end(most: Duration) -> ! {
    let next = match ALONE.get() {
        Some(run) => format!(
            "continue with franz run --no-panel --resume {}, which skips it",
            shell::path(run)
        ),
        None => "the agent restarts and skips it".to_owned(),
    };
    let seconds = most.as_secs_f64();
    complain(&format!(
        "reading the last reply took more than {seconds} s of CPU time: {next}"
    ));
    std::process::exit(1);
}

/// Measures how much time the reading thread has used.
struct Clock {
    began: Instant,
    #[cfg(target_os = "linux")]
    thread: Option<(std::fs::File, Duration)>,
}

impl Clock {
    #[cfg(target_os = "linux")]
    #[expect(clippy::disallowed_methods, reason = "a file of the kernel, not of a run")]
    fn of_this_thread() -> Clock {
        // The opened file always describes this thread, whichever thread reads the file.
        let file = std::fs::File::open("/proc/thread-self/stat").ok();
        let thread = file.and_then(|file| cpu_time(&file).map(|used| (file, used)));
        let began = Instant::now();
        Clock { began, thread }
    }

    #[cfg(not(target_os = "linux"))]
    fn of_this_thread() -> Clock {
        Clock { began: Instant::now() }
    }

    /// Returns the processor time if it is known, otherwise a share of the elapsed time.
    fn used(&self) -> Duration {
        #[cfg(target_os = "linux")]
        if let Some((file, before)) = &self.thread
            && let Some(now) = cpu_time(file)
        {
            return now.saturating_sub(*before);
        }
        self.began.elapsed() / ELAPSED
    }
}

/// How much wall-clock time a reading may take, as a multiple of the limit on processor time.
const ELAPSED: u32 = 6;

/// Reads a thread's processor time from its `stat` file. Fields 14 and 15 contain it in hundredths of a second.
#[cfg(target_os = "linux")]
fn cpu_time(stat: &std::fs::File) -> Option<Duration> {
    use std::os::unix::fs::FileExt;

    let mut content = [0; 1024];
    let length = stat.read_at(&mut content, 0).ok()?;
    let content = std::str::from_utf8(content.get(..length)?).ok()?;
    // The name in brackets can contain anything.
    let (_, behind) = content.rsplit_once(')')?;
    let mut times = behind
        .split_whitespace()
        .skip(11)
        .map(|ticks| ticks.parse::<u64>().ok());
    Some(Duration::from_millis(10 * (times.next()?? + times.next()??)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_measures_only_its_own_thread() {
        let clock = Clock::of_this_thread();
        let busy = std::thread::spawn(|| {
            let other = Clock::of_this_thread();
            while other.used() < Duration::from_millis(50) {
                std::hint::spin_loop();
            }
            other.used()
        });
        assert!(busy.join().unwrap() >= Duration::from_millis(50));
        if cfg!(target_os = "linux") {
            assert!(clock.used() < Duration::from_millis(50));
        }
    }
}
