//! The direct and indirect child processes of a process.

use std::path::Path;

use rustix::process::Pid;

/// Returns all of them that can be listed.
pub(super) fn of(process: Pid) -> Vec<Pid> {
    let mut found = children(process);
    let mut next = 0;
    while let Some(one) = found.get(next).copied() {
        found.extend(children(one));
        next += 1;
    }
    found
}

/// Kills all of them. Returns whether there were any, even if they had ended.
#[cfg(target_os = "linux")]
pub(super) fn kill(process: Pid) -> bool {
    use rustix::process::{Signal, kill_process};

    let all = of(process);
    for one in &all {
        // It may have ended by now.
        let _ = kill_process(*one, Signal::KILL);
    }
    !all.is_empty()
}

/// Returns the children of all threads of a process, the oldest of each thread first.
#[expect(clippy::disallowed_methods, reason = "the kernel's files, not those of a run")]
pub(super) fn children(process: Pid) -> Vec<Pid> {
    let of_thread = |thread: &Path| {
        let text = std::fs::read_to_string(thread.join("children")).unwrap_or_default();
        let numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
        numbers.filter_map(Pid::from_raw).collect::<Vec<Pid>>()
    };
    let threads = std::fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero()));
    let threads = threads.into_iter().flatten().flatten();
    threads.flat_map(|thread| of_thread(&thread.path())).collect()
}
