//! The services around an agent: relays, the observer of their traffic, the dashboard, and the supervision of the
//! agent's process.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use franz_home::Home;
use franz_panel::history::History;
use franz_panel::observer::ObserverOptions;
use franz_panel::registered_runs::RegisteredRuns;
use franz_panel::runs::Runs;
use franz_panel::web::{Codes, WebOptions};
use franz_panel::{Controls, Hub, RelayWatcher, observer, web};
use franz_record::Lock;
use franz_relay::{Relay, Watcher};
use franz_secret::Secret;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::access::DashboardAccess;
use super::agent_control::AgentControl;
use super::membership::Membership;
use super::ports::{DashboardPort, Ports, reachable};
use super::supervisor::{AgentProcess, Backoff, ProcessEnd, ProcessOrder, SupervisorOptions, supervise};
use crate::config::settings::Settings;
use crate::stop::{Ending, Stop};

/// How long unfinished work may take after the run has ended.
const LAST: Duration = Duration::from_secs(3);

/// The parts of the services.
pub(super) struct Wanted {
    /// The run's directory.
    pub(super) home: Home,
    /// The panel's lock of that directory.
    pub(super) lock: Lock,
    pub(super) hub: Hub,
    pub(super) settings: Settings,
    /// The directory in which to record the turns of agents that do not record them themselves.
    pub(super) runs: Option<Arc<Runs>>,
    /// The runs of other processes, if they can register here.
    pub(super) registered: Option<Arc<RegisteredRuns>>,
    /// The key that our own agent sends with its requests; `None` for foreign agents.
    pub(super) key: Option<String>,
    /// The API keys, which are never shown or written to a file.
    pub(super) secret: Secret,
    pub(super) controls: Arc<dyn Controls>,
}

impl Wanted {
    /// Returns the options of the observer that watches the relays.
    fn observer(&self, history: &Arc<History>) -> ObserverOptions {
        ObserverOptions {
            home: self.home.clone(),
            hub: self.hub.clone(),
            history: Arc::clone(history),
            exchange_log: self.settings.record.exchange_log,
            record_turns: self.runs.as_ref().map(|_| self.settings.run_options()),
            runs: self.runs.clone(),
            secret: self.secret.clone(),
            key: self.key.clone(),
        }
    }
}

/// The running services.
pub(super) struct Services {
    /// The addresses at which agents reach the relays.
    pub(super) relays: Vec<SocketAddr>,
    pub(super) hub: Hub,
    pub(super) history: Arc<History>,
    pub(super) access: DashboardAccess,
    /// The codes that admit browsers started by FRANZ.
    pub(super) codes: Codes,
    shutdown: watch::Sender<bool>,
    tasks: JoinSet<()>,
    observer: JoinHandle<()>,
    _lock: Lock,
}

/// How to supervise an agent's process.
pub(super) struct Care {
    pub(super) control: AgentControl,
    pub(super) orders: UnboundedReceiver<ProcessOrder>,
    pub(super) backoff: Backoff,
    pub(super) grace: Duration,
    pub(super) stop: Stop,
    /// The run's place on the standing panel's page, if it has one.
    pub(super) membership: Option<Membership>,
}

impl Services {
    /// Starts these services at these ports.
    pub(super) fn open(ports: Ports, wanted: Wanted) -> Result<Services> {
        let Ports {
            relays,
            copies,
            reader,
            dashboard,
        } = ports;
        let DashboardPort {
            listener,
            access,
            allow_hosts,
        } = dashboard;
        let home = &wanted.home;
        let history = Arc::new(History::of(home)?);
        access.write(home)?;
        let observer = observer::spawn(reader, wanted.observer(&history))?;
        let runs = wanted.runs;
        let codes = Codes::default();
        let shown = WebOptions {
            hub: wanted.hub.clone(),
            history: Arc::clone(&history),
            runs: runs
                .clone()
                .unwrap_or_else(|| Arc::new(Runs::below(&wanted.home, Hub::default(), wanted.secret.clone()))),
            registered: wanted.registered,
            controls: wanted.controls,
            token: access.token.clone(),
            codes: codes.clone(),
            allow_hosts,
            secret: wanted.secret,
            dropped: Arc::new(move || copies.dropped()),
        };
        let (shutdown, ended) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let addresses = relays.iter().map(|relay| reachable(relay.address())).collect();
        let watcher: Arc<dyn Watcher> = Arc::new(RelayWatcher::new(wanted.hub.clone(), runs));
        for relay in relays {
            let relay = relay.with_watcher(Arc::clone(&watcher));
            tasks.spawn(Relay::serve(relay, end(ended.clone())));
        }
        tasks.spawn(web::serve(listener, shown, end(ended)));
        Ok(Services {
            relays: addresses,
            hub: wanted.hub,
            history,
            access,
            codes,
            shutdown,
            tasks,
            observer,
            _lock: wanted.lock,
        })
    }

    /// Supervises the agent until it has ended for good. Returns the exit code.
    pub(super) async fn tend(&self, agent: impl AgentProcess, care: Care) -> Result<u8> {
        let Care {
            control,
            orders,
            backoff,
            grace,
            stop,
            membership,
        } = care;
        let options = SupervisorOptions {
            backoff,
            grace,
            hub: self.hub.clone(),
        };
        let stopping = tokio::spawn({
            let stop = stop.clone();
            async move {
                stop.ended().await;
                control.end();
            }
        });
        let end = supervise(agent, orders, options).await;
        stopping.abort();
        if let Some(membership) = membership {
            membership.end().await;
        }
        code_of(end, stop.ending().as_ref())
    }

    /// Ends all services. Traffic that has already passed through is still judged and recorded.
    pub(super) async fn close(mut self) {
        self.shutdown.send_replace(true);
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST, ended).await;
        self.tasks.shutdown().await;
        let joined = tokio::task::spawn_blocking(|| self.observer.join());
        let _ = tokio::time::timeout(LAST, joined).await;
    }
}

async fn end(mut shutdown: watch::Receiver<bool>) {
    // A dropped sender is also an order to end.
    let _ = shutdown.wait_for(|ended| *ended).await;
}

/// Returns the panel's exit code, given how the agent ended.
fn code_of(end: ProcessEnd, ending: Option<&Ending>) -> Result<u8> {
    match (end, ending) {
        // If the panel was stopped, so was the agent, even if it had no time to report it.
        (_, Some(ending)) => Ok(ending.exit_code()),
        (ProcessEnd::Exited(code), None) => Ok(code),
        (ProcessEnd::GivenUp(how), None) => {
            let advice = "its last output is above; RUST_LOG=debug shows more";
            Err(anyhow!("{how}, repeatedly, before it finished a turn; {advice}"))
                .context("the agent cannot be kept running")
        }
    }
}
