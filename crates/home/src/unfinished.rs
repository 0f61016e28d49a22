//! The names of files that are still being written.

use std::sync::atomic::{AtomicU64, Ordering};

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

/// Checks whether this is the new version of a file, and the process that wrote it has ended.
pub(crate) fn is_abandoned(name: &str) -> bool {
    parts(name).is_some_and(|(_, process)| !process.is_some_and(is_running))
}

/// Splits the name of a new version into the file's own name and the process, which earlier versions of FRANZ left out.
fn parts(name: &str) -> Option<(&str, Option<u32>)> {
    let rest = name.strip_suffix(UNFINISHED)?.strip_suffix('.')?;
    let numbered = rest.rsplit_once('.').and_then(|(target, numbers)| {
        let (process, count) = numbers.split_once('-')?;
        count.parse::<u64>().ok()?;
        Some((target, Some(process.parse().ok()?)))
    });
    Some(numbered.unwrap_or((rest, None))).filter(|(target, _)| !target.is_empty())
}

#[cfg(unix)]
fn is_running(process: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) != Err(Errno::SRCH))
}

/// Recognises only this process, because the standard library cannot tell whether another one is running.
#[cfg(not(unix))]
fn is_running(process: u32) -> bool {
    process == std::process::id()
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
        assert!(!is_abandoned(&of("state.json")) && !is_abandoned("state.json"));
        assert!(is_abandoned("state.json.tmp") && is_abandoned(&format!("state.json.{}-0.tmp", u32::MAX)));
        #[cfg(unix)]
        {
            let mut other = std::process::Command::new("cat")
                .stdin(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            let name = format!("state.json.{}-0.tmp", other.id());
            assert!(!is_abandoned(&name));
            drop(other.stdin.take());
            other.wait().unwrap();
            assert!(is_abandoned(&name));
        }
    }
}
