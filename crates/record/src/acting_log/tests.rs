//! Checks that files from this version and the previous one can be read back.

use franz_action::Outcome;
use proptest::prelude::*;

use super::*;

fn acted(action: &str) -> Acted {
    Acted::new(action, Outcome::DONE)
}

fn acting(turn: u64, outcomes: Vec<Acted>) -> Phase {
    Phase::Acting {
        turn,
        started: outcomes.len() + 1,
        total: 3,
        outcomes,
        found: None,
        decided: None,
        waits: false,
    }
}

#[test]
fn every_step_is_recovered_and_a_cut_line_is_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let path = directory.path().join(PROGRESS_FILE);
    let mut progress = ActingLog::open(&home, false, &Phase::Ready).unwrap();
    let over = Phase::Acted {
        turn: 2,
        outcomes: vec![acted("a"), acted("b")],
        feedback: "OK".to_owned(),
    };
    let phases = [acting(2, vec![]), acting(2, vec![acted("a")]), over];
    let mut before = None;
    for phase in phases {
        let start = std::fs::read(&path).unwrap().len();
        progress.keep(&phase).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for end in start..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(read(&home, 2).unwrap(), before, "cut at {end}");
        }
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(read(&home, 2).unwrap(), Some(phase.clone()));
        assert_eq!(read(&home, 3).unwrap(), None, "another turn");
        before = Some(phase);
    }
}

#[test]
fn outcomes_of_unstarted_actions_are_kept_with_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let mut progress = ActingLog::open(&home, false, &Phase::Ready).unwrap();
    progress.keep(&acting(4, vec![])).unwrap();
    progress.keep(&acting(4, vec![acted("a"), acted("b")])).unwrap();
    assert_eq!(read(&home, 4).unwrap(), Some(acting(4, vec![acted("a"), acted("b")])));
}

#[test]
fn a_reply_never_read_to_the_end_is_identified_by_its_hash() {
    let directory = tempfile::tempdir().unwrap();
    let over = Phase::Acted {
        turn: 2,
        outcomes: vec![acted("a")],
        feedback: "OK".to_owned(),
    };
    let home = Home::claim(directory.path()).unwrap();
    let mut progress = ActingLog::open(&home, false, &Phase::Ready).unwrap();
    let unfinished = || unfinished(&home).unwrap();
    assert_eq!(unfinished(), Vec::<String>::new());
    progress.keep(&over).unwrap();
    for reply in ["one", "two"] {
        progress.keep_reading(reply, false).unwrap();
    }
    assert_eq!(unfinished(), ["one", "two"]);
    progress.keep_reading("one", true).unwrap();
    assert_eq!(unfinished(), ["two"]);
    // Reading a reply does not change the known progress of the turn.
    assert_eq!(read(&home, 2).unwrap(), Some(over));
    assert_eq!(read(&home, 3).unwrap(), None);
    progress.keep(&acting(3, vec![])).unwrap();
    assert_eq!(unfinished(), Vec::<String>::new());
}

#[test]
fn a_resumed_turn_goes_on_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let begun = acting(4, vec![acted("a")]);
    let mut progress = ActingLog::open(&home, false, &Phase::Ready).unwrap();
    progress.keep(&begun).unwrap();
    let before = std::fs::read(directory.path().join(PROGRESS_FILE)).unwrap();
    let mut progress = ActingLog::open(&home, false, &begun).unwrap();
    progress.keep(&acting(4, vec![acted("a"), acted("b")])).unwrap();
    let after = std::fs::read(directory.path().join(PROGRESS_FILE)).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len());
    assert_eq!(read(&home, 4).unwrap(), Some(acting(4, vec![acted("a"), acted("b")])));
}

#[test]
fn the_file_holds_one_turn() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    for turn in 1..50 {
        // A resumed process opens the file anew.
        let mut progress = ActingLog::open(&home, false, &Phase::Ready).unwrap();
        progress.keep(&acting(turn, vec![])).unwrap();
        progress.keep(&acting(turn, vec![acted("a")])).unwrap();
        assert_eq!(read(&home, turn).unwrap(), Some(acting(turn, vec![acted("a")])));
    }
    let content = std::fs::read_to_string(directory.path().join(PROGRESS_FILE)).unwrap();
    assert_eq!(content.lines().count(), 2);
}

/// Returns `count` outcomes, each for a different action.
fn outcomes(count: usize) -> Vec<Acted> {
    (0..count).map(|index| acted(&format!("#{index}#"))).collect()
}

proptest! {
    /// Whatever is recorded about a turn, and however often the agent process is replaced, each outcome is written only
    /// once, and reading returns all outcomes.
    #[test]
    fn each_line_holds_only_what_is_new(
        steps in proptest::collection::vec((0_usize..4, any::<bool>()), 1..20),
        is_over in any::<bool>(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let mut log = ActingLog::open(&home, false, &Phase::Ready).unwrap();
        let mut count = 0;
        let mut phase = Phase::Ready;
        for (more, is_replaced) in steps {
            count += more;
            phase = acting(4, outcomes(count));
            log.keep(&phase).unwrap();
            prop_assert_eq!(read(&home, 4).unwrap(), Some(phase.clone()));
            if is_replaced {
                log = ActingLog::open(&home, false, &phase).unwrap();
            }
        }
        if is_over {
            count += 1;
            phase = Phase::Acted { turn: 4, outcomes: outcomes(count), feedback: "OK".to_owned() };
            log.keep(&phase).unwrap();
        }
        prop_assert_eq!(read(&home, 4).unwrap(), Some(phase));
        let content = std::fs::read_to_string(directory.path().join(PROGRESS_FILE)).unwrap();
        for outcome in outcomes(count) {
            prop_assert_eq!(content.matches(&outcome.action).count(), 1, "{}", content);
        }
    }
}

#[test]
fn a_phase_known_only_from_the_state_is_written_in_full() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let known = acting(4, outcomes(2));
    let mut log = ActingLog::open(&home, false, &known).unwrap();
    let over = Phase::Acted {
        turn: 4,
        outcomes: outcomes(3),
        feedback: "OK".to_owned(),
    };
    log.keep(&over).unwrap();
    assert_eq!(read(&home, 4).unwrap(), Some(over));
}

/// FRANZ 0.1.0 repeated all outcomes in the last line.
#[test]
fn lines_of_version_0_1_0_are_read() {
    let started = r#"{"started":{"turn":3,"started":1,"total":2,"since":[]}}
{"started":{"turn":3,"started":2,"total":2,"since":[{"action":"a","outcome":"done","why":null}]}}
"#;
    let over = r#"{"acted":{"turn":3,"outcomes":[{"action":"a","outcome":"done","why":null},{"action":"b","outcome":"blocked","why":null}],"feedback":"OK"}}
"#;
    let acted_a = acted("a");
    let acted = Phase::Acted {
        turn: 3,
        outcomes: vec![acted_a.clone(), Acted::new("b", Outcome::BLOCKED)],
        feedback: "OK".to_owned(),
    };
    let acting = Phase::Acting {
        turn: 3,
        started: 2,
        total: 2,
        outcomes: vec![acted_a],
        found: None,
        decided: None,
        waits: false,
    };
    for (content, expected) in [
        (started.to_owned(), acting),
        (format!("{started}{over}"), acted.clone()),
        (over.to_owned(), acted.clone()),
    ] {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(PROGRESS_FILE), content).unwrap();
        let home = Home::claim(directory.path()).unwrap();
        assert_eq!(read(&home, 3).unwrap().as_ref(), Some(&expected));

        // The rest of the turn is written in the new format.
        let mut log = ActingLog::open(&home, false, &expected).unwrap();
        log.keep(&acted).unwrap();
        assert_eq!(read(&home, 3).unwrap().as_ref(), Some(&acted));
    }
}
