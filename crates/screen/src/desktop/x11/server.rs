//! A connection to an X server, and the address for opening another one.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, getsockname};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::errors::{ConnectError, ConnectionError, DisplayParsingError, ReplyError, ReplyOrIdError};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{Atom, ConnectionExt as _, Window};
use x11rb::reexports::x11rb_protocol::parse_display::parse_display;
use x11rb::reexports::x11rb_protocol::xauth::get_auth;
use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::timed_stream::TimedStream;
use crate::desktop::display::{DisplayError, IsOver};

/// The result of a request.
pub(super) type Answer<T> = Result<T, ReplyOrIdError>;

/// Adds to a server's error what FRANZ was doing.
pub(super) trait While<T> {
    fn during(self, doing: &'static str) -> Result<T, DisplayError>;
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> While<T> for Result<T, E> {
    fn during(self, doing: &'static str) -> Result<T, DisplayError> {
        self.map_err(|error| failed(doing, error))
    }
}

/// Creates the error for a request that failed. A connection that has failed once is lost.
pub(super) fn failed(doing: &'static str, error: impl Into<Box<dyn Error + Send + Sync>>) -> DisplayError {
    let source = error.into();
    let lost = match (source.downcast_ref(), source.downcast_ref(), source.downcast_ref()) {
        (Some(ReplyOrIdError::ConnectionError(error)), ..)
        | (_, Some(ReplyError::ConnectionError(error)), _)
        | (.., Some(error)) => matches!(error, ConnectionError::IoError(_)),
        _ => matches!(source.downcast_ref(), Some(ConnectError::IoError(_))),
    };
    if lost {
        DisplayError::Lost { doing, source }
    } else {
        DisplayError::Failed { doing, source }
    }
}

/// Where an X server is, and how to authenticate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Address {
    /// The display name, such as `:1`; defaults to `DISPLAY`.
    pub(crate) name: Option<String>,
    /// The MIT-MAGIC-COOKIE-1 for a server of our own; otherwise it comes from the Xauthority file.
    pub(crate) cookie: Option<Vec<u8>>,
}

/// How often a wait checks whether to continue, because a stop must take effect immediately.
const LOOK: Duration = Duration::from_millis(5);

/// How long a server can take to notice that an old connection has ended, although it already answers new ones.
pub(super) const LINGERING: Duration = Duration::from_millis(500);

/// The highest display number: its port is the number plus 6000.
const LAST_DISPLAY: u16 = u16::MAX - 6000;

impl Address {
    fn connect(&self, is_over: &IsOver) -> Result<(RustConnection<TimedStream>, usize), ConnectError> {
        let parsed = parse_display(self.name.as_deref())?;
        if parsed.display > LAST_DISPLAY {
            // Refuse the number, because the library would compute a port that does not exist.
            let said = format!(":{}", parsed.display);
            return Err(DisplayParsingError::MalformedValue(said.into()).into());
        }
        let mut failed = DisplayParsingError::Unknown.into();
        for place in parsed.connect_instruction() {
            match DefaultStream::connect(&place) {
                Err(error) => failed = error.into(),
                Ok((stream, (family, address))) => {
                    let (method, secret) = match &self.cookie {
                        Some(cookie) => (b"MIT-MAGIC-COOKIE-1".to_vec(), cookie.clone()),
                        // A server might not require authentication.
                        None => get_auth(family, &address, parsed.display)
                            .ok()
                            .flatten()
                            .unwrap_or_default(),
                    };
                    let screen = parsed.screen.into();
                    let stream = TimedStream::new(stream, Arc::clone(is_over));
                    let connection = RustConnection::connect_to_stream_with_auth_info(stream, screen, method, secret)?;
                    return Ok((connection, screen));
                }
            }
        }
        Err(failed)
    }
}

/// A connection to an X server.
pub(super) struct Server {
    pub(super) connection: RustConnection<TimedStream>,
    pub(super) root: Window,
    /// The number of bits per pixel that carry colour on the root window.
    pub(super) depth: u8,
    is_over: IsOver,
    address: Address,
}

impl Server {
    /// Connects. Stops waiting once `is_over` returns `true`.
    pub(super) fn connect(address: Address, is_over: IsOver) -> Result<Server, ConnectError> {
        let (connection, screen) = address.connect(&is_over)?;
        let roots = &connection.setup().roots;
        let screen = roots.get(screen).ok_or(ConnectError::InvalidScreen)?;
        Ok(Server {
            root: screen.root,
            depth: screen.root_depth,
            connection,
            is_over,
            address,
        })
    }

    /// Opens another connection to the same server, with its own events and the same time limits.
    pub(super) fn again(&self) -> Result<Server, ConnectError> {
        Server::connect(self.address.clone(), Arc::clone(&self.is_over))
    }

    /// Returns the display name as people write it: `:0`.
    pub(super) fn name(&self) -> String {
        let named = self.address.name.clone();
        named.or_else(|| std::env::var("DISPLAY").ok()).unwrap_or_default()
    }

    pub(super) fn has(&self, extension: &'static str) -> Answer<bool> {
        Ok(self.connection.extension_information(extension)?.is_some())
    }

    pub(super) fn atom(&self, name: &str) -> Answer<Atom> {
        Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }

    /// Returns whether the connection can pass file descriptors, which is impossible over a network or through ssh.
    pub(super) fn is_local(&self) -> bool {
        getsockname(self.connection.stream()).is_ok_and(|address| address.address_family() == AddressFamily::UNIX)
    }

    /// Returns the next event, or `None` if none arrives before the deadline. Fails if the run ends before.
    pub(super) fn event_before(&self, deadline: Instant) -> Result<Option<Event>, ConnectionError> {
        let event = self.event_while(deadline, &mut || !(self.is_over)())?;
        if event.is_none() && (self.is_over)() {
            return Err(std::io::Error::other("the run is over").into());
        }
        Ok(event)
    }

    /// Returns the next event, or `None` if none arrives before the deadline, whether or not the run goes on.
    fn event_until(&self, deadline: Instant) -> Result<Option<Event>, ConnectionError> {
        self.connection.flush()?;
        loop {
            if let Some(event) = self.connection.poll_for_event()? {
                return Ok(Some(event));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            wait(&mut [PollFd::new(self.connection.stream(), PollFlags::IN)], Some(left))?;
        }
    }

    /// Returns the next event, or `None` if none arrives before the deadline or `goes_on` returns `false`.
    pub(super) fn event_while(
        &self,
        deadline: Instant,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Event>, ConnectionError> {
        while goes_on() {
            let soon = deadline.min(Instant::now() + LOOK);
            let event = self.event_until(soon)?;
            if event.is_some() || soon == deadline {
                return Ok(event);
            }
        }
        Ok(None)
    }
}

/// Waits until one of these can be read, or the time has passed.
pub(crate) fn wait(what: &mut [PollFd<'_>], time: Option<Duration>) -> std::io::Result<()> {
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    match poll(what, time.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
