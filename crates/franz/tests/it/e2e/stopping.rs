//! A run stops properly when it is told to.
#![cfg(unix)]

use crate::harness::{Workplace, python, scripted, wait_until};

#[test]
fn a_signal_interrupts_the_wait_for_the_model() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 143)] {
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
