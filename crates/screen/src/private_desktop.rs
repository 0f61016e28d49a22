//! A desktop of FRANZ's own: an X server without a monitor, with a window manager, which ends with this process.

mod cookie;
mod manager;
mod process_spawner;
mod reaper;

use std::io;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::child::{self, Environment};
use crate::desktop::{Address, Display, DisplayError, IsOver, open_at, windows};
use cookie::Cookie;
use process_spawner::{ProcessSpawner, Server};

/// The size of the desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateDesktopOptions {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// A private desktop. Whatever runs on it ends when this is dropped or when this process is killed.
pub struct PrivateDesktop {
    /// Declared first, so that it ends before the cookie is removed.
    keeper: ProcessSpawner,
    name: String,
    cookie: Cookie,
    manager: Option<&'static str>,
}

impl PrivateDesktop {
    /// Starts a private desktop, with the first window manager found.
    pub fn start(options: &PrivateDesktopOptions) -> Result<PrivateDesktop, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("starting a private desktop", error);
        let cookie = Cookie::new().map_err(failed)?;
        let mut keeper = ProcessSpawner::new().map_err(failed)?;
        let name = Server {
            options,
            cookie: &cookie,
        }
        .start(&mut keeper)?;
        cookie.name(&name).map_err(failed)?;
        let mut desktop = PrivateDesktop {
            keeper,
            name,
            cookie,
            manager: None,
        };
        desktop.manager = manager::start(&mut desktop)?;
        Ok(desktop)
    }

    /// Returns the display name as programs use it: `:5`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the window manager running on the desktop, or `None` if none was found. Without one, windows cannot be
    /// moved, and the keyboard may reach none of them.
    pub fn window_manager(&self) -> Option<&'static str> {
        self.manager
    }

    /// Returns the variables that programs need in their environment to run on this desktop.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let authority = self.cookie.path().to_string_lossy().into_owned();
        [("DISPLAY", self.name.clone()), ("XAUTHORITY", authority)]
            .into_iter()
            .chain(X11_ONLY.map(|(name, value)| (name, value.to_owned())))
            .collect()
    }

    /// Starts a shell command in this environment plus the desktop's own. Its stderr goes to ours; its stdout is
    /// dropped, because ours may be read by a program.
    pub fn spawn(&mut self, command: &str, environment: &Environment) -> Result<u32, DisplayError> {
        let mut shell = child::command("sh", environment);
        shell.arg("-c").arg(command).stdout(Stdio::null());
        self.run(shell)
            .map_err(|error| DisplayError::failed("starting a program", error))
    }

    /// Starts a program, which ends with the desktop, as does everything that it starts. Returns the ID of a process
    /// that ends when nothing of the program is left.
    pub fn run(&mut self, mut program: Command) -> io::Result<u32> {
        program.envs(self.environment()).env_remove("WAYLAND_DISPLAY");
        self.keeper.run(program)
    }

    /// Waits until at least `least` windows exist. Returns `false` if they do not within `time`, or if there is no
    /// window manager.
    pub fn wait_for_windows(&self, least: u32, time: Duration) -> Result<bool, DisplayError> {
        if self.manager.is_none() {
            return Ok(false);
        }
        windows(self.address(), least, time)
    }

    /// Opens the desktop, to be seen and acted on from this process.
    pub fn open(&self) -> Result<Box<dyn Display>, DisplayError> {
        self.open_until(Arc::new(|| false))
    }

    /// Opens it as [`desktop::open_until`](crate::desktop::open_until) does.
    pub fn open_until(&self, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
        open_at(self.address(), is_over)
    }

    fn address(&self) -> Address {
        Address {
            name: Some(self.name.clone()),
            cookie: Some(self.cookie.bytes().to_vec()),
        }
    }
}

/// Keeps toolkits from looking for a Wayland session.
const X11_ONLY: [(&str, &str); 3] = [
    ("GDK_BACKEND", "x11"),
    ("QT_QPA_PLATFORM", "xcb"),
    ("XDG_SESSION_TYPE", "x11"),
];
