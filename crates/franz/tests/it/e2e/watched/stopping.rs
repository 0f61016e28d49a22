//! A watched run ends when it is told to, no matter by whom.

use std::time::{Duration, Instant};

use franz_home::Home;
use franz_record::{AGENT_LOCK, Lock, PANEL_LOCK};

use super::{Dashboard, agent_of, kinds, lives, start};
use crate::harness::{Running, Workplace, artist, ignores_hangup, python, scripted, spawn, wait_until};
use crate::puppet::Puppet;

#[test]
fn signals_and_the_stop_button_end_the_run_in_order() {
    for (stop, code) in [("INT", 130), ("TERM", 143), ("HUP", 143), ("button", 130)] {
        if stop == "HUP" && ignores_hangup() {
            continue;
        }
        let server = scripted(&[r#"{"text": "a"}"#, r#"{"text": "b", "delay_s": 3600}"#]);
        let place = Workplace::new();
        let running = start(&place, &server, &[]);
        let dashboard = Dashboard::of(&place);
        place.wait_for_turn(1);
        wait_until("the second request", || (server.requests().len() >= 2).then_some(()));
        let agent = agent_of(&running);
        match stop {
            "button" => dashboard.command("stop"),
            signal => running.signal(signal),
        }
        let finished = running.finish();
        assert_eq!(finished.code, Some(code), "{stop}: {}", finished.stderr);
        assert!(
            finished.stdout.contains("ended: stopped"),
            "{stop}: {}",
            finished.stdout
        );
        assert!(!lives(agent), "{stop}");
        assert_eq!(place.turns().len(), 1);
    }
}

#[test]
fn a_run_ends_with_its_agent_and_says_how_to_resume() {
    let server = python(&["drag(1, 2, 3, 4)", "left_click(5, 6)"]);
    let place = Workplace::new();
    let finished = start(&place, &server, &["--max-turns", "5"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(place.turns().len(), 5);
    assert_eq!(kinds(&place), ["first", "match", "match", "match", "match"]);
    let log = std::fs::read_to_string(place.file("exchange.log")).unwrap();
    assert_eq!(log.matches("\"request\":").count(), 5);
    assert_eq!(log.matches("\"response\":").count(), 5);
    for told in ["look    http://127.0.0.1:", "record  run", "turn 5"] {
        assert!(finished.stdout.contains(told), "{}", finished.stdout);
    }
    let end = "\
ended: the last requested turn is done
picture run/turn_0005.png
replay  franz replay run
resume  franz run --resume run
";
    assert!(finished.stdout.ends_with(end), "{}", finished.stdout);
    assert!(place.file("turn_0005.png").exists());
    assert_eq!(finished.stderr, "");
    // Two turns more, as the last line says.
    let resumed = place.resume(&server, &["--max-turns", "2"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(place.turns().len(), 7);
}

#[test]
fn a_dashboard_stays_after_the_run_if_the_person_wants_it_to() {
    for stop in ["INT", "button"] {
        let server = python(&["left_click(5, 6)"]);
        let place = Workplace::new();
        let running = start(&place, &server, &["--max-turns", "2", "--stay"]);
        wait_until("the end of the run", || {
            running.has_complained("press Ctrl+C to exit").then_some(())
        });
        let dashboard = Dashboard::of(&place);
        let state = dashboard.json("/api/state");
        assert_eq!(state["agent"]["state"], "stopped", "{state}");
        match stop {
            "button" => dashboard.command("stop"),
            signal => running.signal(signal),
        }
        let finished = running.finish();
        assert_eq!(finished.code, Some(0), "the run's own code: {}", finished.stderr);
        assert_eq!(finished.stdout.matches("ended: ").count(), 1, "{}", finished.stdout);
    }
}

#[test]
fn a_run_that_has_ended_gets_no_message_while_its_dashboard_stays() {
    let (mut live, server, place) = (Puppet::new(), python(&["left_click(5, 6)"]), Workplace::new());
    let said = |words: &[&str]| {
        let said = place.franz(&[&["say"], words].concat()).output().unwrap();
        String::from_utf8(said.stdout).unwrap()
    };
    let upstream = live.url();
    let running = spawn(place.franz(&["run", "--run-dir", "live", "--upstream", &upstream]));
    live.chat();
    let ended = start(&place, &server, &["--max-turns", "1", "--stay"]);
    wait_until("the end of the run", || {
        ended.has_complained("press Ctrl+C to exit").then_some(())
    });
    let kept = said(&["run", "good night"]);
    assert!(kept.starts_with("kept; run has ended, "), "{kept}");
    let sent = said(&["hello"]);
    assert!(sent.starts_with("sent; ") && sent.contains("live"), "{sent}");
    ended.kill();
    running.kill();
}

#[test]
fn exits_with_its_own_code_when_it_cannot_start() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    assert_eq!(start(&place, &server, &["--max-turns", "1"]).finish().code, Some(0));
    // A second panel and a second agent are refused.
    let held = start_again(&place, &server);
    let dashboard = Dashboard::of(&place);
    dashboard.wait_for_agent("paused");
    let second = start_again(&place, &server).finish();
    assert_eq!(second.code, Some(2));
    assert!(second.stderr.contains("panel.lock"), "{}", second.stderr);
    let alone = place.resume(&server, &[]);
    assert_eq!(alone.code, Some(2));
    assert!(alone.stderr.contains("agent.lock"), "{}", alone.stderr);
    held.kill();
}

/// A command that is refused changes nothing for the run that goes on.
#[test]
fn a_panel_is_refused_where_an_agent_runs_without_one() {
    let server = scripted(&[r#"{"text": "too late", "delay_s": 3600}"#]);
    let place = Workplace::new();
    let alone = place.start(&server, &[]);
    wait_until("a request", || (!server.requests().is_empty()).then_some(()));
    let settings = std::fs::read_to_string(place.file("config.toml")).unwrap();
    let refused = super::resume(&place, &server, &["--set", "image.width=99"]).finish();
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("agent.lock"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(place.file("config.toml")).unwrap(), settings);
    assert!(!place.file("dashboard.json").exists());
    alone.kill();
}

/// On a busy machine, a killed panel's agent notices late that it must end.
#[test]
fn the_next_panel_waits_for_an_agent_that_is_slow_to_release_the_run() {
    let (place, server) = (Workplace::new(), python(&["left_click(1, 2)"]));
    assert_eq!(start(&place, &server, &["--max-turns", "1"]).finish().code, Some(0));
    let home = Home::claim(&place.path("run")).unwrap();
    let agent = Lock::acquire(&home, AGENT_LOCK).unwrap();
    let resumed = super::resume(&place, &server, &["--max-turns", "1"]);
    wait_until("the next panel", || Lock::acquire(&home, PANEL_LOCK).err());
    let waits = Instant::now();
    wait_until("an agent that is slow", || {
        (waits.elapsed() > Duration::from_millis(3200)).then_some(())
    });
    drop(agent);
    let resumed = resumed.finish();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(place.turns().len(), 2);
}

#[test]
fn an_agent_without_a_panel_is_refused_while_a_panel_restarts_its_own() {
    let (place, server) = (Workplace::new(), python(&["left_click(1, 2)"]));
    let running = start(&place, &server, &["--step", "--set", "panel.restart_s=3600"]);
    let dashboard = Dashboard::of(&place);
    dashboard.wait_for_agent("paused");
    signal_agent(&running, "-KILL");
    dashboard.wait_for_agent("restarting");
    let alone = place.resume(&server, &[]);
    assert_eq!(alone.code, Some(2));
    assert!(alone.stderr.contains("panel.lock"), "{}", alone.stderr);
    dashboard.command("stop");
    assert_eq!(running.finish().code, Some(130));
}

fn start_again(place: &Workplace, server: &franz_demo::DemoHandle) -> crate::harness::Running {
    super::resume(place, server, &["--step"])
}

/// The person might stop a run while its agent is dead and the next one has not started, or while it hangs.
#[test]
fn a_stop_without_a_living_agent_withdraws_what_is_pending() {
    for signal in ["-KILL", "-STOP"] {
        let server = python(&["left_click(1, 2)", "left_click(3, 4)", "left_click(5, 6)"]);
        let place = Workplace::new();
        let running = start(&place, &server, &["--step", "--set", "panel.restart_s=3600"]);
        let dashboard = Dashboard::of(&place);
        dashboard.wait_for_agent("paused");
        dashboard.command("step");
        // The turn is recorded first, then its reply is read, and then the state is saved.
        wait_until("the state after the turn", || {
            let state = std::fs::read(place.file("state.json")).ok()?;
            let state: serde_json::Value = serde_json::from_slice(&state).ok()?;
            (state["turn"] == 1).then_some(())
        });
        signal_agent(&running, signal);
        if signal == "-KILL" {
            dashboard.wait_for_agent("restarting");
            // A command to an agent that is not there changes nothing about that.
            dashboard.command("resume");
            assert_eq!(dashboard.json("/api/state")["agent"]["state"], "restarting");
            let (status, why) = dashboard.decide("reply", "", "I rest.");
            assert_ne!(status, 200);
            assert!(why.contains("the agent is restarting; try again when it runs"), "{why}");
        }
        dashboard.command("stop");
        let finished = running.finish();
        assert_eq!(finished.code, Some(130), "{signal}: {}", finished.stderr);
        assert!(finished.stdout.contains("ended: stopped"), "{}", finished.stdout);
        assert!(place.file("ended.json").exists(), "{signal}");

        for _ in 0..2 {
            let resumed = place.resume(&server, &["--max-turns", "1"]);
            assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
        }
        let feedback = &place.turns()[1].feedback;
        assert!(
            feedback.contains("because the person stopped the run."),
            "{signal}: {feedback}"
        );
        let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
        assert!(!journal.contains("left_click(1, 2)"), "{signal}: {journal}");
        assert!(journal.contains("left_click(3, 4)"), "{signal}: {journal}");
    }
}

fn signal_agent(running: &Running, signal: &str) {
    let agent = agent_of(running).to_string();
    let sent = std::process::Command::new("kill").args([signal, &agent]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_run_whose_agent_does_not_respond_says_why_it_ended() {
    let (place, server) = (Workplace::new(), artist());
    let running = start(&place, &server, &[]);
    place.wait_for_turn(1);
    signal_agent(&running, "-STOP");
    running.signal("TERM");
    let finished = running.finish();
    assert_eq!(finished.code, Some(143), "{}", finished.stderr);
    let last = finished.stdout.lines().rev().find(|line| !line.is_empty());
    assert!(
        finished.stdout.contains("stopped by a signal"),
        "{last:?}: {}",
        finished.stdout
    );
}
