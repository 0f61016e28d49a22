//! Everything around an agent: relays, the observer of what passes, and the dashboard.

use std::future::Future;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};
use franz_chat::Endpoint;
use franz_panel::history::History;
use franz_panel::relay::{self, Gate, Relay};
use franz_panel::{Controls, Copies, Hub, observer, web};
use franz_record::Lock;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::access::Access;
use crate::config::settings;
use crate::exit::Unusable;
use crate::upstream::secret;

const LOCK_FILE: &str = "panel.lock";

/// Where the dashboard is when nobody says.
const DASHBOARD: SocketAddr = loopback(7878);

/// How long what is under way may take when the end has come.
const LAST: Duration = Duration::from_secs(1);

/// What a station is to have.
pub(crate) struct Wanted {
    /// The run's directory.
    pub(crate) directory: PathBuf,
    pub(crate) panel: settings::Panel,
    /// Where the first relay listens when the settings do not say; the others take free ports.
    pub(crate) relay: SocketAddr,
    /// The model servers, a relay each.
    pub(crate) relays: Vec<Endpoint>,
    pub(crate) hub: Hub,
    pub(crate) gate: Gate,
    /// Whether the agent is another one than ours, which neither records its turns nor tells what it does.
    pub(crate) foreign: bool,
    pub(crate) exchange_log: bool,
    pub(crate) controls: Arc<dyn Controls>,
}

/// What is running.
pub(crate) struct Station {
    pub(crate) relays: Vec<SocketAddr>,
    pub(crate) hub: Hub,
    pub(crate) history: Arc<History>,
    pub(crate) access: Access,
    shutdown: watch::Sender<bool>,
    tasks: JoinSet<()>,
    observer: Option<JoinHandle<()>>,
    _lock: Option<Lock>,
}

/// Threads for relays and dashboard.
pub(crate) fn runtime() -> Result<Runtime> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.context("no threads for relay and dashboard can be started")
}

/// A port of this machine alone.
pub(crate) const fn loopback(port: u16) -> SocketAddr {
    SocketAddr::V4(std::net::SocketAddrV4::new(std::net::Ipv4Addr::LOCALHOST, port))
}

impl Station {
    /// Starts everything that is wanted.
    pub(crate) async fn open(wanted: Wanted) -> Result<Station> {
        let directory = &wanted.directory;
        let lock = Lock::acquire(directory, LOCK_FILE).map_err(Unusable::usage)?;
        let history = Arc::new(History::open(directory)?);
        let (copies, reader) = Copies::queue();
        let relays = bind_relays(&wanted, &copies).await?;
        let earlier = Access::read(directory);
        let listener = bind_dashboard(wanted.panel.dashboard.as_deref(), earlier.as_ref()).await?;
        let access = Access::new(listener.local_addr()?, earlier)?;
        access.write(directory)?;
        let observer = observer::spawn(
            reader,
            observer::Options {
                directory: directory.clone(),
                hub: wanted.hub.clone(),
                history: Arc::clone(&history),
                exchange_log: wanted.exchange_log,
                record_turns: wanted.foreign,
                secret: secret(),
            },
        )?;
        let dropped = copies.clone();
        let dashboard = web::Options {
            hub: wanted.hub.clone(),
            history: Arc::clone(&history),
            controls: wanted.controls,
            token: access.token.clone(),
            allow_hosts: wanted.panel.allow_hosts,
            secret: secret(),
            dropped: Arc::new(move || dropped.dropped()),
        };
        let (shutdown, ended) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let addresses = relays.iter().map(Relay::address).collect();
        for relay in relays {
            tasks.spawn(relay.serve(end(ended.clone())));
        }
        tasks.spawn(web::serve(listener, dashboard, end(ended)));
        Ok(Station {
            relays: addresses,
            hub: wanted.hub,
            history,
            access,
            shutdown,
            tasks,
            observer: Some(observer),
            _lock: Some(lock),
        })
    }

    /// Ends everything; what has passed by now is still judged and written down.
    pub(crate) async fn close(mut self) {
        self.shutdown.send_replace(true);
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST, ended).await;
        self.tasks.shutdown().await;
        if let Some(observer) = self.observer.take() {
            let joined = tokio::task::spawn_blocking(move || observer.join());
            let _ = tokio::time::timeout(LAST, joined).await;
        }
    }
}

async fn end(mut shutdown: watch::Receiver<bool>) {
    // A sender that is gone means the end, too.
    let _ = shutdown.wait_for(|ended| *ended).await;
}

async fn bind_relays(wanted: &Wanted, copies: &Copies) -> Result<Vec<Relay>> {
    let mut address = match &wanted.panel.relay {
        Some(text) => address_of("panel.relay", text)?,
        None => wanted.relay,
    };
    let mut relays = Vec::new();
    for upstream in &wanted.relays {
        let options = relay::Options {
            upstream: upstream.clone(),
            allow_hosts: wanted.panel.allow_hosts.clone(),
            copies: copies.clone(),
            gate: wanted.gate.clone(),
            hub: wanted.foreign.then(|| wanted.hub.clone()),
        };
        relays.push(Relay::bind(address, options).await.map_err(Unusable::usage)?);
        address.set_port(0);
    }
    Ok(relays)
}

/// Listens where the settings say; else at the port that browsers of this run know, at the usual one, or at a free one.
async fn bind_dashboard(given: Option<&str>, earlier: Option<&Access>) -> Result<TcpListener> {
    if let Some(text) = given {
        let address = address_of("panel.dashboard", text)?;
        let bound = TcpListener::bind(address).await;
        let trouble = |error| {
            Unusable::usage(format!(
                "the dashboard cannot listen on {address}: {error}; choose another address with --dashboard"
            ))
        };
        return Ok(bound.map_err(trouble)?);
    }
    let known = earlier.and_then(Access::port).map(loopback);
    for address in known.into_iter().chain([DASHBOARD]) {
        if let Ok(listener) = TcpListener::bind(address).await {
            return Ok(listener);
        }
    }
    let free = TcpListener::bind(loopback(0)).await;
    free.context("the dashboard finds no free port on this machine")
}

/// An address as people write one: HOST:PORT, or a port alone.
fn address_of(key: &str, text: &str) -> Result<SocketAddr> {
    if let Ok(port) = text.trim().parse() {
        return Ok(loopback(port));
    }
    let found = text.trim().to_socket_addrs().ok().and_then(|mut found| found.next());
    let wrong = || {
        Unusable::usage(format!(
            "{key} = \"{text}\" is no address; write it like 127.0.0.1:7878"
        ))
    };
    Ok(found.ok_or_else(wrong)?)
}

/// A recorded run whose dashboard listens.
pub(crate) struct Shown {
    pub(crate) access: Access,
    listener: TcpListener,
    options: web::Options,
}

impl Shown {
    /// Listens for browsers that want to see the run in `directory`. Nothing is written there.
    pub(crate) async fn open(directory: PathBuf, panel: settings::Panel) -> Result<Shown> {
        let history = Arc::new(History::open(&directory)?);
        let listener = bind_dashboard(panel.dashboard.as_deref(), None).await?;
        let access = Access::new(listener.local_addr()?, None)?;
        let options = web::Options {
            hub: Hub::default(),
            history,
            controls: Arc::new(franz_panel::controls::LookOnly),
            token: access.token.clone(),
            allow_hosts: panel.allow_hosts,
            secret: secret(),
            dropped: Arc::new(|| 0),
        };
        Ok(Shown {
            access,
            listener,
            options,
        })
    }

    /// Shows it until `shutdown` resolves.
    pub(crate) async fn serve(self, shutdown: impl Future<Output = ()>) {
        web::serve(self.listener, self.options, shutdown).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, address) in [
            ("7878", Some("127.0.0.1:7878")),
            (" 127.0.0.1:0 ", Some("127.0.0.1:0")),
            ("[::1]:9", Some("[::1]:9")),
            ("", None),
            ("nowhere", None),
            ("127.0.0.1:99999", None),
        ] {
            let found = address_of("panel.relay", text).ok().map(|address| address.to_string());
            assert_eq!(found.as_deref(), address, "{text}");
        }
    }
}
