//! Reads the elements of the programs on a private desktop over its accessibility bus, within a time limit per turn.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use franz_frame::Area;
use futures_util::future::join_all;
use tokio::runtime::Runtime;
use tokio::time::{sleep, timeout};
use zbus::{Connection, connection};

use super::accessible::Accessible;
use super::sieve::{ReportedElement, sifted};
use super::tree::Walk;
use super::{DesktopLayer, ElementSource, Elements};

/// How long a turn waits for all programs in total.
const TURN: Duration = Duration::from_millis(150);

/// How long to wait for the bus to start.
const START: Duration = Duration::from_secs(15);

/// How often the wait for the bus checks whether the run is over.
const SLICE: Duration = Duration::from_millis(20);

/// Where programs look up the accessibility bus.
const BUS: (&str, &str) = ("org.a11y.Bus", "/org/a11y/bus");

/// Why the elements of a desktop cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ElementsError {
    /// The bus is not responding.
    #[error("the accessibility bus of the private desktop is not responding ({0}), so the model gets no elements")]
    Bus(zbus::Error),
    /// The bus did not start in time.
    #[error("the accessibility bus of the private desktop did not start in time, so the model gets no elements")]
    Late,
    /// The run was over before the bus had started.
    #[error("the run is over")]
    Over,
    /// The system provides no way to wait for events.
    #[error("FRANZ cannot read elements ({0})")]
    Runtime(io::Error),
}

/// Reads elements from the accessibility bus that belongs to a session bus.
pub struct ElementReader {
    runtime: Runtime,
    bus: Connection,
    /// The processes of programs, by their names on the bus, which the bus never reuses.
    processes: RefCell<BTreeMap<String, u32>>,
}

impl ElementReader {
    /// Connects to the accessibility bus of the session at this address, and tells its programs that someone is reading
    /// their elements.
    pub fn on(session: &str) -> Result<ElementReader, ElementsError> {
        ElementReader::on_until(session, || false)
    }

    /// Connects like [`on`](ElementReader::on), but waits no longer once `is_over` returns `true`.
    pub fn on_until(session: &str, is_over: impl Fn() -> bool) -> Result<ElementReader, ElementsError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ElementsError::Runtime)?;
        let bus = runtime.block_on(async {
            tokio::select! {
                biased;
                connected = connect(session) => connected.map_err(ElementsError::Bus),
                () = over(is_over) => Err(ElementsError::Over),
                () = sleep(START) => Err(ElementsError::Late),
            }
        })?;
        Ok(ElementReader {
            runtime,
            bus,
            processes: RefCell::default(),
        })
    }

    async fn walk(&self, found: &Found) -> zbus::Result<()> {
        let Some(desktop) = Accessible::desktop() else {
            return Ok(());
        };
        let programs = desktop.children(&self.bus).await?;
        let walks = programs.iter().map(|program| self.walk_through(program, found));
        let walked = join_all(walks).await;
        found.is_complete.set(walked.into_iter().all(|all| all));
        Ok(())
    }

    /// Walks through one program. Returns whether the walk was complete.
    async fn walk_through(&self, program: &Accessible, found: &Found) -> bool {
        let process = self.process(program).await;
        let walk = Walk {
            bus: &self.bus,
            found: &found.told,
        };
        // A program that is gone has nothing to report.
        walk.through(program, process).await.unwrap_or(true)
    }

    async fn process(&self, program: &Accessible) -> Option<u32> {
        let known = self.processes.borrow().get(&program.owner).copied();
        if known.is_some() {
            return known;
        }
        let process = program.process(&self.bus).await.ok()?;
        self.processes.borrow_mut().insert(program.owner.clone(), process);
        Some(process)
    }
}

/// What a walk through all programs has found so far.
#[derive(Default)]
struct Found {
    told: RefCell<Vec<ReportedElement>>,
    is_complete: Cell<bool>,
}

impl ElementSource for ElementReader {
    fn read(&mut self, layers: &[DesktopLayer], seen: Area) -> Elements {
        let found = Found::default();
        // Keep the elements found before the time ran out.
        let _ = self.runtime.block_on(async { timeout(TURN, self.walk(&found)).await });
        Elements {
            is_complete: found.is_complete.get(),
            ..sifted(found.told.into_inner(), layers, seen)
        }
    }
}

async fn over(is_over: impl Fn() -> bool) {
    while !is_over() {
        sleep(SLICE).await;
    }
}

/// Connects to the accessibility bus of a session.
async fn connect(session: &str) -> zbus::Result<Connection> {
    let session = connection::Builder::address(session).build().await?;
    let (name, path) = BUS;
    let asked = session.call_method(Some(name), path, Some(name), "GetAddress", &());
    let address: String = asked.await?.body().deserialize()?;
    let on = zbus::Variant::from(true);
    let status = ("org.a11y.Status", "IsEnabled", on);
    let properties = "org.freedesktop.DBus.Properties";
    session
        .call_method(Some(name), path, Some(properties), "Set", &status)
        .await?;
    connection::Builder::address(address.as_str()).build().await
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_stop_ends_the_wait_for_a_bus_that_does_not_answer() {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("bus");
        let _silent = UnixListener::bind(&socket).unwrap();
        let address = format!("unix:path={}", socket.display());
        let stopped = ElementReader::on_until(&address, || true).err();
        assert!(matches!(stopped, Some(ElementsError::Over)), "{stopped:?}");
    }
}
