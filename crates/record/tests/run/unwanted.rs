//! Ends runs, and loses their records, so that the last reply's actions must not be performed.

use std::path::Path;

use franz_record::{Home, Phase, Run, RunEnd, RunOptions, Unwanted};

use super::Recording;

/// Returns why the last reply's actions must not be performed by the process that opens this run next. That process
/// dies immediately, or ends before it acts.
fn unwanted(path: &Path, ends: bool) -> Option<Unwanted> {
    let (run, resumed) = Run::open(Home::claim(path).unwrap(), RunOptions::default()).unwrap();
    if ends {
        run.write_end(end(false)).unwrap();
    }
    resumed.unwanted
}

fn end(withdraws: bool) -> RunEnd {
    RunEnd {
        at: "2026-01-01T00:00:00Z".to_owned(),
        reason: "stopped".to_owned(),
        exit_code: 130,
        withdraws,
        unusable_reply: false,
    }
}

#[test]
fn actions_that_must_not_be_performed_stay_unwanted_until_the_record_says_so() {
    for (lost, wanted) in [(false, Unwanted::Stopped), (true, Unwanted::Unrecorded)] {
        let mut recording = Recording::begin(RunOptions::default());
        recording.turn(Some(r#""a story""#));
        let (path, home) = (recording.path(), recording.run.home().clone());
        if lost {
            recording.run.note_loss().unwrap();
        } else {
            end(true).keep(&home, false).unwrap();
        }
        let Recording { run, parent, .. } = recording;
        drop(run);
        for ends in [false, true, false] {
            assert_eq!(unwanted(&path, ends), Some(wanted), "{ends}");
        }
        let (mut run, _) = Run::open(home, RunOptions::default()).unwrap();
        let acted = Phase::Acted {
            turn: 2,
            outcomes: Vec::new(),
            feedback: String::new(),
        };
        run.keep_phase(&acted).unwrap();
        for file in ["ended.json", "record.lost"] {
            assert!(!path.join(file).exists(), "{file}");
        }
        drop(run);
        assert_eq!(unwanted(&path, false), None);
        drop(parent);
    }
}

#[test]
fn a_run_that_is_lost_or_stopped_while_it_acts_stays_lost_until_the_record_says_so() {
    let mut recording = Recording::begin(RunOptions::default());
    recording.turn(Some(r#""a story""#));
    let acting = Phase::Acting {
        turn: 2,
        started: 1,
        total: 2,
        outcomes: Vec::new(),
        found: None,
        decided: None,
        waits: true,
    };
    recording.run.keep_phase(&acting).unwrap();
    recording.run.note_loss().unwrap();
    end(true).keep(recording.run.home(), false).unwrap();
    let path = recording.path();
    let Recording { run, parent, .. } = recording;
    drop(run);
    assert_eq!(unwanted(&path, false), None);
    let (mut run, resumed) = Run::open(Home::claim(&path).unwrap(), RunOptions::default()).unwrap();
    let phase = resumed.state.phase;
    // The person might have allowed the action after the loss.
    assert!(matches!(phase, Phase::Acting { waits: false, .. }), "{phase:?}");
    run.keep_phase(&phase).unwrap();
    for file in ["ended.json", "record.lost"] {
        assert!(!path.join(file).exists(), "{file}");
    }
    drop(run);
    drop(parent);
}

#[test]
fn a_run_that_was_lost_after_acting_says_so_until_the_model_was_told() {
    let mut recording = Recording::begin(RunOptions::default());
    recording.turn(Some(r#""a story""#));
    let acted = Phase::Acted {
        turn: 2,
        outcomes: Vec::new(),
        feedback: "OK".to_owned(),
    };
    recording.run.keep_phase(&acted).unwrap();
    recording.run.note_loss().unwrap();
    let path = recording.path();
    let Recording { run, parent, .. } = recording;
    drop(run);
    for ends in [false, true] {
        assert_eq!(unwanted(&path, ends), Some(Unwanted::Unrecorded), "{ends}");
    }
    let (mut run, resumed) = Run::open(Home::claim(&path).unwrap(), RunOptions::default()).unwrap();
    let is_told = |notice: &String| notice.contains("went on without being recorded; what it did after that");
    assert!(resumed.notices.iter().any(is_told), "{:?}", resumed.notices);
    run.keep_phase(&acted).unwrap();
    drop(run);
    assert_eq!(unwanted(&path, false), None);
    drop(parent);
}
