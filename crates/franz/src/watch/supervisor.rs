//! Supervises the agent's process: starts it immediately, restarts it when it dies, and ends it cleanly.

mod backoff;
mod pipe;

use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use franz_panel::Hub;
use franz_panel::hub::Doing;
use franz_record::Exit;
use tokio::process::{Child, ChildStdin};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep, sleep_until, timeout};

pub(in crate::watch) use backoff::Backoff;
use pipe::PipeLines;

/// How long to read a dead process's output.
const DRAIN: Duration = Duration::from_secs(1);

/// How many characters of a dead process's last words to show.
const WORDS: usize = 300;

/// A process to start and watch.
pub(super) trait AgentProcess: Send {
    /// Returns the program to start, in a process group of its own, because Ctrl+C in the terminal is for the panel,
    /// which ends the agent cleanly. The caller sets the program's standard streams.
    fn command(&mut self) -> Command;

    /// Returns the first line for the process's stdin.
    fn first_line(&mut self) -> Option<String>;

    /// Handles one line from its stdout.
    fn said(&mut self, line: &str);

    /// Handles one line from its stderr.
    fn complained(&mut self, line: &str);

    /// Returns how many turns have been completed so far.
    fn completed(&self) -> u64;

    /// Returns whether the process has reported that its work is over.
    fn has_ended(&self) -> bool;

    /// Returns the line that tells the process to end. Afterwards, stdin is closed.
    fn last_line(&mut self) -> Option<String>;

    /// Reports that the process died and will be restarted; `how` describes the death and when the restart follows.
    fn died(&mut self, how: &str);

    /// Returns why the process ended, in its own words; empty if it gave no reason. The process is over for good, with
    /// this exit code, and its last words on stderr were `said`.
    fn last_words(&mut self, code: u8, said: &str) -> String;
}

/// An order to the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProcessOrder {
    /// A line for its stdin.
    Tell(String),
    /// An order to end.
    End,
}

/// How to supervise a process.
#[derive(Debug, Clone)]
pub(super) struct SupervisorOptions {
    /// How long to wait before restarts, and when to give up.
    pub(super) backoff: Backoff,
    /// How long it may take to end after it was told to, before it is killed.
    pub(super) grace: Duration,
    /// The hub that its state is reported to.
    pub(super) hub: Hub,
}

/// The way in which the process ended for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProcessEnd {
    /// It ended with an exit code that a restart would not change, or because it was told to end.
    Exited(u8),
    /// It died repeatedly without completing a turn. The text says how.
    GivenUp(String),
}

/// Runs the process until it ends for good.
pub(super) async fn supervise(
    mut agent: impl AgentProcess,
    mut orders: UnboundedReceiver<ProcessOrder>,
    options: SupervisorOptions,
) -> ProcessEnd {
    let mut backoff = options.backoff.clone();
    loop {
        options.tell(Doing::Starting, String::new());
        let before = agent.completed();
        let mut words = String::new();
        let death = match live(&mut agent, &mut orders, &options, &mut words).await {
            Ok(Life::Ended(code)) => {
                options.tell(Doing::Stopped, agent.last_words(code, &words));
                return ProcessEnd::Exited(code);
            }
            Ok(Life::Died(how)) => how,
            Err(error) => format!("it could not be started: {error}"),
        };
        // The terminal already has these words.
        let told = if words.is_empty() {
            death.clone()
        } else {
            format!("{death}: {words}")
        };
        let Some(pause) = backoff.after_death(agent.completed() > before) else {
            agent.last_words(Exit::Failed.code(), &told);
            options.tell(Doing::Stopped, format!("gave up: {told}"));
            return ProcessEnd::GivenUp(death);
        };
        let seconds = pause.as_secs_f64();
        let restart = format!("it restarts in {seconds:.0} s");
        agent.died(&format!("{death}; {restart}"));
        options.tell(Doing::Restarting, format!("{told}; {restart}"));
        let again = Instant::now() + pause;
        loop {
            tokio::select! {
                () = sleep_until(again) => break,
                order = orders.recv() => match order {
                    Some(ProcessOrder::Tell(_)) => {}
                    Some(ProcessOrder::End) | None => {
                        options.tell(Doing::Stopped, agent.last_words(0, &told));
                        return ProcessEnd::Exited(0);
                    }
                },
            }
        }
    }
}

/// How one process ended.
enum Life {
    Ended(u8),
    Died(String),
}

/// Starts the process and supervises it until it ends. Keeps its last words on stderr in `words`.
async fn live(
    agent: &mut impl AgentProcess,
    orders: &mut UnboundedReceiver<ProcessOrder>,
    options: &SupervisorOptions,
    words: &mut String,
) -> std::io::Result<Life> {
    let mut child = start(agent.command())?;
    let mut stdin = child.stdin.take();
    let mut said = PipeLines::of(child.stdout.take());
    let mut complained = PipeLines::of(child.stderr.take());
    if let Some(first) = agent.first_line() {
        pipe::write_line(&mut stdin, &first).await;
    }
    let mut told_to_end = false;
    let kill = sleep(Duration::MAX);
    tokio::pin!(kill);
    let status = loop {
        tokio::select! {
            // Handle orders first, because even a process that prints endlessly must get the order to stop.
            biased;
            order = orders.recv(), if !told_to_end => match order {
                Some(ProcessOrder::Tell(line)) => pipe::write_line(&mut stdin, &line).await,
                Some(ProcessOrder::End) | None => {
                    told_to_end = true;
                    dismiss(agent, &mut stdin).await;
                    kill.as_mut().reset(Instant::now() + options.grace);
                }
            },
            () = &mut kill, if told_to_end => {
                tracing::warn!("the agent did not end within {} s and was killed", options.grace.as_secs());
                child.start_kill()?;
                kill.as_mut().reset(Instant::now() + options.grace);
            }
            status = child.wait() => break status?,
            Some(line) = said.next(), if said.is_open() => agent.said(&line),
            Some(line) = complained.next(), if complained.is_open() => complain(agent, &line, words),
        }
    };
    drain(agent, &mut said, &mut complained, words).await;
    Ok(judge(status, told_to_end, agent.has_ended()))
}

fn start(command: Command) -> std::io::Result<Child> {
    let mut command = tokio::process::Command::from(command);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command.spawn()
}

async fn dismiss(agent: &mut impl AgentProcess, stdin: &mut Option<ChildStdin>) {
    if let Some(last) = agent.last_line() {
        pipe::write_line(stdin, &last).await;
    }
    stdin.take();
}

/// Reads the output that the process printed before it ended. The time is limited, because a grandchild might keep the
/// pipes open.
async fn drain(agent: &mut impl AgentProcess, said: &mut PipeLines, complained: &mut PipeLines, words: &mut String) {
    let reading = async {
        while said.is_open() || complained.is_open() {
            tokio::select! {
                Some(line) = said.next(), if said.is_open() => agent.said(&line),
                Some(line) = complained.next(), if complained.is_open() => complain(agent, &line, words),
                else => {}
            }
        }
    };
    let _ = timeout(DRAIN, reading).await;
}

/// Passes on a line from the process's stderr, and keeps it as its last words.
fn complain(agent: &mut impl AgentProcess, line: &str, words: &mut String) {
    agent.complained(line);
    let said = line.trim().trim_start_matches("franz: ");
    if !said.is_empty() {
        *words = said.chars().take(WORDS).collect();
    }
}

/// Decides whether the process died and might succeed after a restart. A failure that it reported as the end of its
/// work, such as a full disk, would only recur.
fn judge(status: ExitStatus, told_to_end: bool, has_ended: bool) -> Life {
    let is_final = |exit: Exit| has_ended || exit.is_final();
    match status.code() {
        Some(code) if told_to_end || Exit::of(code).is_some_and(is_final) => {
            Life::Ended(u8::try_from(code).unwrap_or(1))
        }
        None if told_to_end => Life::Ended(0),
        Some(code) => Life::Died(format!("the agent ended with exit code {code}")),
        None => Life::Died(format!("the agent died ({status})")),
    }
}

impl SupervisorOptions {
    fn tell(&self, state: Doing, detail: String) {
        self.hub.change(|snapshot| snapshot.set_agent(state, detail));
    }
}

#[cfg(all(test, unix))]
mod tests;
