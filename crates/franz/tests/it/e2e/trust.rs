//! Tests what a run reveals to other users of the machine, how far it trusts its own directory, and whom it asks.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::e2e::settings::{resume, run, start};
use crate::harness::{Workplace, python, scripted, spawn, url};

/// Returns a command for `franz` as started by a shell in which new files are accessible to everybody.
fn openly(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "umask 0; exec \"$0\" \"$@\""])
        .arg(command.get_program());
    shell
        .args(command.get_args())
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(command.get_current_dir().unwrap());
    shell
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    shell
}

/// Without a panel, and with one.
const CARE: [&[&str]; 2] = [&["--no-panel"], &["--dashboard", "127.0.0.1:0", "--no-open"]];

#[test]
fn a_run_is_private_whatever_the_umask() {
    let server = python(&["left_click(500, 500)\ntype('a')"]);
    for care in CARE {
        let place = Workplace::new();
        let command = run(&place, &url(&server), &[care, &["--max-turns", "3"]].concat());
        let finished = spawn(openly(&command)).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let mode = |path: &std::path::Path| std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&place.file("")), 0o700);
        let files = std::fs::read_dir(place.file(""))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let files: Vec<_> = files.collect();
        assert!(files.len() > 8, "{files:?}");
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }
}

#[test]
fn proxy_variables_are_ignored() {
    let (server, proxy) = (scripted(&[r#"{"text": "a"}"#]), scripted(&[r#"{"text": "b"}"#]));
    for care in CARE {
        let place = Workplace::new();
        let mut command = run(&place, &url(&server), &[care, &["--max-turns", "1"]].concat());
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
            command.env(name, url(&proxy));
        }
        command.env_remove("NO_PROXY").env_remove("no_proxy");
        let asked = server.requests().len();
        let finished = spawn(command).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(server.requests().len() > asked);
    }
    assert_eq!(proxy.requests().len(), 0);
}

#[test]
fn a_pipe_instead_of_the_settings_does_not_block() {
    let (place, server) = (Workplace::new(), scripted(&[r#"{"text": "a", "delay_s": 0.02}"#]));
    let pipe = |name: &str| {
        let path = place.file(name);
        let _ = std::fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    };
    let running = start(&place, &url(&server), &[]);
    let at = place.wait_for_turn(1).len() as u64;
    pipe("config.toml");
    place.wait_for_turn(at + 3);
    running.signal("TERM");
    let finished = running.finish();
    assert_eq!(finished.code, Some(143), "{}", finished.stderr);
    assert!(
        finished
            .stdout
            .contains("it is not a file; keeping the previous settings"),
        "{}",
        finished.stdout
    );

    for name in ["config.toml", "state.json", "agent.lock"] {
        let (place, server) = (Workplace::new(), scripted(&[r#"{"text": "a"}"#]));
        let made = start(&place, &url(&server), &["--max-turns", "1"]).finish();
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let path = place.file(name);
        std::fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let refused = resume(&place, &url(&server), &["--max-turns", "1"]).finish();
        assert_eq!(refused.code, Some(2), "{name}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(name) && refused.stderr.contains("is a pipe, a socket or a device"),
            "{}",
            refused.stderr
        );
    }
}

const LOOK: &str = r#"{"content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "observe_screen", "arguments": "{}"}}]}"#;

/// A run that somebody else has made might name any file as a turn's picture.
#[test]
fn no_picture_from_outside_the_run_is_sent() {
    let (place, server) = (Workplace::new(), scripted(&[LOOK]));
    let operator = ["--profile", "operator", "look"];
    let made = start(&place, &url(&server), &[&operator[..], &["--max-turns", "2"]].concat()).finish();
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    std::fs::write(place.path("secret"), b"a private matter, forty-two bytes of it.....").unwrap();
    let (_, lines) = std::fs::read_dir(place.file(""))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find_map(|path| {
            path.file_name()?
                .to_str()?
                .starts_with("turns_")
                .then(|| (path.clone(), path.clone()))
        })
        .unwrap();
    let text = std::fs::read_to_string(&lines).unwrap();
    let forged = text
        .replace("turn_0001.png", "../secret")
        .replace("turn_0002.png", "../secret");
    assert_ne!(text, forged);
    std::fs::write(&lines, forged).unwrap();
    let resumed = resume(&place, &url(&server), &["--max-turns", "1"]).finish();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let last = server.requests().last().unwrap().body.clone();
    let sent = String::from_utf8_lossy(&last).into_owned();
    assert!(!sent.contains("YSBwcml2YXRlIG1hdHRlc"), "the file went out");
    assert!(
        sent.contains("data:image/png;base64,iVBOR"),
        "the newest picture went out"
    );
}
