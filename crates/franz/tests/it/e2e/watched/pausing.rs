//! A person pauses the run, lets it take one turn, edits it and lets it continue.

use super::{Dashboard, replace_agent, start};
use crate::harness::{Workplace, python, wait_until};

#[test]
fn a_run_is_paused_stepped_and_resumed() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    let running = start(&place, &server, &["--step"]);
    let dashboard = Dashboard::of(&place);
    dashboard.wait_for_agent("paused");
    assert_eq!(
        (dashboard.last_turn(), server.requests().len()),
        (0, 0),
        "nothing is asked before the first step"
    );
    for turn in 1..=3 {
        dashboard.command("step");
        wait_until("the step", || (dashboard.last_turn() == turn).then_some(()));
        dashboard.wait_for_agent("paused");
        assert_eq!(server.requests().len() as u64, turn);
    }
    dashboard.command("resume");
    wait_until("more turns", || (dashboard.last_turn() > 6).then_some(()));
    dashboard.command("pause");
    dashboard.wait_for_agent("paused");
    let last = dashboard.last_turn();
    dashboard.command("step");
    wait_until("one more turn", || (dashboard.last_turn() == last + 1).then_some(()));
    dashboard.wait_for_agent("paused");
    dashboard.command("stop");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    assert_eq!(place.turns().len() as u64, last + 1);
}

#[test]
fn edits_during_a_pause_apply_to_the_next_turn() {
    let server = python(&["left_click(1, 2)"]);
    let place = Workplace::new();
    let running = start(&place, &server, &["--max-turns", "5", "--step"]);
    let dashboard = Dashboard::of(&place);
    dashboard.wait_for_agent("paused");
    dashboard.command("step");
    wait_until("the first turn", || (dashboard.last_turn() == 1).then_some(()));
    dashboard.wait_for_agent("paused");
    assert_eq!(dashboard.set("prompt.goal", "Draw a \"house\""), 200);
    assert_eq!(dashboard.set("protocol.tools.left_click", "false"), 200);
    assert_eq!(
        dashboard.set("loop.max_turns", "8"),
        200,
        "a canvas cannot click its dashboard"
    );
    assert_eq!(dashboard.set("image.width", "wide"), 400);
    dashboard.command("resume");
    assert_eq!(running.finish().code, Some(0));
    let turns = place.turns();
    assert_eq!(turns.len(), 8);
    let goals: Vec<_> = turns.iter().map(|turn| turn.goal.as_deref().unwrap()).collect();
    assert_ne!(goals[0], "Draw a \"house\"");
    assert_eq!(goals[1..], ["Draw a \"house\""; 7]);
    assert!(turns[7].feedback.contains("not defined"), "{}", turns[7].feedback);
}

#[test]
fn a_pause_outlasts_the_agent() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    let running = start(&place, &server, &["--step"]);
    let dashboard = Dashboard::of(&place);
    dashboard.wait_for_agent("paused");
    replace_agent(&running);
    dashboard.wait_for_agent("paused");
    assert_eq!(server.requests().len(), 0);
    dashboard.command("stop");
    assert_eq!(running.finish().code, Some(130));
}
