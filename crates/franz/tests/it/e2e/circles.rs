//! Going round in circles is noticed. The model is told, the person is told once, and finally the run ends.

use crate::e2e::settings::{resume, start};
use crate::harness::{Workplace, python, reply, scripted, url};

const TOLD: &str = "NOTICE: you have done the same thing ";
const NOTHING: &str = "NOTICE: none of your last ";
const ANOTHER_WAY: &str = "NOTICE: you are still doing the same thing";
const SAID: &str = "note: the model is going in circles";

/// Runs with these replies. Returns the turns whose feedback reports a circle, the turns whose feedback demands another
/// way, and how many times the person was told.
fn circles(more: &[&str], replies: &[&str], turns: usize) -> (Vec<u64>, Vec<u64>, usize) {
    let lines: Vec<String> = replies.iter().map(|text| reply(text)).collect();
    let server = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let place = Workplace::new();
    let turns = turns.to_string();
    let finished = start(&place, &url(&server), &[&["--max-turns", &turns], more].concat()).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let lines = place.turns();
    let told = |notices: &[&str]| {
        let lines = lines.iter();
        let told = lines.filter(|turn| notices.iter().any(|notice| turn.feedback.contains(notice)));
        told.map(|turn| turn.turn).collect()
    };
    (
        told(&[TOLD, NOTHING]),
        told(&[ANOTHER_WAY]),
        finished.stdout.matches(SAID).count(),
    )
}

const MOVE: [&str; 2] = ["--set", "protocol.tools.move=true"];
const COMPANION: [&str; 3] = ["--profile", "companion", "Draw a cat."];

#[test]
fn the_same_deed_at_the_same_place_is_told_at_three_and_forbidden_at_five() {
    let block = "I try.\n```python\nmove(500, 500)\n```";
    assert_eq!(circles(&MOVE, &[block], 7), (vec![4, 5], vec![6, 7], 1));
    // The wording differs, and the position is within a hundredth of the screen.
    let again = "I try it once more.\n```python\nmove(508, 494)\n```";
    assert_eq!(circles(&MOVE, &[block, again, block, again], 4), (vec![4], vec![], 1));
    // A different action ends the circle, and the next circle is reported again.
    let other = "I try.\n```python\nmove(800, 500)\n```";
    let replies = [block, block, block, other, other, other, other];
    assert_eq!(circles(&MOVE, &replies, 8), (vec![4, 7, 8], vec![], 2));
    let companion = [&COMPANION[..], &MOVE].concat();
    let sections = "STATUS: executing\nACTION: move(500, 500)";
    assert_eq!(circles(&companion, &[sections], 6), (vec![4, 5], vec![6], 1));
}

#[test]
fn turns_without_a_call_are_a_circle() {
    let words = ["ACTION: none\nSTORY: I wait.", "ACTION:\nSTORY: I think.", "STORY: Hm."];
    assert_eq!(circles(&COMPANION, &words, 4), (vec![4], vec![], 1));
    let unreadable = "```python\nclik(500, 500)\n```";
    assert_eq!(circles(&[], &[unreadable], 4), (vec![4], vec![], 1));
}

#[test]
fn a_changing_picture_is_not_a_loop() {
    let server = python(&["left_click(500, 500)", "type('I')"]);
    let place = Workplace::new();
    let finished = start(&place, &url(&server), &["--max-turns", "7"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let turns = place.turns();
    let plain = |turn| std::fs::read(place.file(&format!("turn_{turn:04}.plain.png"))).unwrap();
    let changes = turns
        .windows(2)
        .filter(|pair| plain(pair[0].turn) != plain(pair[1].turn))
        .count();
    let told = turns.iter().filter(|turn| turn.feedback.contains(TOLD)).count();
    assert_eq!((changes, told), (6, 0), "{}", finished.stdout);
}

#[test]
fn monitoring_waiting_and_resting_are_not_loops() {
    let watching = ["--profile", "companion"];
    let nowhere = (vec![], vec![], 0);
    assert_eq!(circles(&watching, &["ACTION: observe()"], 6), nowhere);
    assert_eq!(circles(&watching, &["ACTION: left_click(1, 1)"], 6), nowhere);
    assert_eq!(circles(&COMPANION, &["ACTION: observe()"], 6), nowhere);
    assert_eq!(circles(&[], &["I rest.\n```python\n```"], 6), nowhere);
    assert_eq!(circles(&[], &["I rest."], 6), nowhere);
    assert_eq!(circles(&["--profile", "sketch"], &["I rest."], 6), nowhere);
}

#[test]
fn a_run_that_nobody_can_help_ends_once_its_patience_is_over() {
    let server = python(&["move(500, 500)"]);
    let place = Workplace::new();
    let patience = ["--set", "loop.patience=4", MOVE[0], MOVE[1]];
    let finished = start(&place, &url(&server), &patience).finish();
    assert_eq!(finished.code, Some(7), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("it has done the same thing 4 times"),
        "{}",
        finished.stderr
    );
    // The fourth move was performed, and no further request was sent to the model.
    assert_eq!(place.turns().len(), 4);
    let finished = resume(&place, &url(&server), &["--max-turns", "1"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let turns = place.turns();
    assert_eq!((turns.len(), turns[4].acted.len()), (5, 1), "it is not repeated");
}

#[test]
fn a_run_whose_actions_nobody_can_approve_ends_too() {
    let server = python(&["left_click(500, 500)\nleft_click(600, 600)"]);
    let place = Workplace::new();
    let more = ["--gate", "ask", "--set", "loop.patience=4", "--max-turns", "9"];
    let finished = start(&place, &url(&server), &more).finish();
    assert_eq!(finished.code, Some(7), "{}", finished.stderr);
    let outcomes: Vec<&str> = place.turns()[1]
        .acted
        .iter()
        .map(|acted| acted.outcome.name())
        .collect();
    assert_eq!(outcomes, ["refused", "withdrawn"]);
    let said = "note: actions that need your permission are refused, because nobody is at a terminal";
    assert_eq!(finished.stdout.matches(said).count(), 1, "{}", finished.stdout);
}
