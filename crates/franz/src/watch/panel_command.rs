//! `franz panel`: runs the relay and dashboard for a foreign agent, and the agent's process if FRANZ starts it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use franz_chat::Endpoint;
use franz_panel::Hub;
use franz_panel::hub::RunFacts;
use franz_panel::registered_runs::RegisteredRuns;
use franz_panel::runs::Runs;
use franz_record::{Lock, PANEL_LOCK};
use franz_relay::Gate;
use franz_secret::Secret;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;

use super::agent_control::AgentControl;
use super::dashboard_controls::DashboardControls;
use super::foreign_agent::ForeignAgent;
use super::ports::{Ports, Wiring, loopback};
use super::run_lines;
use super::services::{Care, Services, Wanted};
use super::standing_panel::{StandingClaim, StandingPanel};
use super::supervisor::Backoff;
use super::{browser, guard, within_runtime};
use crate::config::resolve::Resolved;
use crate::known_runs;
use crate::run_location::{RunLocation, with_code};
use crate::stop::Stop;
use crate::terminal::{Printer, complain, say};
use crate::upstream::{Otherwise, locate};

/// The port at which agents that are not aware of a panel expect a model server. LM Studio uses the same port.
const RELAY: u16 = 1234;

/// The options of `franz panel`.
pub(crate) struct PanelCommand {
    pub(crate) place: RunLocation,
    pub(crate) resolved: Resolved,
    /// The command that starts the agent; empty if somebody else starts it.
    pub(crate) command: Vec<OsString>,
    /// Whether to open the dashboard in a browser.
    pub(crate) open: bool,
    /// Whether to print nothing about the runs.
    pub(crate) quiet: bool,
    /// The API keys, which are never shown or written to a file.
    pub(crate) secret: Secret,
    pub(crate) stop: Stop,
}

/// Whether runs find this panel by themselves.
enum Rank {
    /// They do.
    Standing(StandingClaim),
    /// They must be given its link.
    Unlisted,
    /// Another panel is running at the usual addresses, so this one is not needed.
    Taken,
}

impl PanelCommand {
    /// Claims the right to be the standing panel, unless this panel is to start an agent. If the file that leads runs to
    /// it cannot be written, the panel works without.
    fn rank(&self) -> Rank {
        if !self.command.is_empty() {
            return Rank::Unlisted;
        }
        let panel = &self.resolved.settings.panel;
        let has_addresses = panel.relay.is_some() || panel.dashboard.is_some();
        match StandingClaim::claim() {
            Ok(Some(standing)) => Rank::Standing(standing),
            Ok(None) if has_addresses => Rank::Unlisted,
            Ok(None) => Rank::Taken,
            Err(error) => {
                warn_unlisted(&error);
                Rank::Unlisted
            }
        }
    }

    /// Runs until it is stopped, or until the agent that it started ends for good. Returns the exit code.
    pub(crate) fn run(self) -> Result<u8> {
        within_runtime(self.watch())
    }

    async fn watch(self) -> Result<u8> {
        let standing = match self.rank() {
            Rank::Taken => return already_running(self.open).await,
            Rank::Unlisted => None,
            Rank::Standing(standing) => Some(standing),
        };
        let settings = &self.resolved.settings;
        let name = &settings.model.upstream;
        let located = locate(name, Otherwise::BuiltIn).await?;
        let (hub, gate) = (Hub::default(), Gate::default());
        let wiring = wiring(&located.endpoint, &gate);
        let ports = Ports::bind(&settings.panel, self.place.existing(), wiring).await?;
        let home = self.place.prepare(&self.resolved)?;
        let directory = std::path::absolute(home.path())?;
        let (sender, orders) = unbounded_channel();
        let process = (!self.command.is_empty()).then_some(sender);
        let control = AgentControl::of_requests(gate, hub.clone(), process, self.stop.clone());
        let runs = Arc::new(Runs::below(&home, hub.clone(), self.secret.clone()));
        let registered = self
            .command
            .is_empty()
            .then(|| Arc::new(RegisteredRuns::new(hub.clone())));
        let lock = Lock::acquire(&home, PANEL_LOCK).map_err(|error| with_code(error.into()))?;
        let wanted = Wanted {
            home,
            lock,
            hub,
            settings: settings.clone(),
            runs: Some(Arc::clone(&runs)),
            registered: registered.clone(),
            key: None,
            secret: self.secret,
            controls: Arc::new(DashboardControls::new(control.clone(), None)),
        };
        let services = Services::open(ports, wanted)?;
        let relay = services.relays.first().map(|relay| format!("http://{relay}"));
        let relay = relay.unwrap_or_default();
        if let Some(standing) = &standing {
            let announced = standing.announce(&services.access, &relay);
            announced.unwrap_or_else(|error| warn_unlisted(&error));
        }
        greet(&services, &relay, &located.shown(name), &directory, standing.is_some());
        if registered.is_some() {
            services.hub.change(|snapshot| snapshot.expect_programs(&relay));
        }
        if self.open {
            browser::open(&services.access, &services.codes)?;
        }
        control.tell_standing(&services.hub);
        let stop = self.stop.clone();
        let code = if let Some(registered) = registered {
            recall(Arc::clone(&registered), PathBuf::from(&settings.record.dir))?;
            let printer = (!self.quiet).then(Printer::new).transpose()?;
            let lines = printer.map(|printer| {
                let (hub, runs) = (services.hub.clone(), Arc::clone(&runs));
                tokio::spawn(run_lines::print(printer, hub, runs, registered.clone()))
            });
            stand(standing, &registered, lines, &self.stop).await;
            services.close().await;
            self.stop.ending().map_or(0, |ending| ending.exit_code())
        } else {
            let agent = ForeignAgent::new(
                self.command,
                directory,
                relay.clone(),
                control.clone(),
                &services,
                Arc::clone(&runs),
            )?;
            let care = Care {
                control,
                orders,
                backoff: Backoff::of(&settings.panel),
                // The guard needs its own grace period first.
                grace: guard::GRACE * 2,
                stop: self.stop,
                membership: None,
            };
            let code = services.tend(agent, care).await;
            services.close().await;
            code?
        };
        drop(located.source);
        let how = stop.ending().map_or_else(
            || format!("the agent exited with code {code}"),
            |ending| ending.to_string(),
        );
        say(&format!("ended: {how}; {}", seen(runs.turns(), &relay)));
        Ok(code)
    }
}

/// Reads the earlier runs for the page, in a thread. A task of the runtime would delay the panel's end until the last
/// run has been read.
fn recall(registered: Arc<RegisteredRuns>, dir: PathBuf) -> Result<()> {
    let reader = std::thread::Builder::new().name("earlier runs".to_owned());
    reader.spawn(move || registered.recall(known_runs::earlier(&dir)))?;
    Ok(())
}

/// Shows the page, with these lines in the terminal, until the panel is stopped. Then says which runs continue.
async fn stand(
    standing: Option<StandingClaim>,
    registered: &RegisteredRuns,
    lines: Option<JoinHandle<()>>,
    stop: &Stop,
) {
    stop.ended().await;
    drop(standing);
    if let Some(lines) = lines {
        lines.abort();
        // What it has said comes before the last lines.
        let _ = lines.await;
    }
    if let live @ [_, ..] = &registered.live()[..] {
        say(&format!("without this page, these runs continue: {}", live.join(", ")));
    }
}

/// Warns that runs do not find this panel.
fn warn_unlisted(error: &anyhow::Error) {
    complain(&format!(
        "runs cannot find this panel by themselves ({error:#}); give them its link with --panel"
    ));
}

/// Says where the standing panel is, and opens its page.
async fn already_running(open: bool) -> Result<u8> {
    let Some(panel) = StandingPanel::find() else {
        say("another franz panel is just starting");
        return Ok(0);
    };
    say(&format!("a panel is already running: {}", panel.access.link()));
    say("to start another one, choose its addresses: --relay 127.0.0.1:0 --dashboard 127.0.0.1:0");
    if open && browser::can_open() {
        browser::start(&panel.link_once().await?);
    }
    Ok(0)
}

/// Returns the wiring for one relay at the port where agents look for a model server. The relay can hold requests back.
fn wiring(upstream: &Endpoint, gate: &Gate) -> Wiring {
    Wiring {
        relay: loopback(RELAY),
        upstreams: vec![upstream.clone()],
        gate: gate.clone(),
        key: None,
    }
}

/// Describes the traffic that the relay has seen.
fn seen(turns: u64, relay: &str) -> String {
    match turns {
        0 => format!("no turn went through {relay}; an agent started here finds that address in OPENAI_BASE_URL"),
        1 => "1 turn is recorded".to_owned(),
        _ => format!("{turns} turns are recorded"),
    }
}

fn greet(services: &Services, relay: &str, upstream: &str, directory: &Path, is_standing: bool) {
    say(&format!("FRANZ {}, a panel for any agent", env!("CARGO_PKG_VERSION")));
    say(&format!("relay   {relay} forwards to {upstream}"));
    say(&format!("look    {}", services.access.link()));
    say(&format!("record  {}", directory.display()));
    if is_standing {
        say("runs    every franz run that you start appears on this page");
    }
    say("stop    Ctrl+C");
    let facts = RunFacts {
        name: services.history.name(),
        upstream: upstream.to_owned(),
        ..RunFacts::default()
    };
    services.hub.change(|snapshot| snapshot.begin(facts));
}
