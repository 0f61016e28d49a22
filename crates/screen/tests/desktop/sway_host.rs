//! A Wayland compositor without a monitor: sway. It refuses to run as root, so for root it runs as nobody.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The user and group that own nothing.
const NOBODY: u32 = 65_534;

/// A compositor, which ends when this is dropped.
pub(crate) struct SwayHost {
    process: Child,
    /// The programs on its screen.
    guests: Vec<Child>,
    /// The name of its socket.
    socket: String,
    pub(crate) directory: TempDir,
}

impl SwayHost {
    /// Starts a compositor with a monitor of this size and scale.
    pub(crate) fn start(width: u32, height: u32, scale: &str) -> SwayHost {
        let directory = folder();
        let config = directory.path().join("config");
        let text = format!(
            "output HEADLESS-1 resolution {width}x{height} position 0,0 scale {scale}\n\
             xwayland disable\n\
             default_border none\n\
             exec echo \"$WAYLAND_DISPLAY\"\n"
        );
        std::fs::write(&config, text).unwrap();
        let mut command = unprivileged("sway", directory.path());
        command
            .arg("-c")
            .arg(&config)
            .env("WLR_BACKENDS", "headless")
            .env("WLR_LIBINPUT_NO_DEVICES", "1")
            .env("WLR_RENDERER", "pixman")
            .stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut socket = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut socket)
            .unwrap();
        assert!(!socket.is_empty(), "sway did not start");
        SwayHost {
            process,
            guests: Vec::new(),
            socket: socket.trim().to_owned(),
            directory,
        }
    }

    /// Returns the path of its socket.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join(&self.socket)
    }

    pub(crate) fn name(&self) -> String {
        self.path().to_str().unwrap().to_owned()
    }

    /// Starts a program on its screen.
    pub(crate) fn run(&mut self, program: &str, arguments: &[&str]) {
        let mut command = self.command(program);
        self.guests.push(command.args(arguments).spawn().unwrap());
    }

    /// Opens a terminal that writes what is typed to a file, and waits until it has the keyboard.
    pub(crate) fn run_terminal(&mut self) {
        self.run("foot", &["-c", "/dev/null", "sh", "-c", "cat > typed.txt"]);
        super::stage::until("the terminal has the keyboard", || {
            let tree: serde_json::Value = serde_json::from_str(&self.order(&["-t", "get_tree"])).unwrap();
            has_keyboard(&tree).then_some(())
        });
    }

    /// Returns a program that has yet to be started.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = unprivileged(program, self.directory.path());
        command.env("WAYLAND_DISPLAY", &self.socket);
        command
    }

    /// Adds another monitor, which sway names HEADLESS-2.
    pub(crate) fn add_monitor(&self) {
        self.order(&["create_output"]);
    }

    /// Makes sway carry out a command. Returns its answer.
    pub(crate) fn order(&self, words: &[&str]) -> String {
        let folder = std::fs::read_dir(self.directory.path()).unwrap();
        let sockets = folder.map(|entry| entry.unwrap().path());
        let socket = sockets
            .into_iter()
            .find(|path| path.to_str().unwrap().contains("sway-ipc."))
            .expect("sway listens for commands");
        let mut command = self.command("swaymsg");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let done = command.arg("-s").arg(socket).args(words).output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
        said
    }

    /// Stops sway from doing anything until it is killed.
    pub(crate) fn freeze(&self) {
        let process = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(process, rustix::process::Signal::STOP).unwrap();
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for SwayHost {
    fn drop(&mut self) {
        self.kill();
        for guest in &mut self.guests {
            let _ = guest.kill();
            let _ = guest.wait();
        }
    }
}

/// Returns whether the terminal is the focused window in this part of sway's tree.
fn has_keyboard(node: &serde_json::Value) -> bool {
    let kinds = ["nodes", "floating_nodes"];
    let mut inner = kinds
        .iter()
        .flat_map(|kind| node[*kind].as_array().into_iter().flatten());
    (node["app_id"] == "foot" && node["focused"] == true) || inner.any(has_keyboard)
}

/// Creates a directory for a user who is not root.
pub(crate) fn folder() -> TempDir {
    let own = std::fs::Permissions::from_mode(0o700);
    let made = tempfile::Builder::new().permissions(own).tempdir().unwrap();
    if is_root() {
        chown(made.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    made
}

/// Returns a program that runs as a user who is not root, with this directory as its home.
pub(crate) fn unprivileged(program: &str, home: &Path) -> Command {
    let mut command = if is_root() {
        let mut command = Command::new("setpriv");
        let [user, group] = ["--reuid", "--regid"].map(|flag| format!("{flag}={NOBODY}"));
        command.args([&user, &group, "--clear-groups", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command
        .current_dir(home)
        .env("HOME", home)
        .env("XDG_RUNTIME_DIR", home)
        .env("LC_ALL", "C.UTF-8")
        .env("NO_AT_BRIDGE", "1")
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
