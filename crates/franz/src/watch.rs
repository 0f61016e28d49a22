//! The panel's process: runs the relay, verifier and dashboard around an agent, which is a separate process.

mod access;
mod agent_control;
pub(crate) mod assignment;
mod browser;
mod dashboard_controls;
mod dashboard_edits;
pub(crate) mod edit;
mod foreign_agent;
mod guard;
mod holder;
#[cfg(target_os = "linux")]
mod leash;
mod live_page;
mod membership;
mod notification;
mod own_agent;
mod panel_command;
mod ports;
mod process_output;
#[cfg(any(windows, test))]
mod program_file;
mod replay_dashboard;
mod routes;
mod run_lines;
mod services;
pub(crate) mod standing_panel;
mod supervisor;
mod takeover;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use franz_chat::Keyring;
use franz_home::Home;
use franz_panel::Hub;
use franz_record::{AGENT_LOCK, Lock, LockError, Outputs, PANEL_LOCK};
use franz_relay::Gate;
use franz_rfb::VncPassword;
use franz_screen::PrivateDesktop;
use tokio::runtime::Builder;
use tokio::sync::mpsc::unbounded_channel;

use crate::agent::ModelServers;
use crate::config::resolve::Resolved;
use crate::keys::HeldPassword;
use crate::own_settings::OwnSettings;
use crate::run_location::{RELEASE, RunLocation, with_code};
use crate::screen::{self, PanelsDesktop};
use crate::stop::Stop;
use crate::terminal::complain;
use crate::terminal_orders;
use crate::upstream::{Relayed, ServerAddress, Upstream};
use agent_control::AgentControl;
use assignment::{Assignment, HeldKey};
use dashboard_controls::DashboardControls;
use dashboard_edits::DashboardEdits;
use membership::{Membership, RunNews};
use notification::Notifier;
use own_agent::OwnAgent;
use ports::{Ports, Wiring, loopback};
use routes::Route;
use services::{Care, Services, Wanted};
use supervisor::Backoff;

pub(crate) use guard::guard;
#[cfg(target_os = "linux")]
pub(crate) use leash::leash;
pub(crate) use live_page::{LivePage, open_browser};
pub(crate) use membership::PanelChoice;
pub(crate) use panel_command::PanelCommand;
pub(crate) use ports::try_ports;
pub(crate) use replay_dashboard::{ReplayDashboard, RunPair};

/// The ways in which a watched run interacts with the person.
pub(crate) struct WatchOptions {
    /// Outputs, besides the page, that receive the events.
    pub(crate) outputs: Outputs,
    /// Whether the person can type decisions in the terminal.
    pub(crate) is_typed: bool,
    /// Whether to open the dashboard in a browser.
    pub(crate) opens: bool,
    /// Whether to wait for a model server that is not running.
    pub(crate) wait: bool,
    /// Which other panel's page also shows the run.
    pub(crate) panel: PanelChoice,
    /// How long the dashboard stays open.
    pub(crate) stays: Stays,
}

/// How long the dashboard of a run stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stays {
    /// Until the run ends.
    Never,
    /// Until Ctrl+C, unless a standing panel also shows the run.
    Alone,
    /// Until Ctrl+C.
    Always,
}

impl Stays {
    /// Returns whether the dashboard stays open after the run, beside a standing panel or without one.
    fn beside(self, standing: bool) -> bool {
        match self {
            Stays::Never => false,
            Stays::Alone => !standing,
            Stays::Always => true,
        }
    }
}

/// How long an agent may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(2);

/// A watched run.
pub(crate) struct Watch {
    pub(crate) place: RunLocation,
    pub(crate) resolved: Resolved,
    /// The profile's name, as shown to people.
    pub(crate) profile: String,
    /// The run's private desktop, if it has one.
    pub(crate) private: Option<Box<dyn PrivateDesktop>>,
    /// The password of the run's VNC server, if it uses one.
    pub(crate) vnc_password: Option<VncPassword>,
    pub(crate) stop: Stop,
}

impl Watch {
    /// Starts the agent and waits until it has ended for good. Returns the exit code.
    pub(crate) fn run(self, server: ModelServers, grounder: Option<ModelServers>, options: WatchOptions) -> Result<u8> {
        // The servers' own runtimes must not be dropped inside another runtime.
        let keyring = server.keyring().clone();
        let servers = server.into_order();
        let grounder = grounder.map(ModelServers::into_order).unwrap_or_default();
        within_runtime(self.watch(servers, grounder, keyring, options))
    }

    async fn watch(
        self,
        servers: Vec<(ServerAddress, Option<Upstream>)>,
        grounder: Vec<(ServerAddress, Option<Upstream>)>,
        keyring: Keyring,
        options: WatchOptions,
    ) -> Result<u8> {
        let settings = &self.resolved.settings;
        let mut routes = routes::of(servers, &keyring).await;
        options.panel.check().await?;
        let models = routes.len();
        routes.extend(routes::of(grounder, &keyring).await);
        let hub = Hub::default();
        // Every panel makes a new key, so that it does not trust an agent left behind by an earlier panel.
        let key = crate::random()?;
        let wiring = wiring(&routes, &key);
        let ports = Ports::bind(&settings.panel, self.place.existing(), wiring).await?;
        let home = self.place.prepare(&self.resolved)?;
        let lock = locked(&home).await?;
        if let Some(private) = &self.private {
            screen::keep_errors(private.log(), &home);
        }
        let own = OwnSettings::new(home.path(), self.resolved.bounds.clone());
        let (sender, orders) = unbounded_channel();
        let control = AgentControl::of_agent(sender, hub.clone(), self.stop.clone());
        let terminal = options.is_typed && terminal_orders::listen(control.clone())?;
        let edits = DashboardEdits::new(home.clone(), own.clone(), control.clone(), settings.screen.kind);
        let wanted = Wanted {
            home: home.clone(),
            lock,
            hub,
            settings: settings.clone(),
            runs: None,
            registered: None,
            key: Some(key.clone()),
            secret: keyring.secret().clone(),
            controls: Arc::new(DashboardControls::new(control.clone(), Some(edits))),
        };
        let services = Services::open(ports, wanted)?;
        // From here on, only the panel writes the settings. The values set by flags apply each time the agent starts.
        if self.place.existing().is_some() {
            edit::keep(&home, &own, &self.resolved.flags)?;
        }
        let keys = routes::keys(&routes, &keyring);
        let mut relayed = routes::relayed(&routes, &services.relays);
        let grounder = relayed.split_off(models.min(relayed.len())).pop();
        // On a desktop that the model acts on, a notification would get in the model's way.
        let may_notify = settings.person.notify && !settings.screen.kind.is_in_front();
        let notifier = Notifier::new(may_notify, &home.name(), &services.access, &services.codes);
        let attended = terminal || notifier.reaches_person();
        let assignment = self.assignment(relayed, grounder, keys, key, &own, (options.wait, attended));
        let environment = self.private.as_ref().map(|private| private.environment());
        let agent = OwnAgent::new(
            home.clone(),
            assignment,
            own,
            options.outputs,
            control.clone(),
            notifier,
            &services,
        )?
        .with_environment(environment.unwrap_or_default());
        // Under an MCP host, stdout is never a terminal, and only a person asks for the page.
        let can_open = if options.is_typed {
            browser::can_open()
        } else {
            browser::has_display()
        };
        let code = (options.opens && can_open).then(crate::random).transpose()?;
        let offer = membership::offer(&home, &services.access, code.clone())?;
        let news = RunNews::new(services.hub.clone(), keyring.secret().clone(), control.clone())?;
        let membership = Membership::join(options.panel, offer, news).await?;
        let agent = agent.with_page(membership.as_ref().map(Membership::page));
        if let Some(code) = code {
            show_page(membership.as_ref(), &code, &services)?;
        }
        let stays = options.stays.beside(membership.is_some());
        let care = Care {
            control,
            orders,
            backoff: Backoff::of(&settings.panel),
            grace: GRACE,
            stop: self.stop.clone(),
            membership,
        };
        let code = services.tend(agent, care).await;
        // The agent needed these until it ended.
        drop((routes, self.private));
        if stays && code.is_ok() && self.stop.ending().is_none() {
            complain(&format!(
                "the dashboard stays open at {}; press Ctrl+C to exit",
                services.access.link()
            ));
            self.stop.ended().await;
        }
        services.close().await;
        code
    }

    /// Returns the assignment for the agent's first start.
    fn assignment(
        &self,
        servers: Vec<Relayed>,
        grounder: Option<Relayed>,
        keys: Vec<HeldKey>,
        key: String,
        own: &OwnSettings,
        (wait, attended): (bool, bool),
    ) -> Assignment {
        Assignment {
            servers,
            grounder,
            own: own.text(),
            goal: self.resolved.given_goal.clone(),
            first: None,
            wait,
            answered: false,
            paused: false,
            attended,
            page: false,
            display: self.private.as_deref().map(PanelsDesktop::of),
            vnc_password: self.vnc_password.as_ref().map(HeldPassword::of),
            profile: self.profile.clone(),
            keys,
            key,
        }
    }
}

/// Locks the run for the panel before anything in it changes. Refuses a run that an agent is already carrying out
/// without a panel, but waits for the agent of a panel that was killed.
async fn locked(home: &Home) -> Result<Lock> {
    let lock = Lock::acquire(home, PANEL_LOCK).map_err(|error| with_code(error.into()))?;
    let deadline = Instant::now() + RELEASE;
    loop {
        // Look at the clock first, so that a pause of the whole machine does not take the last attempt.
        let is_last = Instant::now() >= deadline;
        match Lock::acquire(home, AGENT_LOCK) {
            Err(LockError::Held { .. }) if !is_last => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            free => {
                free.map_err(|error| with_code(error.into()))?;
                return Ok(lock);
            }
        }
    }
}

/// Opens the run's page in a browser: the standing panel's, unless it is open already, or else the run's own.
fn show_page(membership: Option<&Membership>, code: &str, services: &Services) -> Result<()> {
    match membership {
        Some(membership) if membership.is_watched() => {}
        Some(membership) => browser::start(&membership.link_once(code)),
        None => browser::start(&services.access.link_once(&services.codes)?),
    }
    Ok(())
}

/// Returns the wiring for one relay per server, each at any free port. The relays hold nothing back, because the agent
/// pauses itself.
fn wiring(routes: &[Route], key: &str) -> Wiring {
    Wiring {
        relay: loopback(0),
        upstreams: routes.iter().map(|route| route.endpoint.clone()).collect(),
        gate: Gate::default(),
        key: Some(key.to_owned()),
    }
}

/// Runs `future` on a runtime with threads for the relays and the dashboard. Afterwards, does not wait for tasks that
/// still block.
pub(crate) fn within_runtime<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.context("cannot start threads for relay and dashboard")?;
    let done = runtime.block_on(future);
    runtime.shutdown_background();
    done
}
