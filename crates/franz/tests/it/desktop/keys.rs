//! The child processes of FRANZ get none of the person's keys, settings, files and input.

use std::process::Command;

use crate::desktop::process::{agent_of, children, command_line, guardian_of, lives};
use crate::harness::{Running, Workplace, scripted, spawn, url, wait_until};

const KEY: &str = "sk-hidden-0123456789";

/// Variables that a person's shell might contain.
const SHELL: [(&str, &str); 9] = [
    ("FRANZ_API_KEY", KEY),
    ("OPENAI_API_KEY", "sk-other-0123456789"),
    ("GATEWAY_HEADER", "Bearer sk-hidden-0123456789"),
    ("FRANZ_LOOP__MAX_TURNS", "7"),
    ("STRAY_VARIABLE", "stray"),
    ("WAYLAND_DISPLAY", "wayland-77"),
    ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus"),
    ("XDG_RUNTIME_DIR", "/nowhere"),
    ("SESSION_MANAGER", "local/nowhere"),
];

/// A process as the system reports it.
struct Seen {
    command: String,
    environment: String,
    files: Vec<String>,
    group: u32,
}

impl Seen {
    /// Examines a process, unless it has ended.
    fn of(process: u32) -> Option<Seen> {
        let seen = Seen::read(process);
        assert!(seen.is_some() || !lives(process), "{process} cannot be examined");
        seen
    }

    fn read(process: u32) -> Option<Seen> {
        let read = |name: &str| std::fs::read(format!("/proc/{process}/{name}")).ok();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace('\0', "\n");
        let files = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?;
        let target = |file: std::io::Result<std::fs::DirEntry>| {
            let file = file.ok()?;
            let target = std::fs::read_link(file.path()).ok()?;
            Some(format!("{} {}", file.file_name().display(), target.display()))
        };
        let stat = text(read("stat")?);
        let behind_name = stat.rsplit_once(')')?.1;
        Some(Seen {
            command: command_line(process),
            environment: text(read("environ")?),
            files: files.filter_map(target).collect(),
            group: behind_name.split_whitespace().nth(2)?.parse().ok()?,
        })
    }

    fn is(&self, program: &str) -> bool {
        self.command.contains(program)
    }
}

/// Returns a command for `franz` in such a shell, with an open file and an input that its children must not get.
fn in_a_shell(place: &Workplace, franz: &Command) -> Command {
    std::fs::write(place.path("private"), "private").unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "exec \"$0\" \"$@\" 9< private 0< private"])
        .arg(franz.get_program())
        .args(franz.get_args())
        .current_dir(place.path("."));
    for (name, value) in franz.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    shell.envs(SHELL);
    shell
}

/// Returns all descendants of this process.
fn descendants(running: &Running) -> Vec<u32> {
    let mut found = vec![running.id()];
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        found.extend(children(parent));
        at += 1;
    }
    found.split_off(1)
}

#[test]
fn no_child_inherits_more_than_it_needs() {
    let (place, server) = (Workplace::new(), scripted(&[r#"{"text": "a", "delay_s": 3600}"#]));
    let url = url(&server);
    let start = "screen.start=[\"env > told.part && cat > input && mv told.part told; exec sleep 1000\"]";
    let run = ["run", "--run-dir", "run", "--screen", "virtual", "--upstream", &url];
    let more = ["--dashboard", "127.0.0.1:0", "--no-open", "--set", start];
    let running = spawn(in_a_shell(&place, &place.program(&[&run[..], &more].concat())));
    let told = wait_until("the program on the desktop", || {
        std::fs::read_to_string(place.path("told")).ok()
    });
    guardian_of(agent_of(&running));
    wait_until("a request", || (!server.requests().is_empty()).then_some(()));

    assert!(
        told.contains("DISPLAY=:") && told.contains("STRAY_VARIABLE=stray"),
        "{told}"
    );
    assert!(
        !told.contains("wayland-77") && !told.contains("/nowhere") && !told.contains("FRANZ_"),
        "{told}"
    );
    assert!(!told.contains("sk-"), "{told}");
    assert_eq!(std::fs::read_to_string(place.path("input")).unwrap(), "");

    let own_group = Seen::of(running.id()).unwrap().group;
    let seen: Vec<Seen> = descendants(&running).into_iter().filter_map(Seen::of).collect();
    for program in ["Xvfb", "agent", "release"] {
        assert!(seen.iter().any(|child| child.is(program)), "{program}");
    }
    for child in &seen {
        let Seen {
            command,
            environment,
            files,
            group,
        } = child;
        assert!(
            !files.iter().any(|file| file.ends_with("/private")),
            "{command}: {files:?}"
        );
        assert_ne!(*group, own_group, "{command}");
        // A reaper is a copy of the panel that never called exec, and is protected from other users like the panel
        // itself.
        let is_guest = child.is("sleep") || child.is("sh");
        let is_ours = child.is("franz") && !child.is("release");
        if !is_ours {
            assert!(
                !environment.contains("sk-") && !environment.contains("FRANZ_"),
                "{command}: {environment}"
            );
        }
        if !is_ours && !is_guest {
            assert!(!environment.contains("STRAY_VARIABLE"), "{command}: {environment}");
        }
    }
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}
