//! The names of files that are still being written.

use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(any(test, not(unix)))]
use std::time::Duration;
use std::time::SystemTime;

use crate::UNFINISHED;

/// Tells apart the files that this process writes at the same time.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Returns a name for the new version of the file `name`. No other process or thread uses the same one.
pub(crate) fn of(name: &str) -> String {
    let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{name}.{process}-{count}.{UNFINISHED}")
}

/// Returns the name of the file whose new version this is; `None` for any other file.
pub fn target(name: &str) -> Option<&str> {
    parts(name).map(|(target, _)| target)
}

/// Checks whether this is the new version of a file, and the process that last wrote it at this time has ended.
pub(crate) fn is_abandoned(name: &str, written: Option<SystemTime>) -> bool {
    parts(name).is_some_and(|(_, writer)| !writer.is_some_and(|writer| is_running(writer, written)))
}

/// The process that writes a file, and the number that it gave the file.
type Writer = (u32, u64);

/// Splits the name of a new version into the file's own name and the writer, which earlier versions of FRANZ left out.
fn parts(name: &str) -> Option<(&str, Option<Writer>)> {
    let rest = name.strip_suffix(UNFINISHED)?.strip_suffix('.')?;
    let numbered = rest.rsplit_once('.').and_then(|(target, numbers)| {
        let (process, count) = numbers.split_once('-')?;
        Some((target, Some((process.parse().ok()?, count.parse().ok()?))))
    });
    Some(numbered.unwrap_or((rest, None))).filter(|(target, _)| !target.is_empty())
}

fn is_running((process, count): Writer, written: Option<SystemTime>) -> bool {
    if process == std::process::id() {
        // In a container, a process often gets the number of one that has ended.
        return count < COUNT.load(Ordering::Relaxed);
    }
    exists(process, written)
}

/// Checks whether a process exists and is not ending. A killed process stays a zombie until its parent notices.
#[cfg(target_os = "linux")]
fn exists(process: u32, _: Option<SystemTime>) -> bool {
    const ENDING: u32 = 4;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The program's name is in parentheses and can contain anything. The seventh value after it holds the kernel's flags
    // (proc_pid_stat(5)).
    let flags = stat.rsplit_once(") ").and_then(|(_, values)| values.split(' ').nth(6));
    flags
        .and_then(|flags| flags.parse::<u32>().ok())
        .is_some_and(|flags| flags & ENDING == 0)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn exists(process: u32, _: Option<SystemTime>) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) != Err(Errno::SRCH))
}

/// The standard library cannot tell whether another process is running, so this only assumes that it is.
#[cfg(not(unix))]
fn exists(_: u32, written: Option<SystemTime>) -> bool {
    !is_long_ago(written, SystemTime::now())
}

/// Checks whether a file was written so long ago that its process would have finished it.
#[cfg(any(test, not(unix)))]
fn is_long_ago(written: Option<SystemTime>, now: SystemTime) -> bool {
    const LONG: Duration = Duration::from_mins(1);
    let age = written.and_then(|written| now.duration_since(written).ok());
    age.is_some_and(|age| age > LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_name_leads_to_its_target() {
        let (one, other) = (of("turn_0001.png"), of("turn_0001.png"));
        assert_ne!(one, other);
        for (name, whole) in [
            (one.as_str(), Some("turn_0001.png")),
            ("state.json.12-3.tmp", Some("state.json")),
            ("state.json.tmp", Some("state.json")),
            ("state.json.1-x.tmp", Some("state.json.1-x")),
            ("state.json", None),
            ("tmp", None),
            (".tmp", None),
        ] {
            assert_eq!(target(name), whole, "{name}");
        }
    }

    #[test]
    fn files_of_running_processes_are_not_abandoned() {
        let is_abandoned = |name: &str| is_abandoned(name, Some(SystemTime::UNIX_EPOCH));
        assert!(!is_abandoned(&of("state.json")) && !is_abandoned("state.json"));
        assert!(is_abandoned("state.json.tmp") && is_abandoned(&format!("state.json.{}-0.tmp", u32::MAX)));
        let own = std::process::id();
        assert!(
            is_abandoned(&format!("state.json.{own}-{}.tmp", u64::MAX)),
            "of an earlier process"
        );
        #[cfg(unix)]
        {
            let mut other = std::process::Command::new("cat")
                .stdin(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            let name = format!("state.json.{}-0.tmp", other.id());
            assert!(!is_abandoned(&name));
            other.kill().unwrap();
            // Linux tells zombies from running processes.
            while cfg!(target_os = "linux") && !is_abandoned(&name) {
                std::thread::yield_now();
            }
            other.wait().unwrap();
            assert!(is_abandoned(&name));
        }
    }

    #[test]
    fn a_file_counts_as_left_behind_after_a_minute() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(1);
        let cases = [(-5, false), (0, false), (59, false), (61, true), (3600, true)];
        for (age, expected) in cases {
            let written = SystemTime::UNIX_EPOCH + Duration::from_secs((3600_i64 - age) as u64);
            assert_eq!(is_long_ago(Some(written), now), expected, "{age}");
        }
        assert!(!is_long_ago(None, now));
    }

    #[cfg(not(unix))]
    #[test]
    fn a_file_that_another_process_has_just_written_is_not_abandoned() {
        let name = format!("state.json.{}-0.tmp", u32::MAX);
        assert!(!super::is_abandoned(&name, Some(SystemTime::now())));
    }
}
