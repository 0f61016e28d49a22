//! A desktop that FRANZ creates for itself. Nobody sees it, and it ends with this process.

mod program_log;
#[cfg(all(unix, not(target_os = "macos")))]
mod sway;
#[cfg(all(unix, not(target_os = "macos")))]
mod xvfb;

use std::io;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::child::{self, Environment};
#[cfg(all(unix, not(target_os = "macos")))]
use crate::desktop::Target;
use crate::desktop::{Display, DisplayError, IsOver};
pub use program_log::ProgramLog;
#[cfg(all(unix, not(target_os = "macos")))]
pub(crate) use xvfb::ProcessSpawner;

/// The size of the desktop, and what it offers to programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateDesktopOptions {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// Whether programs report their elements, over a session bus of their own.
    pub elements: bool,
}

/// A private desktop. Whatever runs on it ends when this is dropped or when this process is killed.
pub trait PrivateDesktop: Send {
    /// Returns the display name as programs use it: `:5`.
    fn name(&self) -> &str;

    /// Returns the window manager running on the desktop, or `None` if none was found. Without one, windows cannot be
    /// moved, and the keyboard might reach none of them.
    fn window_manager(&self) -> Option<&'static str>;

    /// Returns the address of the session bus over which its programs report their elements, if they do.
    fn session_bus(&self) -> Option<String>;

    /// Returns the variables that programs need in their environment to run on this desktop.
    fn environment(&self) -> Vec<(&'static str, String)>;

    /// Starts a shell command in this environment plus the desktop's own. Its stderr goes to the log. Its stdout is
    /// dropped, because a program might be reading ours.
    fn spawn(&mut self, command: &str, environment: &Environment) -> Result<u32, DisplayError> {
        self.run(shell(command, environment))
            .map_err(|error| DisplayError::failed("starting a program", error))
    }

    /// Starts a program that ends with the desktop, as does everything it starts. Returns the ID of a process that ends
    /// when nothing of the program is left. If the program's stderr is piped, it goes to the log.
    fn run(&mut self, program: Command) -> io::Result<u32>;

    /// Returns what the programs have printed as errors.
    fn log(&self) -> &ProgramLog;

    /// Returns how a program has failed. It has ended with an error, and so has everything that it started.
    fn failure(&mut self, id: u32) -> Result<Option<ProgramFailure>, DisplayError>;

    /// Waits until at least `least` windows exist. Returns `false` if they do not appear within `time`, or if there is
    /// no window manager.
    fn wait_for_windows(&self, least: u32, time: Duration) -> Result<bool, DisplayError>;

    /// Opens the desktop for this process to see and act on, like [`open`](crate::desktop::open).
    fn open(&self) -> Result<Box<dyn Display>, DisplayError> {
        self.open_until(Arc::new(|| false))
    }

    /// Opens the desktop like [`open_until`](crate::desktop::open_until).
    fn open_until(&self, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError>;
}

/// How a program has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFailure {
    /// Its exit code, which is not 0.
    pub code: i32,
    /// The last lines that it printed as errors, as one line.
    pub last_words: String,
}

/// Programs on a private desktop that another process has started. They end when this value is dropped or this process
/// ends.
#[cfg(all(unix, not(target_os = "macos")))]
pub struct Programs(xvfb::ProcessSpawner);

#[cfg(all(unix, not(target_os = "macos")))]
impl Programs {
    /// Prepares to start programs.
    pub fn new() -> io::Result<Programs> {
        xvfb::ProcessSpawner::new().map(Programs)
    }

    /// Returns what the programs have printed as errors.
    pub fn log(&self) -> &ProgramLog {
        self.0.log()
    }

    /// Starts a shell command in this environment, on the desktop with this name and with its session bus, if any.
    pub fn spawn(
        &mut self,
        command: &str,
        desktop: &str,
        session_bus: Option<&str>,
        environment: &Environment,
    ) -> io::Result<u32> {
        let names: Vec<(&str, String)> = match Target::named(desktop.to_owned()) {
            Target::Wayland(socket) => sway::environment(&socket),
            _ => vec![("DISPLAY", desktop.to_owned())],
        };
        let environment = names
            .into_iter()
            .fold(environment.clone(), |environment, (name, value)| {
                environment.with(name, value)
            });
        let telling = session_bus.into_iter().flat_map(xvfb::telling);
        let environment = telling.fold(environment, |environment, (name, value)| environment.with(name, value));
        self.0.run(shell(command, &environment))
    }
}

/// Returns a shell that runs a command. Nobody reads its stdout, and its stderr is for the log.
fn shell(command: &str, environment: &Environment) -> Command {
    let mut shell = child::command("sh", environment);
    shell
        .arg("-c")
        .arg(command)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    shell
}

/// The program that serves a private desktop, where this system supports one.
pub const SERVER: &str = "Xvfb";

/// Returns the window managers that a private desktop tries, in this order. The first one that starts is used.
pub fn window_managers() -> Vec<&'static str> {
    #[cfg(all(unix, not(target_os = "macos")))]
    return xvfb::window_managers();
    #[cfg(any(not(unix), target_os = "macos"))]
    Vec::new()
}

/// Starts a private desktop of the kind that this system supports.
pub fn start(options: &PrivateDesktopOptions) -> Result<Box<dyn PrivateDesktop>, DisplayError> {
    let never: IsOver = Arc::new(|| false);
    start_until(options, &never)
}

/// Starts a private desktop like [`start`]. Once `is_over` returns `true`, ends what has been started and fails.
fn start_until(options: &PrivateDesktopOptions, is_over: &IsOver) -> Result<Box<dyn PrivateDesktop>, DisplayError> {
    #[cfg(all(unix, not(target_os = "macos")))]
    return unless_over(xvfb::Xvfb::start(*options, is_over), is_over);
    #[cfg(any(not(unix), target_os = "macos"))]
    {
        let _ = (options, is_over);
        Err(DisplayError::Unavailable(
            "a private desktop needs Xvfb on Linux; use your own desktop with --screen desktop, or draw on the sandbox with --screen canvas"
                .to_owned(),
        ))
    }
}

/// Returns the desktop that was started, if it is still wanted.
#[cfg(all(unix, not(target_os = "macos")))]
fn unless_over<D: PrivateDesktop + 'static>(
    started: Result<D, DisplayError>,
    is_over: &IsOver,
) -> Result<Box<dyn PrivateDesktop>, DisplayError> {
    if is_over() {
        return Err(DisplayError::Unavailable(
            "the run ended before its private desktop had started".to_owned(),
        ));
    }
    Ok(Box::new(started?))
}

/// The program that shows a private desktop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compositor {
    /// An X server, with a window manager if there is one.
    #[default]
    Xvfb,
    /// A Wayland compositor. Its programs report no elements, and FRANZ does not know its windows.
    Sway,
}

impl Compositor {
    /// Starts a private desktop. Once `is_over` returns `true`, ends what has been started and fails.
    pub fn start_until(
        self,
        options: &PrivateDesktopOptions,
        is_over: &IsOver,
    ) -> Result<Box<dyn PrivateDesktop>, DisplayError> {
        match self {
            Compositor::Xvfb => start_until(options, is_over),
            #[cfg(all(unix, not(target_os = "macos")))]
            Compositor::Sway => unless_over(sway::Sway::start(*options, is_over), is_over),
            #[cfg(any(not(unix), target_os = "macos"))]
            Compositor::Sway => Err(DisplayError::Unavailable(
                "screen.compositor = \"sway\" needs Linux; use --screen browser, or your own desktop with --screen desktop"
                    .to_owned(),
            )),
        }
    }
}
