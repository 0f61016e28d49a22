//! The session bus, with waits that end.

use std::future::Future;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::time::sleep;
use zbus::{Connection, DynamicType, MatchRule, MessageStream, Type, connection};

use crate::desktop::display::IsOver;

/// How long to wait for an answer.
pub(super) const ANSWER: Duration = Duration::from_secs(20);

/// How often a wait checks whether the run is over.
const SLICE: Duration = Duration::from_millis(20);

/// How long a wait can still take once the run is over, in order to release what is held.
const LAST_WORDS: Duration = Duration::from_millis(80);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("the run is over")]
    Over,
    #[error("the desktop portal is not responding")]
    Late,
    #[error("{0}")]
    Failed(#[from] zbus::Error),
}

/// A connection to the session bus, with a thread that receives signals until this is dropped.
pub(super) struct Bus {
    pub(super) connection: Connection,
    pub(super) runtime: Handle,
    pub(super) is_over: IsOver,
    /// Ends the thread when dropped.
    _running: oneshot::Sender<()>,
}

impl Bus {
    pub(super) fn connect(is_over: IsOver) -> Result<Bus, NoAnswer> {
        let failed = |error: std::io::Error| NoAnswer::Failed(zbus::Error::InputOutput(error.into()));
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let handle = runtime.handle().clone();
        let (running, ended) = oneshot::channel::<()>();
        std::thread::Builder::new()
            .name("portal".to_owned())
            .spawn(move || runtime.block_on(ended))
            .map_err(failed)?;
        let connecting = connection::Builder::session().build();
        let connection = handle.block_on(answered(connecting, ANSWER, &is_over))?;
        Ok(Bus {
            connection,
            runtime: handle,
            is_over,
            _running: running,
        })
    }

    /// Waits for an answer, for a limited time and only as long as the run goes on.
    pub(super) fn wait<T>(
        &self,
        within: Duration,
        answer: impl Future<Output = zbus::Result<T>>,
    ) -> Result<T, NoAnswer> {
        self.runtime.block_on(answered(answer, within, &self.is_over))
    }

    /// Returns whether a program has this name on the bus.
    pub(super) fn has(&self, name: &str) -> Result<bool, NoAnswer> {
        self.wait(ANSWER, NAMES.call(&self.connection, "NameHasOwner", &(name,)))
    }

    /// Runs a task on the thread until it ends, or until this is dropped.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }
}

/// Waits for an answer, for a limited time and only as long as the run goes on.
async fn answered<T>(
    answer: impl Future<Output = zbus::Result<T>>,
    within: Duration,
    is_over: &IsOver,
) -> Result<T, NoAnswer> {
    tokio::select! {
        biased;
        answer = answer => Ok(answer?),
        () = over(is_over) => Err(NoAnswer::Over),
        () = sleep(within) => Err(NoAnswer::Late),
    }
}

async fn over(is_over: &IsOver) {
    while !is_over() {
        sleep(SLICE).await;
    }
    sleep(LAST_WORDS).await;
}

/// The bus itself.
const NAMES: Place = Place {
    name: "org.freedesktop.DBus",
    path: "/org/freedesktop/DBus",
    interface: "org.freedesktop.DBus",
};

/// Where a method is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    pub(super) interface: &'static str,
}

impl Place {
    pub(super) async fn call<T: DeserializeOwned + Type>(
        self,
        bus: &Connection,
        method: &str,
        body: &(impl Serialize + DynamicType),
    ) -> zbus::Result<T> {
        let asked = bus.call_method(Some(self.name), self.path, Some(self.interface), method, body);
        asked.await?.body().deserialize()
    }
}

/// Returns the signals of this kind.
pub(super) async fn signals(bus: &Connection, interface: &str, member: &str) -> zbus::Result<MessageStream> {
    let rule = MatchRule::builder()
        .msg_type(zbus::message::Type::Signal)
        .interface(interface)
        .member(member)
        .build();
    MessageStream::for_match_rule(rule?, bus, None).await
}
