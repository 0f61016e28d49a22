//! The processes of a run.

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Running, wait_until};

/// Sends a signal at once: no other program has to be started for it.
pub(crate) fn signal(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal).unwrap();
}

/// The agent of a panel, once it is there.
pub(crate) fn agent_of(panel: &Running) -> u32 {
    wait_until("the agent's process", || {
        children(panel.id()).into_iter().find(|&child| is_agent(child))
    })
}

/// Whether the process is there and not only waits to be counted out.
pub(crate) fn lives(process: u32) -> bool {
    stat(process).is_some_and(|(state, _)| state != "Z" && state != "X")
}

fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        (stat(id)?.1 == parent).then_some(id)
    });
    processes.collect()
}

fn is_agent(process: u32) -> bool {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).nth(1) == Some(b"agent")
}

/// State and parent of a process.
fn stat(process: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands in parentheses and may hold anything.
    let (_, behind) = stat.rsplit_once(')')?;
    let mut words = behind.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
}
