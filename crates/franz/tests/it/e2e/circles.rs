//! Going round in circles is noticed: the model is told, and so is the person, once.

use crate::e2e::settings::start;
use crate::harness::{Workplace, python, reply, scripted, url};

const TOLD: &str = "NOTICE: your last replies were all the same, and the screen did not change.";
const SAID: &str = "note: the model is going in circles";

/// The turns whose feedback tells of a circle, and how often the person was told, in a run over these replies.
fn circles(more: &[&str], replies: &[&str], turns: usize) -> (Vec<u64>, usize) {
    let lines: Vec<String> = replies.iter().map(|text| reply(text)).collect();
    let server = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let place = Workplace::new();
    let turns = turns.to_string();
    let finished = start(&place, &url(&server), &[&["--max-turns", &turns], more].concat()).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let told = place.turns().into_iter().filter(|turn| turn.feedback.contains(TOLD));
    (
        told.map(|turn| turn.turn).collect(),
        finished.stdout.matches(SAID).count(),
    )
}

const MOVE: [&str; 2] = ["--set", "protocol.tools.move=true"];
const COMPANION: [&str; 3] = ["--profile", "companion", "Draw a cat."];

#[test]
fn three_identical_replies_to_one_picture_are_reported_once() {
    let block = "I try.\n```python\nmove(500, 500)\n```";
    assert_eq!(circles(&MOVE, &[block], 6), (vec![4, 5, 6], 1));
    // Another reply ends it, and the next circle is told again.
    let other = "I try.\n```python\nmove(501, 500)\n```";
    let replies = [block, block, block, other, block, block, block];
    assert_eq!(circles(&MOVE, &replies, 8), (vec![4, 8], 2));
    let companion = [&COMPANION[..], &MOVE].concat();
    let sections = "STATUS: executing\nACTION: move(500, 500)";
    assert_eq!(circles(&companion, &[sections], 6), (vec![4, 5, 6], 1));
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
fn monitoring_and_resting_are_not_loops() {
    let watching = ["--profile", "companion"];
    let nowhere = (vec![], 0);
    assert_eq!(circles(&watching, &["ACTION: observe()"], 6), nowhere);
    assert_eq!(circles(&watching, &["ACTION: left_click(1, 1)"], 6), nowhere);
    assert_eq!(circles(&[], &["I rest.\n```python\n```"], 6), nowhere);
    assert_eq!(circles(&[], &["I rest."], 6), nowhere);
    assert_eq!(circles(&COMPANION, &["ACTION: none\nSTORY: I wait."], 6), nowhere);
}
