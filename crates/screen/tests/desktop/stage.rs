//! A separate desktop for each test, and helpers for looking at the programs on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use franz_action::{Action, Outcome};
use franz_frame::Area;
use franz_screen::desktop::{Desktop, DesktopOptions, Display, Pace};
use franz_screen::{ActionId, Change, Interrupt, PrivateDesktop, Screen, private_desktop};
use tempfile::TempDir;

use crate::client::Client;

/// How long to wait for something, because programs start slowly on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) const WIDTH: u32 = 1000;
pub(crate) const HEIGHT: u32 = 700;

/// A desktop with a directory for files.
pub(crate) struct Stage {
    pub(crate) desktop: Box<dyn PrivateDesktop>,
    directory: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        Stage::with(false)
    }

    /// Returns a desktop whose programs report their elements.
    pub(crate) fn telling() -> Stage {
        Stage::with(true)
    }

    fn with(elements: bool) -> Stage {
        let options = private_desktop::PrivateDesktopOptions {
            width: WIDTH,
            height: HEIGHT,
            elements,
        };
        Stage {
            desktop: private_desktop::start(&options).unwrap(),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn display(&self) -> Box<dyn Display> {
        self.desktop.open().unwrap()
    }

    pub(crate) fn screen(&self, pace: Pace) -> Desktop {
        let options = DesktopOptions {
            monitor: None,
            region: None,
            cursor: false,
            pace,
        };
        Desktop::new(self.display(), options).unwrap()
    }

    /// Starts a program in a separate environment, so that it does not touch the user's home directory.
    pub(crate) fn run(&mut self, program: &str, arguments: &[&str]) {
        let mut command = self.command(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        self.desktop.run(command).unwrap();
    }

    /// Returns a program that has yet to be started.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let home = self.directory.path();
        command
            .env("HOME", home)
            .env("XDG_RUNTIME_DIR", home)
            .env("LC_ALL", "C.UTF-8");
        command
            .env("NO_AT_BRIDGE", "1")
            .current_dir(home)
            .envs(self.desktop.environment());
        command
    }

    pub(crate) fn client(&self) -> Client {
        Client::of(&*self.desktop)
    }
}

/// Polls until there is a result; panics if there is none for a long time.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "it never came about that {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// Polls until the condition holds; returns `false` if it never does.
pub(crate) fn within_patience(mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE / 4;
    loop {
        if is_so() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// Waits until a program has finished drawing, which means that nothing has changed for a while.
pub(crate) fn drawn(screen: &mut Desktop) {
    let mut since = Instant::now();
    until("nothing changes any more", || {
        screen.capture().unwrap();
        if screen.change() != Change::Nothing {
            since = Instant::now();
        }
        (since.elapsed() > Duration::from_millis(700)).then_some(())
    });
}

/// Waits until a file holds at least as many characters as expected, and returns its text. Returns whatever is there
/// when the time runs out.
pub(crate) fn written(path: &Path, expected: &str) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let text = std::fs::read(path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default();
        if text.chars().count() >= expected.chars().count() || Instant::now() >= deadline {
            return text;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// An interrupt that is never set and sleeps for the full time.
pub(crate) struct Never;

impl Interrupt for Never {
    fn is_set(&self) -> bool {
        false
    }

    fn sleep(&self, duration: Duration) -> bool {
        std::thread::sleep(duration);
        false
    }
}

/// Performs an action, which must be carried out in full.
pub(crate) fn perform(screen: &mut Desktop, action: &Action) {
    let at = ActionId { turn: 1, index: 0 };
    assert_eq!(screen.perform(at, action, &Never).unwrap(), Outcome::DONE, "{action:?}");
}

pub(crate) fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
    Area { x, y, width, height }
}
