//! Begins and opens runs, and refuses to.

use std::fs;
use std::path::Path;

use franz_record::{Home, Run, RunError, RunOptions, RunState, Source, create_directory};

use super::{Recording, files};

#[test]
fn a_run_has_one_owner() {
    let recording = Recording::begin(RunOptions::default());
    recording.run.write_config("").unwrap();
    let refused = Run::open(recording.run.home().clone(), RunOptions::default())
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(refused, RunError::Lock(_)), "{refused}");
    assert!(refused.to_string().contains(&recording.run.name()), "{refused}");
}

#[test]
fn a_run_starts_in_a_prepared_directory() {
    let parent = tempfile::tempdir().unwrap();
    let home = create_directory(None, parent.path()).unwrap();
    let refused = Run::open(home.clone(), RunOptions::default()).map(|_| ()).unwrap_err();
    assert!(matches!(refused, RunError::Resume(_)), "{refused}");
    assert!(
        files(home.path()).is_empty(),
        "a directory that is no run must stay as it is"
    );

    fs::write(home.path_of("config.toml"), "").unwrap();
    let (run, resumed) = Run::open(home, RunOptions::default()).unwrap();
    assert_eq!(resumed.source, Source::Nothing);
    assert_eq!(resumed.state, RunState::new(run.name()));
}

#[test]
fn an_existing_run_is_not_started_again() {
    let recording = Recording::begin(RunOptions::default());
    let path = recording.path();
    let refused = Run::create(Some(&path), Path::new("unused"), RunOptions::default())
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(refused, RunError::Directory(_)), "{refused}");
    assert!(refused.to_string().contains("--resume"), "{refused}");
}

#[test]
fn a_run_of_a_newer_version_is_refused_and_left_alone() {
    for (file, content) in [
        ("state.json", r#"{"v":9,"turn":1,"story":""}"#),
        ("state.json", r#"{"v":9,"turn":"one"}"#),
        ("turns_0001_1000.jsonl", "{\"v\":9,\"turn\":1}\n"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(file), content).unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let refused = Run::open(home, RunOptions::default()).err().unwrap().to_string();
        assert!(refused.contains("newer version of FRANZ (format 9)"), "{refused}");
        assert_eq!(fs::read_to_string(directory.path().join(file)).unwrap(), content);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
