//! Records on a full disk.

use std::fs;
use std::num::NonZeroU64;

use franz_home::faults::{fill_disk, make_room};
use franz_json::Raw;
use franz_record::{DiskError, PictureFile, RunError, RunOptions, StoredStory, TurnLine, TurnLines, View};

use super::{Recording, TURNS_FILE};

#[test]
fn a_turn_that_does_not_fit_leaves_the_records_unchanged() {
    let mut recording = Recording::begin(RunOptions::default());
    recording.turn(Some(r#""a story""#));
    let path = recording.path();
    let before = (recording.state.clone(), fs::read(path.join(TURNS_FILE)).unwrap());

    fill_disk(&path.join("turn_0002.png.tmp"));
    let line = recording.line(Some(r#""too much""#));
    let mut state = recording.state.clone();
    state.completed(&line);
    let error = recording
        .run
        .commit(Some(PictureFile::Png(b"picture")), &line, &state)
        .unwrap_err();
    assert!(matches!(error, RunError::Disk(DiskError::Full { .. })), "{error}");

    let after_crash = recording.interrupted(RunOptions::default()).0;
    assert_eq!((after_crash.state, fs::read(path.join(TURNS_FILE)).unwrap()), before);
}

#[test]
fn a_turn_line_that_does_not_fit_is_left_out_and_the_next_one_is_complete() {
    let options = RunOptions {
        batch: NonZeroU64::MIN,
        ..RunOptions::default()
    };
    let mut recording = Recording::begin(options);
    recording.turn(Some(r#""a story""#));
    let full = recording.path().join("turns_0002_0002.jsonl");
    fill_disk(&full);
    let line = recording.line(None);
    let error = recording.run.append_turn(&line).unwrap_err();
    assert!(matches!(error, RunError::Disk(DiskError::Full { .. })), "{error}");
    make_room(&full);

    recording.state.completed(&line);
    recording.turn(None);
    let turns: Vec<TurnLine> = TurnLines::open(&View::open(&recording.path()).unwrap())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(turns.iter().map(|line| line.turn).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(
        turns[1].story,
        StoredStory::Full(Raw::string("a story").try_into().unwrap())
    );
}
