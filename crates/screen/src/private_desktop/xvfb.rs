//! An X server without a monitor, with a window manager.

mod bus;
mod cookie;
mod manager;
mod process_spawner;
mod reaper;

use std::io;
use std::process::Command;
use std::time::Duration;

use super::{PrivateDesktop, PrivateDesktopOptions, ProgramFailure, ProgramLog};
use crate::desktop::{Address, Display, DisplayError, IsOver, open_at, windows};
use bus::SessionBus;
pub(super) use bus::telling;
use cookie::Cookie;
pub(super) use manager::names as window_managers;
pub(crate) use process_spawner::ProcessSpawner;
use process_spawner::Server;

/// A private desktop on an X server of its own.
pub(super) struct Xvfb {
    /// Declared first, so that it ends before the cookie is removed.
    spawner: ProcessSpawner,
    name: String,
    cookie: Cookie,
    manager: Option<&'static str>,
    bus: Option<SessionBus>,
    /// Once this returns `true`, waits for programs end early.
    is_over: IsOver,
}

impl Xvfb {
    /// Starts the server, with the first window manager found.
    pub(super) fn start(options: PrivateDesktopOptions, is_over: &IsOver) -> Result<Xvfb, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("starting a private desktop", error);
        let cookie = Cookie::new().map_err(failed)?;
        let mut spawner = ProcessSpawner::new().map_err(failed)?;
        let name = Server {
            options,
            cookie: &cookie,
            is_over,
        }
        .start(&mut spawner)?;
        cookie.name(&name).map_err(failed)?;
        let mut desktop = Xvfb {
            spawner,
            name,
            cookie,
            manager: None,
            bus: None,
            is_over: is_over.clone(),
        };
        if options.elements {
            desktop.bus = Some(SessionBus::start(&mut desktop)?);
        }
        desktop.manager = manager::start(&mut desktop)?;
        Ok(desktop)
    }

    fn address(&self) -> Address {
        Address {
            name: Some(self.name.clone()),
            cookie: Some(self.cookie.bytes().to_vec()),
        }
    }
}

impl PrivateDesktop for Xvfb {
    fn name(&self) -> &str {
        &self.name
    }

    fn window_manager(&self) -> Option<&'static str> {
        self.manager
    }

    fn session_bus(&self) -> Option<String> {
        self.bus.as_ref().map(|bus| bus.address.clone())
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let authority = self.cookie.path().to_string_lossy().into_owned();
        [("DISPLAY", self.name.clone()), ("XAUTHORITY", authority)]
            .into_iter()
            .chain(X11_ONLY.map(|(name, value)| (name, value.to_owned())))
            .chain(self.bus.iter().flat_map(|bus| telling(&bus.address)))
            .collect()
    }

    fn run(&mut self, mut program: Command) -> io::Result<u32> {
        program.envs(self.environment()).env_remove("WAYLAND_DISPLAY");
        if self.bus.is_some() {
            program.env_remove("NO_AT_BRIDGE");
        }
        self.spawner.run(program)
    }

    fn log(&self) -> &ProgramLog {
        self.spawner.log()
    }

    fn failure(&mut self, id: u32) -> Result<Option<ProgramFailure>, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("looking at a program", error);
        self.spawner.failure(id).map_err(failed)
    }

    fn wait_for_windows(&self, least: u32, time: Duration) -> Result<bool, DisplayError> {
        if self.manager.is_none() {
            return Ok(false);
        }
        windows(self.address(), &self.is_over, least, time)
    }

    fn open_until(&self, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
        open_at(self.address(), is_over)
    }
}

/// Keeps toolkits from looking for a Wayland session.
const X11_ONLY: [(&str, &str); 3] = [
    ("GDK_BACKEND", "x11"),
    ("QT_QPA_PLATFORM", "xcb"),
    ("XDG_SESSION_TYPE", "x11"),
];
