//! A desktop of its own for each test, and what is needed to look at the programs on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use franz_action::{Action, Outcome};
use franz_frame::Area;
use franz_screen::desktop::{Desktop, Display, Options, Pace};
use franz_screen::{Change, Interrupt, PrivateDesktop, Screen, Step, private_desktop};
use tempfile::TempDir;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Window};
use x11rb::reexports::x11rb_protocol::parse_display::parse_display;
use x11rb::rust_connection::{DefaultStream, RustConnection};

/// A busy machine takes its time to start a program.
const PATIENCE: Duration = Duration::from_secs(40);

pub(crate) const WIDTH: u32 = 1000;
pub(crate) const HEIGHT: u32 = 700;

/// A desktop with a directory for files.
pub(crate) struct Stage {
    pub(crate) desktop: PrivateDesktop,
    directory: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        let options = private_desktop::Options {
            width: WIDTH,
            height: HEIGHT,
        };
        Stage {
            desktop: PrivateDesktop::start(&options).unwrap(),
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
        let options = Options {
            monitor: None,
            region: None,
            cursor: false,
            pace,
        };
        Desktop::new(self.display(), options).unwrap()
    }

    /// Starts a program in an environment of its own: nothing of the person's home is touched.
    pub(crate) fn run(&mut self, program: &str, arguments: &[&str]) {
        let mut command = self.command(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        self.desktop.run(command).unwrap();
    }

    /// A program that is not started yet.
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
        Client::of(&self.desktop)
    }
}

/// A connection of the test.
pub(crate) struct Client {
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
}

impl Client {
    fn of(desktop: &PrivateDesktop) -> Client {
        let environment = desktop.environment();
        let (_, authority) = environment.iter().find(|(name, _)| *name == "XAUTHORITY").unwrap();
        let authority = std::fs::read(authority).unwrap();
        let cookie = authority[authority.len() - 16..].to_vec();
        let display = parse_display(Some(desktop.name())).unwrap();
        let stream = display
            .connect_instruction()
            .find_map(|place| DefaultStream::connect(&place).ok());
        let (stream, _) = stream.unwrap();
        let method = b"MIT-MAGIC-COOKIE-1".to_vec();
        let connection = RustConnection::connect_to_stream_with_auth_info(stream, 0, method, cookie).unwrap();
        let root = connection.setup().roots[0].root;
        Client { connection, root }
    }

    pub(crate) fn atom(&self, name: &str) -> u32 {
        self.connection
            .intern_atom(false, name.as_bytes())
            .unwrap()
            .reply()
            .unwrap()
            .atom
    }

    /// The window that has the keyboard, by what the window manager says.
    pub(crate) fn active(&self) -> Option<Window> {
        let active = self.atom("_NET_ACTIVE_WINDOW");
        let asked = self
            .connection
            .get_property(false, self.root, active, AtomEnum::WINDOW, 0, 1);
        let reply = asked.unwrap().reply().unwrap();
        reply.value32()?.next().filter(|window| *window != 0)
    }

    pub(crate) fn text_of(&self, window: Window, property: &str) -> String {
        let property = self.atom(property);
        let asked = self
            .connection
            .get_property(false, window, property, AtomEnum::ANY, 0, 10_000);
        let value = asked.unwrap().reply().map(|reply| reply.value).unwrap_or_default();
        String::from_utf8_lossy(&value).into_owned()
    }

    /// Waits until a window of this class has the keyboard.
    pub(crate) fn focused(&self, class: &str) -> Window {
        until(&format!("{class} has the keyboard"), || {
            let window = self.active()?;
            let found = self.text_of(window, "WM_CLASS").to_lowercase().contains(class);
            found.then_some(window)
        })
    }

    /// The symbols of all keys.
    pub(crate) fn keymap(&self) -> Vec<Vec<u32>> {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let asked = self.connection.get_keyboard_mapping(first, last - first + 1);
        let mapping = asked.unwrap().reply().unwrap();
        let keys = mapping.keysyms.chunks(mapping.keysyms_per_keycode.into());
        let trimmed = |symbols: &[u32]| {
            let used = symbols
                .iter()
                .rposition(|&symbol| symbol != 0)
                .map_or(0, |last| last + 1);
            symbols[..used].to_vec()
        };
        keys.map(trimmed).collect()
    }

    /// The keys and buttons that are down.
    pub(crate) fn down(&self) -> (Vec<u8>, u16) {
        let keys = self.connection.query_keymap().unwrap().reply().unwrap().keys;
        let mask = self.connection.query_pointer(self.root).unwrap().reply().unwrap().mask;
        (
            (0..=255)
                .filter(|code| keys[usize::from(code / 8)] >> (code % 8) & 1 == 1)
                .collect(),
            u16::from(mask) & 0x1f00,
        )
    }
}

/// Polls until there is something; panics when there is nothing for a long time.
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

/// Polls until it is so; `false` when it never is.
pub(crate) fn within_patience(mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE / 4;
    loop {
        if is_so() || Instant::now() >= deadline {
            return is_so();
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// Waits until a program has drawn itself: nothing has changed for a while.
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

/// Waits until a file holds that many characters or more, and gives them; what comes is shown when that never is.
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

/// Sleeps as long as it is told, and is never set.
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

/// Performs an action that comes to its end.
pub(crate) fn perform(screen: &mut Desktop, action: &Action) {
    let at = Step { turn: 1, index: 0 };
    assert_eq!(screen.perform(at, action, &Never).unwrap(), Outcome::DONE, "{action:?}");
}

pub(crate) fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
    Area { x, y, width, height }
}
