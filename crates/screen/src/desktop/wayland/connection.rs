//! The connection to the compositor, on which every wait ends.

use std::io::{self, ErrorKind};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use wayland_client::backend::WaylandError;
use wayland_client::protocol::{wl_registry, wl_seat, wl_shm};
use wayland_client::{Connection as Client, Dispatch, EventQueue, Proxy, QueueHandle};
use wayland_protocols::xdg::xdg_output::zv1::client::zxdg_output_manager_v1::ZxdgOutputManagerV1;
use wayland_protocols_misc::zwp_virtual_keyboard_v1::client::zwp_virtual_keyboard_manager_v1::ZwpVirtualKeyboardManagerV1;
use wayland_protocols_wlr::foreign_toplevel::v1::client::zwlr_foreign_toplevel_manager_v1::ZwlrForeignToplevelManagerV1;
use wayland_protocols_wlr::screencopy::v1::client::zwlr_screencopy_manager_v1::ZwlrScreencopyManagerV1;
use wayland_protocols_wlr::virtual_pointer::v1::client::zwlr_virtual_pointer_manager_v1::ZwlrVirtualPointerManagerV1;

use super::events::{Events, Output};
use crate::desktop::display::{DisplayError, IsOver};

/// How often a wait checks whether the run is over.
const SLICE: Duration = Duration::from_millis(20);

/// How long to wait for the compositor's answer.
const ANSWER: Duration = Duration::from_secs(20);

/// How long a wait can still take once the run is over, in order to release what is held.
const LAST_WORDS: Duration = Duration::from_millis(80);

/// The connection to a compositor. After an error, it stays unusable.
pub(super) struct Connection {
    client: Client,
    queue: EventQueue<Events>,
    events: Events,
    registry: wl_registry::WlRegistry,
    is_over: IsOver,
    is_lost: bool,
}

/// What the compositor offers to every program.
pub(super) struct Globals {
    pub(super) shm: Option<wl_shm::WlShm>,
    pub(super) seat: Option<wl_seat::WlSeat>,
    pub(super) screencopy: Option<ZwlrScreencopyManagerV1>,
    pub(super) pointers: Option<ZwlrVirtualPointerManagerV1>,
    pub(super) keyboards: Option<ZwpVirtualKeyboardManagerV1>,
}

impl Globals {
    /// Returns the names of the missing protocols.
    pub(super) fn lacking(&self) -> Vec<&'static str> {
        [
            (self.shm.is_some(), "wl_shm"),
            (self.seat.is_some(), "wl_seat"),
            (self.screencopy.is_some(), "wlr-screencopy"),
            (self.pointers.is_some(), "wlr-virtual-pointer"),
            (self.keyboards.is_some(), "virtual-keyboard"),
        ]
        .into_iter()
        .filter_map(|(is_there, name)| (!is_there).then_some(name))
        .collect()
    }
}

impl Connection {
    pub(super) fn over(stream: UnixStream, is_over: IsOver) -> Result<Connection, DisplayError> {
        const DOING: &str = "connecting to the compositor";
        let client = Client::from_socket(stream).map_err(|error| DisplayError::failed(DOING, error))?;
        let queue = client.new_event_queue();
        let registry = client.display().get_registry(&queue.handle(), ());
        let mut connection = Connection {
            client,
            queue,
            events: Events::default(),
            registry,
            is_over,
            is_lost: false,
        };
        connection.sync(DOING)?;
        Ok(connection)
    }

    pub(super) fn handle(&self) -> QueueHandle<Events> {
        self.queue.handle()
    }

    /// Binds everything that this display uses.
    pub(super) fn globals(&mut self) -> Result<Globals, DisplayError> {
        let globals = Globals {
            shm: self.bind(1, 1),
            seat: self.bind(1, 7),
            screencopy: self.bind(2, 3),
            pointers: self.bind(2, 2),
            keyboards: self.bind(1, 1),
        };
        self.events.output_manager = self.bind::<ZxdgOutputManagerV1>(1, 3);
        self.events.name_outputs(&self.queue.handle());
        self.sync("opening the desktop")?;
        Ok(globals)
    }

    /// Asks to be told of windows; returns whether the compositor tells.
    pub(super) fn hear_of_windows(&mut self) -> bool {
        self.bind::<ZwlrForeignToplevelManagerV1>(1, 1).is_some()
    }

    /// Binds the first global of a type, in the newest version that both sides know.
    pub(super) fn bind<T>(&self, least: u32, most: u32) -> Option<T>
    where
        T: Proxy + 'static,
        Events: Dispatch<T, ()>,
    {
        let wanted = T::interface().name;
        let global = self.events.globals.iter().find(|global| global.interface == wanted)?;
        let version = global.version.min(most);
        (version >= least).then(|| self.registry.bind(global.name, version, &self.queue.handle(), ()))
    }

    pub(super) fn is_over(&self) -> IsOver {
        self.is_over.clone()
    }

    /// Returns the monitors according to what the compositor has sent.
    pub(super) fn outputs(&self) -> &[Output] {
        &self.events.outputs
    }

    pub(super) fn events(&mut self) -> &mut Events {
        &mut self.events
    }

    /// Waits until the compositor has processed everything that was sent.
    pub(super) fn sync(&mut self, doing: &'static str) -> Result<(), DisplayError> {
        self.events.asked += 1;
        let asked = self.events.asked;
        self.client.display().sync(&self.queue.handle(), asked);
        self.wait(doing, |events| (events.answered >= asked).then_some(()))
    }

    /// Sends everything that is waiting to be sent.
    pub(super) fn flush(&mut self, doing: &'static str) -> Result<(), DisplayError> {
        self.during(doing, |connection| {
            let deadline = Deadline::from_now(connection.is_over.clone());
            connection.push(deadline)
        })
    }

    /// Processes events until `found` returns something.
    pub(super) fn wait<T>(
        &mut self,
        doing: &'static str,
        found: impl FnMut(&mut Events) -> Option<T>,
    ) -> Result<T, DisplayError> {
        let deadline = Deadline::from_now(self.is_over.clone());
        self.wait_until(doing, deadline, found)
    }

    /// Processes events until `found` returns something, however long that takes.
    pub(super) fn wait_on<T>(
        &mut self,
        doing: &'static str,
        found: impl FnMut(&mut Events) -> Option<T>,
    ) -> Result<T, DisplayError> {
        let deadline = Deadline {
            end: None,
            ..Deadline::from_now(self.is_over.clone())
        };
        self.wait_until(doing, deadline, found)
    }

    fn wait_until<T>(
        &mut self,
        doing: &'static str,
        mut deadline: Deadline,
        mut found: impl FnMut(&mut Events) -> Option<T>,
    ) -> Result<T, DisplayError> {
        self.during(doing, |connection| {
            loop {
                connection.dispatch()?;
                if let Some(found) = found(&mut connection.events) {
                    return Ok(found);
                }
                // A compositor that never stops sending does not prolong the wait.
                deadline.check()?;
                connection.push(deadline.clone())?;
                // Without a guard, events have arrived in the meantime.
                let Some(guard) = connection.client.prepare_read() else {
                    continue;
                };
                if poll(&connection.client, PollFlags::IN)? {
                    read(guard)?;
                }
            }
        })
    }

    fn dispatch(&mut self) -> io::Result<()> {
        let dispatched = self.queue.dispatch_pending(&mut self.events);
        dispatched.map(drop).map_err(io::Error::other)
    }

    fn push(&mut self, mut deadline: Deadline) -> io::Result<()> {
        loop {
            match self.client.flush() {
                Ok(()) => return Ok(()),
                Err(WaylandError::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                    poll(&self.client, PollFlags::OUT)?;
                    deadline.check()?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }

    fn during<T>(
        &mut self,
        doing: &'static str,
        act: impl FnOnce(&mut Self) -> io::Result<T>,
    ) -> Result<T, DisplayError> {
        let done = if self.is_lost {
            Err(ErrorKind::NotConnected.into())
        } else {
            act(self)
        };
        done.map_err(|error| {
            self.is_lost = true;
            DisplayError::Lost {
                doing,
                source: error.into(),
            }
        })
    }
}

fn read(guard: wayland_client::backend::ReadEventsGuard) -> io::Result<()> {
    match guard.read() {
        Ok(_) => Ok(()),
        Err(WaylandError::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Waits for one slice until the connection is ready; returns whether it is.
fn poll(client: &Client, what: PollFlags) -> io::Result<bool> {
    let backend = client.backend();
    let socket = backend.poll_fd();
    let slice = Timespec::try_from(SLICE).map_err(io::Error::other)?;
    match rustix::event::poll(&mut [PollFd::new(&socket, what)], Some(&slice)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// When a wait ends.
#[derive(Clone)]
struct Deadline {
    /// `None` if it ends only with the run.
    end: Option<Instant>,
    is_over: IsOver,
    over: Option<Instant>,
}

impl Deadline {
    fn from_now(is_over: IsOver) -> Deadline {
        Deadline {
            end: Some(Instant::now() + ANSWER),
            is_over,
            over: None,
        }
    }

    fn check(&mut self) -> io::Result<()> {
        let now = Instant::now();
        if (self.is_over)() && now - *self.over.get_or_insert(now) >= LAST_WORDS {
            return Err(io::Error::other("the run is over"));
        }
        if self.end.is_some_and(|end| now >= end) {
            return Err(io::Error::new(ErrorKind::TimedOut, "the compositor is not responding"));
        }
        Ok(())
    }
}
