//! Runs that FRANZ 0.1.0 left behind can continue. No recorded data is lost, and no action is performed twice.
//!
//! `version_before` contains one run of each profile, drawn by the built-in model. The agent of `draw` was killed in
//! the middle of its actions, and those of `sketch` and `operator` while the model was thinking. `companion` ended
//! properly, with a panel.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use franz_record::{Acted, Home, Phase, Resumed, Run, RunOptions, TurnLine};
use serde_json::Value;

use crate::harness::{Workplace, spawn};

/// A directory from the previous version, and the data read from a copy of it.
struct Before {
    place: Workplace,
    resumed: Resumed,
    turns: Vec<TurnLine>,
    journal: String,
}

impl Before {
    fn of(profile: &str) -> Before {
        let stored = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/e2e/version_before")
            .join(profile);
        let place = Workplace::new();
        fs::create_dir(place.file("")).unwrap();
        for file in fs::read_dir(stored).unwrap() {
            let file = file.unwrap();
            fs::write(
                place.file(file.file_name().to_str().unwrap()),
                fs::read(file.path()).unwrap(),
            )
            .unwrap();
        }
        let turns = place.turns();
        let journal = journal(&place);
        let (run, resumed) = Run::open(Home::claim(&place.file("")).unwrap(), RunOptions::default()).unwrap();
        drop(run);
        assert!(resumed.notices.is_empty(), "{profile}: {:?}", resumed.notices);
        Before {
            place,
            resumed,
            turns,
            journal,
        }
    }

    /// Continues for two turns, and returns the first of them.
    fn go_on(&self, program: &[&str]) -> TurnLine {
        let more = ["--resume", "run", "--upstream", "demo", "--max-turns", "2"];
        let finished = spawn(self.place.program(&[program, &more].concat())).finish();
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
        let turns = self.place.turns();
        let (old, new) = turns.split_at(self.turns.len());
        assert_eq!(old, self.turns);
        let number = self.resumed.state.turn;
        assert_eq!(
            new.iter().map(|turn| turn.turn).collect::<Vec<_>>(),
            [number + 1, number + 2]
        );
        let journal = journal(&self.place);
        assert!(journal.starts_with(&self.journal), "{journal}");
        let places: BTreeSet<_> = journal.lines().map(place_in_run).collect();
        assert_eq!(
            places.len(),
            journal.lines().count(),
            "nothing is drawn twice: {journal}"
        );
        assert_eq!(
            new[0].story.resolve(self.turns.last().unwrap().reply.as_ref()),
            Some(&self.resumed.state.story)
        );
        new[0].clone()
    }
}

fn journal(place: &Workplace) -> String {
    fs::read_to_string(place.file("canvas.jsonl")).unwrap()
}

/// Returns the turn of an action that was drawn, and its position in that turn.
fn place_in_run(line: &str) -> (u64, u64) {
    let entry: Value = serde_json::from_str(line).unwrap();
    (entry["turn"].as_u64().unwrap(), entry["index"].as_u64().unwrap())
}

const ALONE: [&str; 2] = ["run", "--no-panel"];

#[test]
fn an_old_draw_run_killed_while_acting_resumes() {
    let before = Before::of("draw");
    let Phase::Acting { outcomes, total, .. } = before.resumed.state.phase.clone() else {
        panic!("{:?}", before.resumed.state.phase);
    };
    let drawn = before.journal.lines().filter(|line| place_in_run(line).0 == 3).count();
    assert!(drawn > 1 && drawn < total && outcomes.len() <= drawn, "{outcomes:?}");
    let turn = before.go_on(&ALONE);
    assert!(turn.acted.starts_with(&outcomes), "{:?}", turn.acted);
    let done = |acted: &&Acted| acted.outcome.is_done();
    assert_eq!(turn.acted.iter().take_while(done).count(), drawn);
    let told = format!("Interrupted: {drawn} of {total} actions were performed.");
    assert!(turn.feedback.starts_with(&told), "{}", turn.feedback);
}

#[test]
fn old_sketch_and_operator_runs_killed_while_thinking_resume() {
    // A copied directory counts as somebody else's, so its settings file cannot switch the clipboard on.
    let clipboard: &[&str] = &[
        "--set",
        "protocol.tools.read_clipboard=true",
        "--set",
        "protocol.tools.write_clipboard=true",
    ];
    for (profile, more) in [("sketch", &[][..]), ("operator", clipboard)] {
        let before = Before::of(profile);
        let Phase::Acted { outcomes, feedback, .. } = before.resumed.state.phase.clone() else {
            panic!("{profile}: {:?}", before.resumed.state.phase);
        };
        assert!(!outcomes.is_empty(), "{profile}");
        let turn = before.go_on(&[&ALONE, more].concat());
        assert_eq!(turn.acted, outcomes, "{profile}");
        assert!(turn.feedback.starts_with(&feedback), "{profile}: {}", turn.feedback);
        let again = journal(&before.place);
        let in_turn = |journal: &str| journal.lines().filter(|line| place_in_run(line).0 == 3).count();
        assert_eq!(in_turn(&again), in_turn(&before.journal), "{profile}");
    }
}

#[test]
fn an_old_companion_run_resumes_under_a_panel() {
    let before = Before::of("companion");
    assert_eq!(before.resumed.state.phase, Phase::Ready);
    let verdicts = fs::read_to_string(before.place.file("verdicts.jsonl")).unwrap();
    let turn = before.go_on(&["run", "--no-open", "--dashboard", "127.0.0.1:0"]);
    let reply = before.turns.last().unwrap().reply.as_ref().unwrap().text();
    assert_eq!(turn.acted.len(), 1);
    assert!(reply.contains(&turn.acted[0].action), "{:?}", turn.acted);
    let after = fs::read_to_string(before.place.file("verdicts.jsonl")).unwrap();
    let new = after.strip_prefix(&verdicts).unwrap();
    assert_eq!(new.matches("\"verdict\":\"match\"").count(), 2, "{new}");
}
