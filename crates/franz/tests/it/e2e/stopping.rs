//! A run stops properly when it is told to.
#![cfg(unix)]

use crate::harness::{Workplace, ignores_hangup, python, scripted, wait_until};

#[test]
fn a_signal_interrupts_the_wait_for_the_model() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 143)] {
        if signal == "HUP" && ignores_hangup() {
            continue;
        }
        let server = scripted(&[r#"{"text": "a"}"#, r#"{"text": "b", "delay_s": 3600}"#]);
        let place = Workplace::new();
        let running = place.start(&server, &[]);
        place.wait_for_turn(1);
        wait_until("the second request", || (server.requests().len() >= 2).then_some(()));
        running.signal(signal);
        let finished = running.finish();
        assert_eq!(finished.code, Some(code), "{signal}: {}", finished.stderr);
        assert!(finished.stdout.contains("ended: stopped"), "{}", finished.stdout);
        assert_eq!(place.turns().len(), 1, "the turn that was not answered is not recorded");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_interrupts_the_wait_for_a_private_desktop() {
    use std::os::unix::fs::PermissionsExt as _;

    use crate::harness::{reply, spawn, url};

    let (place, server) = (Workplace::new(), scripted(&[&reply("a")]));
    let folder = place.path("bin");
    std::fs::create_dir(&folder).unwrap();
    let (program, started) = (folder.join("Xvfb"), place.path("started"));
    let script = format!(
        "#!/bin/sh\necho $$ > '{0}.new'\nmv '{0}.new' '{0}'\nexec sleep 1000\n",
        started.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let url = url(&server);
    let mut command = place.franz(&["run", "--run-dir", "run", "--upstream", &url, "--screen", "virtual"]);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", folder.display()));
    let running = spawn(command);
    let process: u32 = wait_until("the start of Xvfb", || {
        std::fs::read_to_string(&started).ok()?.trim().parse().ok()
    });
    running.signal("INT");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    assert!(!std::path::Path::new(&format!("/proc/{process}")).exists());
    assert!(!place.path("run").exists(), "no run is left behind");
}

/// As with nohup, which starts a program in this way.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_was_told_to_ignore_a_hangup_outlives_its_terminal() {
    use std::process::{Command, Stdio};

    use crate::harness::spawn;
    use crate::puppet::Puppet;

    let (place, mut server) = (Workplace::new(), Puppet::new());
    let url = server.url();
    let franz = place.franz(&[
        "run",
        "--run-dir",
        "run",
        "--upstream",
        &url,
        "--max-turns",
        "2",
        "--set",
        "loop.executing_delay_s=0",
    ]);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
        .arg(franz.get_program());
    shell.args(franz.get_args()).current_dir(place.path(""));
    for (name, value) in franz.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = spawn(shell);
    server.asked();
    running.signal("HUP");
    server.then("One.");
    server.reply("Two.");
    let finished = running.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(place.turns().len(), 2);
}

/// An agent that went on without a record might have performed the last recorded reply.
#[test]
fn a_reply_that_might_have_been_performed_without_a_record_is_not_performed_again() {
    let server = python(&["left_click(1, 2)", "left_click(3, 4)", "left_click(5, 6)"]);
    let place = Workplace::new();
    assert_eq!(place.start(&server, &["--max-turns", "1"]).finish().code, Some(0));
    std::fs::write(place.file("record.lost"), "").unwrap();
    let resumed = place.resume(&server, &["--max-turns", "2"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let told = "the run went on without being recorded";
    assert!(resumed.stdout.contains(told), "{}", resumed.stdout);
    let turn = &place.turns()[1];
    assert_eq!(turn.acted[0].outcome.name(), "interrupted", "{turn:?}");
    assert!(turn.feedback.contains("some may have been performed"), "{turn:?}");
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    assert!(!journal.contains("left_click(1, 2)"), "{journal}");
    assert!(journal.contains("left_click(3, 4)"), "{journal}");
    assert!(!place.file("record.lost").exists());
}

#[test]
fn a_stop_while_acting_is_recorded_and_reported_after_resume() {
    let server = python(&["left_click(1, 2)\nleft_click(3, 4)\nwait(30)\nleft_click(5, 6)", "pass"]);
    let place = Workplace::new();
    let running = place.start(&server, &["--set", "protocol.tools.wait=true"]);
    wait_until("the second action", || {
        let journal = std::fs::read_to_string(place.file("canvas.jsonl")).ok()?;
        journal.contains("left_click(3, 4)").then_some(())
    });
    wait_until("the wait", || {
        std::fs::read_to_string(place.file("acting.jsonl"))
            .ok()?
            .contains("\"started\":3")
            .then_some(())
    });
    running.signal("INT");
    assert_eq!(running.finish().code, Some(130));
    place.resume(&server, &["--max-turns", "1"]);
    let turn = &place.turns()[1];
    assert!(
        turn.feedback.starts_with("Interrupted: 2 of 4 actions were performed."),
        "{}",
        turn.feedback
    );
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    assert!(!journal.contains("left_click(5, 6)"));
    assert_eq!(journal.matches("left_click(1, 2)").count(), 1);
}
