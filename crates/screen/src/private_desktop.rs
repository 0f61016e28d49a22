//! A desktop of FRANZ's own: an X server without a monitor, with a window manager, that ends with this process.

mod cookie;
mod manager;
mod process_spawner;
mod reaper;

use std::io;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::child::{self, Environment};
use crate::desktop::{Address, Display, DisplayError, open_at, windows};
use cookie::Cookie;
use process_spawner::{ProcessSpawner, Server};

/// How large the desktop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateDesktopOptions {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// A private desktop. What runs on it ends when this is dropped, and also when this process is killed.
pub struct PrivateDesktop {
    /// Ends before the cookie goes.
    keeper: ProcessSpawner,
    name: String,
    cookie: Cookie,
    manager: Option<&'static str>,
}

impl PrivateDesktop {
    /// Starts one, with the first window manager that there is.
    pub fn start(options: &PrivateDesktopOptions) -> Result<PrivateDesktop, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("starting a desktop of its own", error);
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

    /// As programs call it: `:5`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The window manager that runs on it; `None` when none was found: windows cannot be moved then, and the keyboard may reach none.
    pub fn window_manager(&self) -> Option<&'static str> {
        self.manager
    }

    /// What programs need in their environment to run on it.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let authority = self.cookie.path().to_string_lossy().into_owned();
        [("DISPLAY", self.name.clone()), ("XAUTHORITY", authority)]
            .into_iter()
            .chain(X11_ONLY.map(|(name, value)| (name, value.to_owned())))
            .collect()
    }

    /// Starts a command by the shell, in this environment and the desktop's own. What it complains of can be read on our stderr; what else
    /// it writes is dropped, because our stdout may be read by a program.
    pub fn spawn(&mut self, command: &str, environment: &Environment) -> Result<u32, DisplayError> {
        let mut shell = child::command("sh", environment);
        shell.arg("-c").arg(command).stdout(Stdio::null());
        self.run(shell)
            .map_err(|error| DisplayError::failed("starting a program", error))
    }

    /// Starts a program, which ends with the desktop as does all that it starts; gives the number of a process that ends when nothing of it
    /// is left.
    pub fn run(&mut self, mut program: Command) -> io::Result<u32> {
        program.envs(self.environment()).env_remove("WAYLAND_DISPLAY");
        self.keeper.run(program)
    }

    /// Waits until so many windows are there; `false` when they are not within that time, or nothing manages windows.
    pub fn wait_for_windows(&self, least: u32, time: Duration) -> Result<bool, DisplayError> {
        if self.manager.is_none() {
            return Ok(false);
        }
        windows(self.address(), least, time)
    }

    /// The desktop, seen and acted upon from this process.
    pub fn open(&self) -> Result<Box<dyn Display>, DisplayError> {
        open_at(self.address())
    }

    fn address(&self) -> Address {
        Address {
            name: Some(self.name.clone()),
            cookie: Some(self.cookie.bytes().to_vec()),
        }
    }
}

/// What keeps toolkits from looking for a Wayland session.
const X11_ONLY: [(&str, &str); 3] = [
    ("GDK_BACKEND", "x11"),
    ("QT_QPA_PLATFORM", "xcb"),
    ("XDG_SESSION_TYPE", "x11"),
];
