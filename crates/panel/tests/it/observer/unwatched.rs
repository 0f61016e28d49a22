//! Tests of a turn that was completed while no panel was watching. Its reply is known from the agent's record.

use std::path::{Path, PathBuf};

use franz_json::Raw;
use franz_panel::Verdict;
use franz_panel::VerdictKind::{First, Match, Violation};
use franz_record::{Run, RunOptions, TurnLine};
use tempfile::TempDir;

use crate::observer::{observe, options};
use crate::wire::{Ask, quote};

#[test]
fn the_turn_after_an_unobserved_one_is_verified() {
    for (sent, kind) in [("three", Match), ("thrEe", Violation)] {
        let mut watched = Watched::for_two_turns();
        // The panel was killed, but the agent still recorded turn 3. The next agent records turn 4 before its verdict.
        watched.record(&[(1, "", "one"), (2, "", "two"), (3, "", "three"), (4, "", "four")]);
        watched.see(vec![turn(4, sent).reply("\"four\""), turn(5, "four")]);
        let verdicts = verdicts(&watched.directory);
        let kinds: Vec<_> = verdicts.iter().map(|verdict| verdict.verdict).collect();
        assert_eq!(kinds, [First, Match, kind, Match]);
        let known_from = verdicts[2].why.as_deref().unwrap_or_default();
        assert_eq!(
            known_from.contains("known only from the record"),
            kind == Match,
            "{known_from}"
        );
        assert_eq!(verdicts[3].why, None);
    }
}

#[test]
fn a_turn_repeated_while_unobserved_is_not_a_violation() {
    // A turn can only have been repeated if it began after everything that the panel saw.
    for (began, kind) in [("9998-12-31T00:00:00Z", Match), ("1994-11-06T08:49:37Z", Violation)] {
        let mut watched = Watched::for_two_turns();
        // The panel and the agent were killed before turn 2 was recorded. Then an agent without a panel got a different
        // reply.
        watched.record(&[(1, "", "one"), (2, began, "another")]);
        watched.see(vec![turn(3, "another").reply("\"three\"")]);
        let last = verdicts(&watched.directory).pop().unwrap();
        assert_eq!(last.verdict, kind);
        let why = last.why.unwrap_or_default();
        assert_eq!(why.contains("known only from the record"), kind == Match, "{why}");
    }
}

/// A run that is not watched all the time.
struct Watched {
    run: Run,
    directory: PathBuf,
    _parent: TempDir,
}

impl Watched {
    /// Returns a run whose first two turns, with the replies `one` and `two`, were seen by a panel.
    fn for_two_turns() -> Watched {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("r");
        let (run, _) = Run::create(Some(&directory), parent.path(), RunOptions::default()).unwrap();
        let watched = Watched {
            run,
            directory,
            _parent: parent,
        };
        watched.see(vec![turn(1, "").reply("\"one\""), turn(2, "one").reply("\"two\"")]);
        watched
    }

    /// Lets a panel see these requests.
    fn see(&self, asks: Vec<Ask>) {
        observe(options(&self.directory), asks);
    }

    /// Lets the agent record turns, which are given as their numbers, start times and replies.
    fn record(&mut self, turns: &[(u64, &str, &str)]) {
        for (number, began, reply) in turns {
            let mut line = TurnLine::new(*number, *began);
            line.reply = Raw::string(reply).try_into().ok();
            self.run.append_turn(&line).unwrap();
        }
    }
}

/// Returns the request that the run's agent sends in this turn.
fn turn(turn: u64, story: &str) -> Ask {
    Ask::new(&quote(story)).run("r", turn)
}

fn verdicts(directory: &Path) -> Vec<Verdict> {
    let text = std::fs::read_to_string(directory.join("verdicts.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
