//! `franz panel`: relay and dashboard for an agent that is not ours, and its process where we start it.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use franz_panel::history::History;
use franz_panel::relay::Gate;
use franz_panel::supervisor::{self, Outcome, Ward, supervise};
use franz_panel::update::{AgentState, Doing, RunFacts};
use franz_panel::{Hub, Update};
use jiff::Timestamp;
use tokio::process::Command;
use tokio::sync::mpsc::unbounded_channel;

use super::desk::{Desk, Reins};
use super::station::{Station, Wanted, loopback, runtime};
use super::{browser, code_of, stop_with};
use crate::config::settings::Settings;
use crate::place::Place;
use crate::stop::Stop;
use crate::terminal::{complain_plainly, say};
use crate::upstream::locate;

/// Where agents that know nothing of a panel look for their model server: LM Studio's port.
const RELAY: u16 = 1234;

/// How long a foreign agent may take to end: its guard needs a part of it.
const GRACE: Duration = Duration::from_secs(4);
/// How long the guard waits between asking and killing.
#[cfg(unix)]
const GUARD_GRACE: Duration = Duration::from_secs(2);

/// What `franz panel` is to do.
pub(crate) struct Panel {
    pub(crate) place: Place,
    pub(crate) settings: Settings,
    pub(crate) command: Vec<OsString>,
    pub(crate) open: bool,
    pub(crate) stop: Stop,
}

/// Watches until it is stopped, or until the agent that it has started ends for good.
pub(crate) fn panel(panel: Panel) -> Result<u8> {
    runtime()?.block_on(watch(panel))
}

async fn watch(panel: Panel) -> Result<u8> {
    let Panel {
        place,
        settings,
        command,
        open,
        stop,
    } = panel;
    let name = &settings.model.upstream;
    let located = locate(name, true).await?;
    let shown = located.shown(name);
    let upstream = located.endpoint.clone();
    let directory = place.prepare(&settings)?;
    let (hub, gate) = (Hub::default(), Gate::default());
    let (sender, orders) = unbounded_channel();
    let process = (!command.is_empty()).then_some(sender);
    let reins = Reins::of_requests(gate.clone(), hub.clone(), process);
    let station = Station::open(Wanted {
        directory: directory.clone(),
        panel: settings.panel.clone(),
        relay: loopback(RELAY),
        relays: vec![upstream],
        hub: hub.clone(),
        gate,
        foreign: true,
        exchange_log: settings.record.exchange_log,
        controls: Arc::new(Desk::new(reins.clone(), None)),
    })
    .await?;
    let relay = station
        .relays
        .first()
        .map(|relay| format!("http://{relay}"))
        .unwrap_or_default();
    greet(&station, &relay, &shown, &directory);
    if open {
        browser::open(&station.access.link());
    }
    let ending = stop_with(&stop, reins);
    let outcome = if command.is_empty() {
        stop.given().await;
        Outcome::Exited(0)
    } else {
        let ward = Foreign {
            program: std::env::current_exe().context("this program cannot find itself, to guard the agent")?,
            command,
            directory,
            relay,
            hub: hub.clone(),
            history: Arc::clone(&station.history),
        };
        let options = supervisor::Options {
            restart: Duration::from_secs_f64(settings.panel.restart_s),
            grace: GRACE,
            hub,
        };
        supervise(ward, orders, options).await
    };
    ending.abort();
    station.close().await;
    drop(located.source);
    code_of(outcome, &stop)
}

fn greet(station: &Station, relay: &str, upstream: &str, directory: &std::path::Path) {
    say(&format!("FRANZ {}, a panel for any agent", env!("CARGO_PKG_VERSION")));
    say(&format!("relay   {relay} leads to {upstream}"));
    say(&format!("look    {}", station.access.link()));
    say(&format!("record  {}", directory.display()));
    say("stop    Ctrl+C");
    station.hub.tell(Update::Run(RunFacts {
        name: directory.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        upstream: upstream.to_owned(),
        ..RunFacts::default()
    }));
}

/// Somebody else's agent under the panel's care.
struct Foreign {
    program: PathBuf,
    command: Vec<OsString>,
    directory: PathBuf,
    relay: String,
    hub: Hub,
    history: Arc<History>,
}

impl Ward for Foreign {
    /// The agent's guard, which ends it when the panel is gone.
    fn command(&mut self) -> Command {
        let since = Timestamp::now().as_millisecond();
        self.hub.tell(Update::Agent(AgentState {
            state: Doing::Running,
            detail: String::new(),
            since,
        }));
        let mut command = Command::new(&self.program);
        command.arg("guard").arg("--").args(&self.command);
        command
            .env("FRANZ_RUN_DIR", &self.directory)
            .env("OPENAI_BASE_URL", format!("{}/v1", self.relay));
        command
    }

    fn brief(&mut self) -> Option<String> {
        None
    }

    fn said(&mut self, line: &str) {
        say(line);
    }

    fn complained(&mut self, line: &str) {
        complain_plainly(line);
        self.hub.tell(Update::Notice { text: line.to_owned() });
    }

    fn completed(&self) -> u64 {
        self.history.extent().count
    }

    fn farewell(&mut self) -> Option<String> {
        None
    }
}

/// Runs a program in a group of its own until it ends, or until this process's stdin is closed: then the whole group ends.
pub(crate) fn guard(command: &[OsString]) -> Result<u8> {
    let (program, arguments) = command.split_first().context("there is no command to guard")?;
    let mut command = std::process::Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let group = child.id();
    let orphaned = Arc::new(AtomicBool::new(false));
    let guard = std::thread::spawn({
        let orphaned = Arc::clone(&orphaned);
        move || {
            let mut nothing = [0; 64];
            while matches!(std::io::stdin().read(&mut nothing), Ok(1..)) {}
            orphaned.store(true, Ordering::Release);
            end_group(group);
        }
    });
    let status = child.wait()?;
    if orphaned.load(Ordering::Acquire) {
        // Others of the group may still be there.
        let _ = guard.join();
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Asks every process of the group to end, and kills what is left after a while.
#[cfg(unix)]
fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

    let group = i32::try_from(leader).ok().and_then(Pid::from_raw);
    let Some(group) = group else { return };
    let _ = kill_process_group(group, Signal::TERM);
    let deadline = Instant::now() + GUARD_GRACE;
    while test_kill_process_group(group).is_ok() {
        if Instant::now() > deadline {
            let _ = kill_process_group(group, Signal::KILL);
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Ends the program; what it has started itself is beyond reach here.
#[cfg(not(unix))]
fn end_group(leader: u32) {
    let mut command = std::process::Command::new("taskkill");
    let _ = command.args(["/T", "/F", "/PID", &leader.to_string()]).status();
}
