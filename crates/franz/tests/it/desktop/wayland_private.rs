//! A private desktop on sway. It refuses to run as root, so for root FRANZ runs as nobody here.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::chat;
use crate::desktop::process::{command_line, variable};
use crate::desktop::sway_host::{folder, is_root, unprivileged};
use crate::harness::{Workplace, spawn, wait_until};
use crate::puppet::Puppet;

const TEXT: &str = "Grüße 日本語 привет €😀";

/// A home directory with the program in it, for a user who can read nothing else.
struct Home {
    directory: TempDir,
    program: PathBuf,
}

impl Home {
    fn new() -> Home {
        let directory = folder();
        let program = directory.path().join("franz");
        std::fs::copy(env!("CARGO_BIN_EXE_franz"), &program).unwrap();
        Home { directory, program }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn franz(&self, arguments: &[&str]) -> Command {
        let mut command = unprivileged(self.program.to_str().unwrap(), self.directory.path());
        command
            .args(arguments)
            .env("TMPDIR", self.directory.path())
            .env("FRANZ_LOOP__PATIENCE", "0")
            .env("FRANZ_LOOP__REST_S", "0")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Returns a command for `franz run` with a terminal on a private desktop.
    fn run(&self, url: &str, care: &[&str]) -> Command {
        let start = "screen.start=['foot -c /dev/null sh -c \"cat > typed.txt\"']";
        let run = ["run", "--run-dir", "run", "--upstream", url, "--screen", "virtual"];
        let open = "screen.open=['foot -c /dev/null touch opened']";
        let settings = ["--set", "screen.compositor=sway", "--set", start, "--set", open];
        let tools = [
            "--set",
            "protocol.tools.open=true",
            "--set",
            "protocol.tools.windows=true",
        ];
        self.franz(&[&run, &settings[..], &tools, care].concat())
    }

    /// Returns the processes that run on private desktops of this home.
    fn guests(&self) -> Vec<u32> {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let desktop = self.path("franz-desktop-").to_str().unwrap().to_owned();
        ids.filter(|id: &u32| {
            let is_here = variable(*id, "XDG_RUNTIME_DIR").is_some_and(|folder| folder.starts_with(&desktop));
            is_here && !command_line(*id).contains("franz")
        })
        .collect()
    }

    /// Returns the directories of private desktops.
    fn left(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap().flatten();
        let is_desktop = |path: &Path| path.to_str().unwrap().contains("franz-desktop-");
        entries
            .map(|entry| entry.path())
            .filter(|path| is_desktop(path))
            .collect()
    }
}

#[test]
fn a_private_desktop_on_sway_is_used_and_ends_with_the_run() {
    for care in [&["--no-open", "--dashboard", "127.0.0.1:0"][..], &["--no-panel"]] {
        let (home, mut model) = (Home::new(), Puppet::new());
        let running = spawn(home.run(&model.url(), care));
        model.asked();
        assert!(!home.guests().is_empty());
        let folders = home.left();
        assert!(!folders.is_empty());
        for folder in folders {
            let mode = std::fs::metadata(folder).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "nobody else reaches the compositor's socket");
        }
        let chat = model.then(&format!("```python\nleft_click(500, 500)\ntype('{TEXT}\\n')\n```"));
        let told = chat::feedback(&chat).to_owned();
        assert!(told.starts_with("OK: 2 actions executed"), "{care:?}: {told}");
        wait_until("the text is there", || {
            let typed = std::fs::read_to_string(home.path("typed.txt")).unwrap_or_default();
            (typed == format!("{TEXT}\n")).then_some(())
        });
        let chat = model.then("```python\nwindows()\n```");
        let told = chat::feedback(&chat).to_owned();
        assert!(told.contains("foot") && told.contains("(0, 0)"), "{care:?}: {told}");
        let chat = model.then("```python\nopen('foot')\n```");
        let told = chat::feedback(&chat).to_owned();
        assert!(told.starts_with("OK: 1 action"), "{care:?}: {told}");
        wait_until("the program has run", || home.path("opened").exists().then_some(()));
        running.signal("TERM");
        let finished = running.finish();
        assert_eq!(finished.code, Some(143), "{}{}", finished.stdout, finished.stderr);
        assert!(
            finished.stdout.contains("a private desktop, Wayland display"),
            "{}",
            finished.stdout
        );
        wait_until("everything on the desktop has ended", || {
            (home.guests().is_empty() && home.left().is_empty()).then_some(())
        });
    }
}

#[test]
fn a_private_desktop_on_sway_ends_after_a_kill() {
    let (home, mut model) = (Home::new(), Puppet::new());
    let running = spawn(home.run(&model.url(), &["--no-panel"]));
    model.asked();
    assert!(home.guests().len() >= 2, "sway and a terminal");
    running.kill();
    wait_until("everything on the desktop has ended", || {
        (home.guests().is_empty() && home.left().is_empty()).then_some(())
    });
}

#[test]
fn doctor_examines_sway_and_root_is_told_what_to_do() {
    let doctor = ["doctor", "--screen", "virtual", "--upstream", "demo"];
    let on_sway = ["--set", "screen.compositor=sway"];
    let home = Home::new();
    let report = spawn(home.franz(&[&doctor[..], &on_sway].concat())).finish();
    assert!(
        report.stdout.contains("managed by sway") && report.stdout.contains("captured in"),
        "{}{}",
        report.stdout,
        report.stderr
    );
    let mut without = home.franz(&[&doctor[..], &on_sway].concat());
    without.env("PATH", home.directory.path());
    if !is_root() {
        let report = spawn(without).finish();
        assert!(
            report.stdout.contains("needs sway, which is not installed"),
            "{}",
            report.stdout
        );
        return;
    }
    let place = Workplace::new();
    let run = ["run", "--no-panel", "--upstream", "demo", "--screen", "virtual"];
    let refused = spawn(place.program(&[&run[..], &on_sway].concat())).finish();
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(refused.stderr.contains("needs an ordinary user"), "{}", refused.stderr);
    assert!(!place.path("runs").exists());
}
