//! A watched run ends when it is told to, no matter by whom.

use super::{Dashboard, agent_of, kinds, lives, start};
use crate::harness::{Workplace, artist, python, scripted, wait_until};

#[test]
fn signals_and_the_stop_button_end_the_run_in_order() {
    for (stop, code) in [("INT", 130), ("TERM", 143), ("HUP", 143), ("button", 130)] {
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

fn start_again(place: &Workplace, server: &franz_demo::DemoHandle) -> crate::harness::Running {
    super::resume(place, server, &["--step"])
}

#[test]
fn a_run_whose_agent_does_not_respond_says_why_it_ended() {
    let (place, server) = (Workplace::new(), artist());
    let running = start(&place, &server, &[]);
    place.wait_for_turn(1);
    let frozen = std::process::Command::new("kill")
        .args(["-STOP", &agent_of(&running).to_string()])
        .status();
    assert!(frozen.unwrap().success());
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
