//! A separate desktop for each test, with a person using it, and a directory to run FRANZ in.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use franz_screen::{PrivateDesktop, private_desktop};

use crate::desktop::client::Client;
use crate::desktop::events::Events;
use crate::desktop::person::Person;
use crate::harness::{Workplace, spawn};

pub(crate) use crate::harness::wait_until as until;

pub(crate) struct Stage {
    pub(crate) desktop: Box<dyn PrivateDesktop>,
    pub(crate) client: Client,
    /// The symbols on the keys when nobody is typing.
    keymap: Vec<Vec<u32>>,
    directory: tempfile::TempDir,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        let (width, height) = (1000, 700);
        let desktop = private_desktop::start(&private_desktop::PrivateDesktopOptions {
            width,
            height,
            elements: false,
        })
        .unwrap();
        let client = Client::of(&*desktop);
        Stage {
            keymap: client.keymap(),
            client,
            desktop,
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// Returns a path in the home directory of the desktop's programs.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Starts a program in a separate home directory, so that it touches none of the tester's files.
    pub(crate) fn run(&mut self, program: &str, arguments: &[&str]) {
        let home = self.directory.path();
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("HOME", home)
            .env("XDG_RUNTIME_DIR", home)
            .env("LC_ALL", "C.UTF-8")
            .env("NO_AT_BRIDGE", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.desktop.run(command).unwrap();
    }

    pub(crate) fn person(&self) -> Person {
        Person::at(Client::of(&*self.desktop))
    }

    pub(crate) fn events(&self) -> Events {
        Events::heard_by(Client::of(&*self.desktop))
    }

    /// Makes a program treat this desktop as the person's own.
    pub(crate) fn on(&self, mut command: Command) -> Command {
        command.envs(self.desktop.environment()).env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Opens a file in an editor, and waits until the editor has the keyboard focus.
    pub(crate) fn edit(&mut self, file: &Path) {
        let file = file.to_str().unwrap();
        self.run("dbus-run-session", &["mousepad", "--disable-server", file]);
        self.client.focused("mousepad");
    }

    /// Returns whether nothing is pressed and every key has its original symbols.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.client.down() == (Vec::new(), 0) && !self.has_changed_keys()
    }

    /// Returns whether keys have different symbols than when nobody is typing.
    pub(crate) fn has_changed_keys(&self) -> bool {
        self.client.keymap() != self.keymap
    }

    /// Checks that nothing is held down, not even on the devices that programs create.
    pub(crate) fn assert_nothing_is_held(&self, place: &Workplace) {
        let said = spawn(self.on(place.program(&["release"]))).finish();
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        assert!(said.stdout.starts_with("nothing is held down"), "{}", said.stdout);
        assert!(self.is_at_rest());
    }
}
