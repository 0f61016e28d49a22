//! A settings file of unknown origin starts no program, names no server and loosens no limit until the person allows
//! it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::e2e::settings::{edit, resume, start};
use crate::e2e::watched::listing;
use crate::harness::{Finished, Workplace, artist, python, spawn, url};
use crate::puppet::Puppet;

/// Runs one turn that needs no flags for settings that only the person may give.
fn run(place: &Workplace, more: &[&str]) -> Finished {
    let common = [
        "run",
        "--upstream",
        "demo",
        "--max-turns",
        "1",
        "--set",
        "loop.executing_delay_s=0",
    ];
    spawn(place.franz(&[&common, more].concat())).finish()
}

/// Runs `franz` with these arguments and this answer on stdin.
fn answered(place: &Workplace, words: &[&str], answer: &str) -> Finished {
    let mut command = place.program(words);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Returns the path of the only file in the state folder that belongs to the run.
fn entry(place: &Workplace) -> PathBuf {
    let run = place.file("").canonicalize().unwrap();
    let entries = std::fs::read_dir(place.path("state/franz/runs")).unwrap();
    let mut entries = entries.map(|entry| entry.unwrap().path()).filter(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.contains(&format!("directory = \"{}\"", run.display()))
    });
    let path = entries.next().unwrap();
    assert!(entries.next().is_none());
    path
}

#[test]
fn a_cloned_repository_starts_no_program() {
    let place = Workplace::new();
    let marker = place.path("marker");
    let text = format!(
        "[screen]\nkind = \"virtual\"\nstart = [\"touch '{}'\"]\n",
        marker.display()
    );
    std::fs::write(place.path("franz.toml"), &text).unwrap();
    std::fs::write(place.path("mine.toml"), &text).unwrap();
    for words in [
        &["doctor"][..],
        &["doctor", "--screen", "virtual"],
        &["run", "--upstream", "demo"],
        &["run", "--profile", "mine.toml", "--upstream", "demo"],
        &["panel"],
    ] {
        let finished = spawn(place.program(words)).finish();
        assert_eq!(
            finished.code,
            Some(2),
            "{words:?}: {}{}",
            finished.stdout,
            finished.stderr
        );
        let said = finished.stdout + &finished.stderr;
        for part in [
            "franz.toml:3: screen.start starts programs, which only you may",
            "--set 'screen.start=",
            "franz trust ",
        ] {
            assert!(said.contains(part), "{words:?}: {said}");
        }
        assert!(!marker.exists(), "{words:?}");
    }
    // Commands that use none of these settings still work, such as those that list scenarios or show recorded runs.
    assert_eq!(spawn(place.program(&["scenarios"])).finish().code, Some(0));
}

#[test]
fn trust_covers_a_files_exact_contents_and_can_be_revoked() {
    let place = Workplace::new();
    let file = place.path("franz.toml");
    std::fs::write(&file, "[record]\ndir = \"elsewhere\"\n").unwrap();
    assert_eq!(run(&place, &[]).code, Some(2));
    assert_eq!(answered(&place, &["trust"], "\n").code, Some(1));
    assert_eq!(run(&place, &[]).code, Some(2), "only a yes counts");

    let allowed = answered(&place, &["trust", "franz.toml"], "y\n");
    assert_eq!(allowed.code, Some(0), "{}", allowed.stderr);
    assert!(
        allowed
            .stdout
            .contains("line 2: chooses directories: record.dir = \"elsewhere\""),
        "{}",
        allowed.stdout
    );
    let ran = run(&place, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(place.path("elsewhere").is_dir());
    let list = || spawn(place.program(&["trust", "--list"])).finish().stdout;
    assert!(
        list().starts_with("allowed ") && list().contains("franz.toml"),
        "{}",
        list()
    );

    std::fs::write(&file, "[record]\ndir = \"elsewhere\"\n\n").unwrap();
    assert_eq!(run(&place, &[]).code, Some(2), "another file");
    assert!(list().starts_with("changed "), "{}", list());
    assert_eq!(answered(&place, &["trust"], "y\n").code, Some(0));
    assert_eq!(run(&place, &[]).code, Some(0));
    // As a process that was killed while it wrote the entry leaves it.
    let folder = place.path("state/franz/trusted");
    let [entry] = &listing(&folder)[..] else {
        panic!("{:?}", listing(&folder));
    };
    std::fs::copy(folder.join(entry), folder.join(format!("{entry}.{}-0.tmp", u32::MAX))).unwrap();
    assert_eq!(
        spawn(place.program(&["trust", "--revoke", "franz.toml"])).finish().code,
        Some(0)
    );
    assert_eq!((run(&place, &[]).code, list().as_str()), (Some(2), ""));
    assert_eq!(
        spawn(place.program(&["trust", "--revoke", "franz.toml"])).finish().code,
        Some(2)
    );
}

#[test]
fn trust_also_shows_what_loosens_the_persons_own_limits() {
    let place = Workplace::new();
    std::fs::create_dir_all(place.path("config/franz")).unwrap();
    std::fs::write(place.path("config/franz/franz.toml"), "[gate]\nmode = \"ask\"\n").unwrap();
    std::fs::write(
        place.path("franz.toml"),
        "[gate]\nmode = \"free\"\n[record]\ndir = \"elsewhere\"\n",
    )
    .unwrap();
    let refused = run(&place, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("franz.toml:2: gate.mode lifts limits"),
        "{}",
        refused.stderr
    );
    let allowed = answered(&place, &["trust", "franz.toml"], "y\n");
    assert_eq!(allowed.code, Some(0), "{}", allowed.stderr);
    let shown: Vec<&str> = allowed
        .stdout
        .lines()
        .filter(|line| line.starts_with("  line "))
        .collect();
    let expected = [
        "  line 2: lifts limits: gate.mode = \"free\"",
        "  line 4: chooses directories: record.dir = \"elsewhere\"",
    ];
    assert_eq!(shown, expected, "{}", allowed.stdout);
    assert_eq!(run(&place, &[]).code, Some(0));
}

/// The environment is above `./franz.toml`, and a profile is below the person's own file.
#[test]
fn trust_shows_no_limit_that_the_file_cannot_loosen() {
    let place = Workplace::new();
    let free = "[gate]\nmode = \"free\"\n";
    std::fs::write(place.path("franz.toml"), free).unwrap();
    let mut command = place.program(&["trust", "franz.toml"]);
    command.env("FRANZ_GATE__MODE", "ask");
    let ended = spawn(command).finish();
    assert!(ended.stdout.contains("there is nothing to allow"), "{}", ended.stdout);

    std::fs::create_dir_all(place.path("config/franz")).unwrap();
    std::fs::write(place.path("config/franz/franz.toml"), "[gate]\nmode = \"ask\"\n").unwrap();
    std::fs::write(place.path("mine.toml"), free).unwrap();
    let ended = spawn(place.program(&["trust", "mine.toml"])).finish();
    assert!(ended.stdout.contains("there is nothing to allow"), "{}", ended.stdout);
}

#[test]
fn narrowing_settings_and_the_persons_own_folder_need_no_consent() {
    let place = Workplace::new();
    std::fs::write(
        place.path("franz.toml"),
        "[loop]\nmax_turns = 1\n[protocol.tools]\ndrag = false\n",
    )
    .unwrap();
    let finished = spawn(place.franz(&["run", "--upstream", "demo", "--set", "loop.executing_delay_s=0"])).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    std::fs::create_dir_all(place.path("config/franz")).unwrap();
    std::fs::write(place.path("config/franz/franz.toml"), "[record]\ndir = \"mine\"\n").unwrap();
    assert_eq!(run(&place, &[]).code, Some(0));
    assert!(place.path("mine").is_dir());
}

#[test]
fn a_moved_copied_or_unknown_run_grants_itself_nothing() {
    let (place, server) = (Workplace::usual(), python(&["left_click(1, 2)"]));
    let flags = ["--max-turns", "1", "--set", "protocol.limits.steps=2000000"];
    assert_eq!(place.run(&server, &flags).code, Some(0));
    assert_eq!(
        place.resume(&server, &["--max-turns", "1"]).code,
        Some(0),
        "its own place knows it"
    );

    copy(&place.file(""), &place.path("copied"));
    let url = url(&server);
    let resume = |directory: &str, more: &[&str]| {
        let words = ["run", "--resume", directory, "--max-turns", "1"];
        spawn(place.franz(&[&words, more].concat())).finish()
    };
    let refused = resume("copied", &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let lines: Vec<&str> = refused.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (flag, key) in [
        (format!("add --upstream {url}"), "model.upstream names servers"),
        (
            "add --set protocol.limits.steps=2000000".to_owned(),
            "protocol.limits.steps lifts limits",
        ),
    ] {
        let told = lines
            .iter()
            .any(|line| line.contains(&flag) && line.contains(key) && line.contains("config.toml:"));
        assert!(told, "{flag}: {lines:?}");
    }
    let given = resume(
        "copied",
        &["--upstream", &url, "--set", "protocol.limits.steps=2000000"],
    );
    assert_eq!(given.code, Some(0), "{}", given.stderr);
    let remembered = resume("copied", &[]);
    assert_eq!(remembered.code, Some(0), "{}", remembered.stderr);

    std::fs::rename(place.file(""), place.path("moved")).unwrap();
    assert_eq!(resume("moved", &[]).code, Some(2));
    std::fs::rename(place.path("moved"), place.file("")).unwrap();
    assert_eq!(resume("run", &[]).code, Some(0));

    // Simulate a kill after the directory is created but before FRANZ remembers it, and one before the settings are
    // written.
    std::fs::remove_file(entry(&place)).unwrap();
    assert_eq!(resume("run", &[]).code, Some(2));
    std::fs::remove_file(place.file("config.toml")).unwrap();
    let cut = resume("run", &[]);
    assert_eq!(cut.code, Some(2));
    assert!(cut.stderr.contains("config.toml is missing"), "{}", cut.stderr);
}

#[test]
fn editing_a_runs_settings_grants_nothing() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let running = start(&place, &server.url(), &["--json", "--set", "model.max_tokens=300"]);
    server.chat();
    edit(&place, "screen.start", Some(vec!["touch marker"]));
    edit(&place, "model.max_tokens", Some(900));
    edit(&place, "protocol.tools.drag", Some(false));
    edit(&place, "prompt.goal", Some("Draw."));
    let request = server.then("I look.");
    assert_eq!(request["max_tokens"], 300);
    edit(&place, "model.max_tokens", Some(200));
    assert_eq!(server.then("I look.")["max_tokens"], 200, "less is taken up");
    edit(&place, "model.max_tokens", Some(300));
    assert_eq!(server.then("I look.")["max_tokens"], 300, "up to what was given");
    running.signal("TERM");
    drop(server);
    let finished = running.finish();
    for said in [
        "only you can change screen.start (franz run --resume RUN --set 'screen.start=",
        "only you can change model.max_tokens",
        "protocol.tools.drag = false: from this turn on",
        "prompt.goal = ",
    ] {
        assert_eq!(finished.stdout.matches(said).count(), 1, "{said}: {}", finished.stdout);
    }
    // The edits are still in the file. They have no effect at the next start either, which reports them and continues.
    let mut server = Puppet::new();
    let again = resume(&place, &server.url(), &["--max-turns", "1"]);
    server.chat();
    server.reply("I look.");
    let again = again.finish();
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(
        again.stdout.contains("only you can change screen.start"),
        "{}",
        again.stdout
    );
    assert!(!place.path("marker").exists());
}

#[test]
fn a_resumed_run_ignores_an_edited_server() {
    let (place, server, other) = (Workplace::new(), artist(), artist());
    assert_eq!(place.run(&server, &["--max-turns", "1"]).code, Some(0));
    edit(&place, "model.upstream", Some(url(&other)));
    let finished = spawn(place.franz(&["run", "--resume", "run", "--max-turns", "1"])).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(place.turns().len(), 2);
    assert!(other.requests().is_empty());
}

/// A person's own file holds for all screens.
#[test]
fn masks_for_windows_hide_nothing_on_a_canvas() {
    let (place, server) = (Workplace::new(), python(&["left_click(500, 500)"]));
    std::fs::create_dir_all(place.path("config/franz")).unwrap();
    let mask = "[[screen.mask]]\nwindow = \"KeePass*\"\n";
    std::fs::write(place.path("config/franz/franz.toml"), mask).unwrap();
    let finished = place.run(&server, &["--max-turns", "2"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let told = "note: screen.mask: a canvas shows no windows, so masks for windows hide nothing on it";
    assert!(finished.stdout.contains(told), "{}", finished.stdout);
    let acted = place.turns().pop().unwrap().acted;
    assert!(
        !acted.is_empty() && acted.iter().all(|acted| acted.outcome.is_done()),
        "{acted:?}"
    );
}

/// A person adds a mask or tightens a limit after they have seen what the model did.
#[test]
fn a_resumed_run_has_the_persons_limits_of_today() {
    let (place, server) = (Workplace::new(), python(&["left_click(1, 2)"]));
    assert_eq!(place.run(&server, &["--max-turns", "1"]).code, Some(0));
    std::fs::create_dir_all(place.path("config/franz")).unwrap();
    let limits = "[gate]\nmode = \"ask\"\n[loop]\nmax_turns = 9\n[[screen.mask]]\narea = [0, 0, 1000, 40]\n";
    std::fs::write(place.path("config/franz/franz.toml"), limits).unwrap();
    let of_run = |key: &str| {
        let (table, name) = key.rsplit_once('.').unwrap();
        let text = std::fs::read_to_string(place.file("config.toml")).unwrap();
        text.parse::<toml::Table>().unwrap()[table][name].to_string()
    };
    let lifted = place.resume(&server, &["--max-turns", "1", "--gate", "free"]);
    assert_eq!(lifted.code, Some(0), "{}", lifted.stderr);
    let said: Vec<&str> = lifted
        .stderr
        .lines()
        .filter(|line| line.contains("now applies to this run, too"))
        .collect();
    let [mask] = &said[..] else { panic!("{}", lifted.stderr) };
    assert!(
        mask.contains("franz.toml") && mask.contains(": screen.mask = "),
        "{mask}"
    );
    assert_eq!(of_run("gate.mode"), "\"free\"");
    assert!(of_run("screen.mask").contains("1000"), "{}", of_run("screen.mask"));

    let limited = place.resume(&server, &["--max-turns", "1", "--set", "person.wait_s=0.1"]);
    assert_eq!(limited.code, Some(0), "{}", limited.stderr);
    let told = "franz.toml:2: gate.mode = \"ask\" now applies to this run, too; to lift it for this start: --gate free";
    assert!(limited.stderr.contains(told), "{}", limited.stderr);
    assert_eq!(of_run("gate.mode"), "\"ask\"");
    assert_eq!(
        limited.stderr.matches("now applies").count(),
        1,
        "once: {}",
        limited.stderr
    );
    // A turn's actions are recorded with the next turn.
    let acted = place.turns().pop().unwrap().acted;
    let performed = acted.iter().filter(|acted| acted.outcome.is_done()).count();
    assert!(!acted.is_empty() && performed == 0, "a click in the mask: {acted:?}");
}

#[test]
fn a_run_without_a_state_folder_resumes_only_if_the_server_is_given() {
    let (place, server) = (Workplace::usual(), artist());
    std::fs::write(place.path("file"), "").unwrap();
    let url = url(&server);
    let without = |words: &[&str]| {
        let mut command = place.franz(words);
        command
            .env("XDG_STATE_HOME", place.path("file"))
            .env("LOCALAPPDATA", place.path("file"));
        spawn(command).finish()
    };
    let ran = without(&["run", "--run-dir", "run", "--upstream", &url, "--max-turns", "1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let said = "cannot remember your flags for this run";
    assert!(ran.stdout.contains(said), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(without(&["run", "--resume", "run", "--max-turns", "1"]).code, Some(2));
    let given = without(&["run", "--resume", "run", "--upstream", &url, "--max-turns", "1"]);
    assert_eq!(given.code, Some(0), "{}", given.stderr);
}

/// On macOS, the person's settings are in the same folder and may be a link.
#[cfg(unix)]
#[test]
fn what_else_is_in_the_state_folder_does_not_matter() {
    use std::os::unix::fs::symlink;

    let (place, server) = (Workplace::new(), artist());
    assert_eq!(place.run(&server, &["--max-turns", "1"]).code, Some(0));
    symlink("elsewhere.toml", place.path("state/franz/franz.toml")).unwrap();
    symlink(place.path("run"), place.path("state/franz/runs/latest")).unwrap();
    drop(std::os::unix::net::UnixListener::bind(place.path("state/franz/runs/socket")).unwrap());
    let resumed = spawn(place.franz(&["run", "--resume", "run", "--max-turns", "1"])).finish();
    assert_eq!(resumed.code, Some(0), "the server is remembered: {}", resumed.stderr);
    let again = spawn(place.franz(&[
        "run",
        "--resume",
        "run",
        "--max-turns",
        "1",
        "--set",
        "model.max_tokens=300",
    ]));
    let again = again.finish();
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(!again.stdout.contains("cannot remember"), "{}", again.stdout);
}

#[test]
fn entries_of_deleted_runs_are_removed_and_those_of_missing_disks_kept() {
    let (place, server) = (Workplace::new(), artist());
    let url = url(&server);
    let run = |directory: &str| {
        let words = ["run", "--run-dir", directory, "--upstream", &url, "--max-turns", "1"];
        assert_eq!(spawn(place.franz(&words)).finish().code, Some(0));
    };
    let entries = || {
        let entries = std::fs::read_dir(place.path("state/franz/runs")).unwrap();
        let mut of: Vec<String> = entries
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
            .map(|text| {
                text.lines()
                    .find(|line| line.starts_with("directory"))
                    .unwrap()
                    .to_owned()
            })
            .collect();
        of.sort();
        of
    };
    for directory in ["disk", "mount"] {
        std::fs::create_dir(place.path(directory)).unwrap();
    }
    for directory in ["deleted", "disk/away", "mount/away", "kept"] {
        run(directory);
    }
    assert_eq!(entries().len(), 4);
    for directory in ["deleted", "disk", "mount/away"] {
        std::fs::remove_dir_all(place.path(directory)).unwrap();
    }
    // A run does not wait for the cleanup, so a short run might end first.
    let runs = (1..=20).find(|number| {
        run(&format!("new{number}"));
        entries().len() == 3 + number
    });
    assert!(runs.is_some(), "{:?}", entries());
    let left = entries();
    assert!(!left.iter().any(|line| line.contains("deleted")), "{left:?}");
}

#[cfg(unix)]
#[test]
fn remembered_settings_are_private_and_follow_no_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let (place, server) = (Workplace::new(), artist());
    assert_eq!(place.run(&server, &["--max-turns", "1"]).code, Some(0));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&entry(&place)), 0o600);
    for folder in ["state/franz/runs", "state/franz"] {
        assert_eq!(mode(&place.path(folder)), 0o700, "{folder}");
    }

    let (place, victim) = (Workplace::new(), tempfile::tempdir().unwrap());
    std::fs::create_dir(place.path("state")).unwrap();
    symlink(victim.path(), place.path("state/franz")).unwrap();
    assert_eq!(place.run(&server, &["--max-turns", "1"]).code, Some(0));
    assert!(victim.path().read_dir().unwrap().next().is_none());
}

#[cfg(target_os = "linux")]
#[test]
fn the_person_is_asked_once_about_each_version_of_a_file() {
    use crate::terminal::Terminal;

    let place = Workplace::new();
    let file = place.path("franz.toml");
    std::fs::write(&file, "[record]\ndir = \"elsewhere\"\n").unwrap();
    let program = place.franz(&["run", "--upstream", "demo", "--max-turns", "1"]);
    let in_terminal = |answer: Option<&str>| {
        let mut terminal = Terminal::run(&place, &program);
        if let Some(answer) = answer {
            terminal.shows("[y/N]");
            terminal.types(answer);
        }
        (terminal.end(), terminal.written())
    };
    let (code, said) = in_terminal(Some("n"));
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("line 2: chooses directories: record.dir = \"elsewhere\""),
        "{said}"
    );
    assert!(!place.path("elsewhere").exists());
    let (code, said) = in_terminal(Some("y"));
    assert_eq!(code, Some(0), "{said}");
    assert!(place.path("elsewhere").is_dir());
    let (code, said) = in_terminal(None);
    assert!(code == Some(0) && !said.contains("[y/N]"), "{said}");
    std::fs::write(&file, "[record]\ndir = \"elsewhere\" \n").unwrap();
    assert_eq!(in_terminal(Some("")).0, Some(2), "another digest asks again");
}
