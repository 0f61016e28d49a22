//! A turn that was done while no panel watched: its reply is known from the agent's record.

use std::path::Path;

use franz_panel::Kind::{First, Match, Violation};
use franz_panel::Verdict;
use franz_record::{Raw, Run, RunOptions, TurnLine};

use crate::wire::{Ask, quote};
use crate::{observe, options};

#[test]
fn the_turn_after_one_that_nobody_saw_is_verified_too() {
    for (sent, kind) in [("three", Match), ("thrEe", Violation)] {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("r");
        let (mut run, _) = Run::create(Some(&directory), parent.path(), RunOptions::default()).unwrap();
        let turn = |turn, story: &str| Ask::new(&quote(story)).run("r", turn);
        observe(
            options(&directory),
            vec![turn(1, "").reply("\"one\""), turn(2, "one").reply("\"two\"")],
        );
        // The panel was killed; the agent still recorded turn 3, and the next one turn 4 before its verdict.
        for (number, reply) in [(1, "one"), (2, "two"), (3, "three"), (4, "four")] {
            let mut line = TurnLine::new(number, "");
            line.reply = Some(Raw::string(reply));
            run.append_turn(&line).unwrap();
        }
        observe(
            options(&directory),
            vec![turn(4, sent).reply("\"four\""), turn(5, "four")],
        );
        let verdicts = verdicts(&directory);
        let kinds: Vec<_> = verdicts.iter().map(|verdict| verdict.verdict).collect();
        assert_eq!(kinds, [First, Match, kind, Match]);
        let known_from = verdicts[2].why.as_deref().unwrap_or_default();
        assert_eq!(
            known_from.contains("known from the record only"),
            kind == Match,
            "{known_from}"
        );
        assert_eq!(verdicts[3].why, None);
    }
}

#[test]
fn a_turn_that_was_done_again_while_nobody_watched_is_no_violation() {
    // Only a turn that began behind all that the panel saw can have been done again.
    for (began, kind) in [("9998-12-31T00:00:00Z", Match), ("1994-11-06T08:49:37Z", Violation)] {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("r");
        let (mut run, _) = Run::create(Some(&directory), parent.path(), RunOptions::default()).unwrap();
        let turn = |turn, story: &str| Ask::new(&quote(story)).run("r", turn);
        observe(
            options(&directory),
            vec![turn(1, "").reply("\"one\""), turn(2, "one").reply("\"two\"")],
        );
        // Panel and agent were killed before turn 2 was recorded; an agent alone then got another reply.
        for (number, began, reply) in [(1, "", "one"), (2, began, "another")] {
            let mut line = TurnLine::new(number, began);
            line.reply = Some(Raw::string(reply));
            run.append_turn(&line).unwrap();
        }
        observe(options(&directory), vec![turn(3, "another").reply("\"three\"")]);
        let last = verdicts(&directory).pop().unwrap();
        assert_eq!(last.verdict, kind);
        let why = last.why.unwrap_or_default();
        assert_eq!(why.contains("known from the record only"), kind == Match, "{why}");
    }
}

fn verdicts(directory: &Path) -> Vec<Verdict> {
    let text = std::fs::read_to_string(directory.join("verdicts.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
