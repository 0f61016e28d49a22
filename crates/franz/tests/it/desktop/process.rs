//! A run's processes.

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Running, wait_until};

/// Sends a signal immediately, without starting another program.
pub(crate) fn signal(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal).unwrap();
}

/// Waits for a panel's agent.
pub(crate) fn agent_of(panel: &Running) -> u32 {
    wait_until("the agent's process", || child(panel.id(), "agent"))
}

/// Waits for the process that releases an agent's keys and buttons if the agent is killed.
pub(crate) fn guardian_of(agent: u32) -> u32 {
    wait_until("the guardian's process", || child(agent, "release"))
}

/// Returns whether the process is running, and not a zombie.
pub(crate) fn lives(process: u32) -> bool {
    stat(process).is_some_and(|(state, _)| state != "Z" && state != "X")
}

/// Suspends a process.
pub(crate) fn freeze(process: u32) {
    signal(process, Signal::STOP);
    wait_until("a process that stands still", || {
        (stat(process)?.0 == "T").then_some(())
    });
}

/// Returns the value of a variable in a process's environment.
pub(crate) fn variable(process: u32, name: &str) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{process}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    variables.find_map(|variable| Some(variable.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

/// Returns a process's children.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let ids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        (stat(id)?.1 == parent).then_some(id)
    });
    ids.collect()
}

/// Returns the program and its arguments, separated by spaces.
pub(crate) fn command_line(process: u32) -> String {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

/// Returns the child process that runs this `franz` command.
fn child(parent: u32, command: &str) -> Option<u32> {
    let is_asked_for = |id: &u32| command_line(*id).split(' ').nth(1) == Some(command);
    children(parent).into_iter().find(is_asked_for)
}

/// Returns a process's state and parent.
fn stat(process: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name is in parentheses and can contain anything.
    let (_, behind) = stat.rsplit_once(')')?;
    let mut words = behind.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
}
