//! Files that somebody has planted in place of a run's own. Nothing outside of the run is ever written through them.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use franz_home::names::{self, Written};

use crate::e2e::settings::{SMALL, run, start};
use crate::harness::{Workplace, artist, python, spawn, url};

/// Without a panel, and with one.
const CARE: [&[&str]; 2] = [
    &["--no-panel"],
    &["--dashboard", "127.0.0.1:0", "--no-open", "--set", "panel.restart_s=0"],
];

/// The kinds of entries that can be planted under a file's name.
#[derive(Debug, Clone, Copy)]
enum Planted {
    Link,
    LinkToNothing,
    HardLink,
    Pipe,
    Device,
    Directory,
}

impl Planted {
    const ALL: [Planted; 6] = [
        Planted::Link,
        Planted::LinkToNothing,
        Planted::HardLink,
        Planted::Pipe,
        Planted::Device,
        Planted::Directory,
    ];

    /// Plants it in place of any existing file. A run in progress might create the file again first, so keep trying
    /// until it works.
    fn put(self, path: &Path, victim: &Path) {
        let named = |name: &dyn Fn() -> io::Result<()>| {
            loop {
                let _ = fs::remove_file(path);
                match name() {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    named => return named.unwrap(),
                }
            }
        };
        let _ = fs::remove_file(path);
        match self {
            Planted::Link => named(&|| symlink(victim, path)),
            Planted::LinkToNothing => named(&|| symlink(victim.with_extension("new"), path)),
            Planted::HardLink => named(&|| fs::hard_link(victim, path)),
            Planted::Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            Planted::Device => {
                let made = Command::new("mknod").arg(path).args(["c", "1", "3"]).output().unwrap();
                if !made.status.success() {
                    eprintln!("skipped: only root can make a device; a link to one stands for it");
                    symlink("/dev/null", path).unwrap();
                }
            }
            Planted::Directory => fs::create_dir(path).unwrap(),
        }
    }
}

/// A file that belongs to the person and not to the run.
struct Victim {
    path: PathBuf,
    before: (Vec<u8>, u32, i64, i64),
}

impl Victim {
    fn of(place: &Workplace) -> Victim {
        let path = place.path("victim");
        fs::write(&path, "the person's own").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let before = Victim::look(&path);
        Victim { path, before }
    }

    fn look(path: &Path) -> (Vec<u8>, u32, i64, i64) {
        let metadata = fs::metadata(path).unwrap();
        let bytes = fs::read(path).unwrap();
        (bytes, metadata.mode(), metadata.mtime(), metadata.mtime_nsec())
    }

    fn is_unharmed(&self, when: &str) {
        assert_eq!(Victim::look(&self.path), self.before, "{when}");
        assert!(!self.path.with_extension("new").exists(), "{when}");
    }
}

/// Completes a run of two turns, which leaves every file that two turns write.
fn finished(place: &Workplace, url: &str, care: &[&str]) {
    let made = spawn(run(place, url, &[care, &["--max-turns", "2"]].concat())).finish();
    assert_eq!(made.code, Some(0), "{}", made.stderr);
}

#[test]
fn a_run_writes_only_listed_files() {
    let server = python(&["left_click(500, 500)\ntype('a')"]);
    for care in CARE {
        let place = Workplace::new();
        let batches = ["--set", "record.batch=2", "--max-turns", "17"];
        let made = spawn(run(&place, &url(&server), &[care, &batches].concat())).finish();
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let mut seen = 0;
        for entry in fs::read_dir(place.file("")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(
                names::pattern(&name).is_some(),
                "{name} is not in the list of home/src/names.rs"
            );
            seen += 1;
        }
        assert!(seen > 17, "{seen}");
    }
}

#[test]
fn nothing_is_written_through_a_planted_file() {
    let server = artist();
    let address = url(&server);
    for care in CARE {
        let place = Workplace::new();
        finished(&place, &address, care);
        let victim = Victim::of(&place);
        let kept = place.path("kept");
        fs::rename(place.file(""), &kept).unwrap();
        for planted in Planted::ALL {
            for pattern in names::ALL {
                let name = pattern.example();
                let when = format!("{planted:?} in place of {name}, {care:?}");
                let mut copy = Command::new("cp");
                copy.args(["-a", "kept", "run"]).current_dir(place.path(""));
                assert!(copy.status().unwrap().success());
                planted.put(&place.file(&name), &victim.path);
                let again = ["run", "--resume", "run", "--upstream", &address, "--max-turns", "1"];
                let resumed = spawn(place.program(&[&again, care].concat())).finish();
                victim.is_unharmed(&when);
                let may_go_on = matches!(planted, Planted::HardLink) && pattern.written == Written::Replaced;
                if !may_go_on {
                    assert_eq!(resumed.code, Some(2), "{when}: {}", resumed.stderr);
                    assert!(resumed.stderr.contains(&name), "{when}: {}", resumed.stderr);
                    assert_eq!(resumed.stderr.trim().lines().count(), 1, "{when}: {}", resumed.stderr);
                }
                fs::remove_dir_all(place.file("")).unwrap();
            }
        }
    }
}

/// Only this user can plant links there, but FRANZ still never follows a name to where it leads now.
#[test]
fn links_planted_during_a_run_are_not_followed() {
    let server = artist();
    for planted in [Planted::Link, Planted::HardLink] {
        for pattern in names::ALL {
            let place = Workplace::new();
            let running = start(
                &place,
                &url(&server),
                &["--set", "record.batch=1", "--set", "loop.max_turns=8"],
            );
            let at = place.wait_for_turn(1).len();
            let victim = Victim::of(&place);
            for turn in at + 2..at + 5 {
                let name = pattern.name.replace('#', &format!("{turn:04}"));
                planted.put(&place.file(&name), &victim.path);
            }
            running.finish();
            victim.is_unharmed(&format!("{planted:?} in place of {}", pattern.name));
        }
    }
}

#[test]
fn a_directory_owned_by_another_user_is_refused_first() {
    let (place, server) = (Workplace::new(), artist());
    finished(&place, &url(&server), CARE[0]);
    let file = place.file("state.json");
    if lchown(&file, Some(65534), None).is_err() {
        eprintln!("skipped: only root can give a file to another user");
        return;
    }
    for command in ["run", "panel"] {
        let refused = spawn(place.program(&[command, "--resume", "run", "--upstream", "demo"])).finish();
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("state.json is owned by user 65534"),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains("chown -R 0 run"), "{}", refused.stderr);
    }
}

#[test]
fn a_run_is_refused_in_a_world_writable_place() {
    let (place, server) = (Workplace::new(), artist());
    let shared = place.path("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, Permissions::from_mode(0o777)).unwrap();
    let address = url(&server);
    for care in CARE {
        let arguments = [
            "run",
            "--run-dir",
            "shared/run",
            "--upstream",
            &address,
            "--max-turns",
            "1",
        ];
        let refused = spawn(place.program(&[&arguments, &SMALL[..], care].concat())).finish();
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("chmod go-w "), "{}", refused.stderr);
        assert_eq!(fs::read_dir(&shared).unwrap().count(), 0, "nothing was made");
    }
    let found = spawn(place.program(&["doctor", "--upstream", "demo", "--set", "record.dir=shared"])).finish();
    assert!(found.stdout.contains("chmod go-w "), "{}", found.stdout);
}

/// Whoever wrote the file might know a token in it.
#[test]
fn a_token_found_in_a_file_is_not_used() {
    let (place, server) = (Workplace::new(), artist());
    finished(&place, &url(&server), CARE[1]);
    let planted = "0123456789abcdef0123456789abcdef";
    let access = format!("{{\"address\":\"http://127.0.0.1:1\",\"token\":\"{planted}\"}}");
    fs::write(place.file("dashboard.json"), access).unwrap();
    let address = url(&server);
    let again = ["run", "--resume", "run", "--upstream", &address, "--max-turns", "1"];
    let resumed = spawn(place.program(&[&again, CARE[1]].concat())).finish();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(
        !fs::read_to_string(place.file("dashboard.json"))
            .unwrap()
            .contains(planted)
    );
    assert!(!resumed.stdout.contains(planted), "{}", resumed.stdout);
}
