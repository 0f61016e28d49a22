//! A turn that was done while no panel watched: its reply is known from the agent's record.

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
        let text = std::fs::read_to_string(directory.join("verdicts.jsonl")).unwrap();
        let verdicts: Vec<Verdict> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
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
