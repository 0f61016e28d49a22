use franz_json::Story;

use super::*;
use crate::story::StoredStory;
use crate::turn::{BesideImage, Image, Status};

fn image(name: PictureName) -> Image {
    Image {
        file: name.to_string(),
        sha256: String::new(),
        width: 3,
        height: 1,
        bytes: 9,
    }
}

/// Records a run of four turns, of which the third failed. The first has a picture beside it, the second one without
/// marks.
fn recorded() -> (tempfile::TempDir, View) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("source");
    let (mut run, mut state) = Run::create(Some(&path), directory.path(), RunOptions::default()).unwrap();
    state.give_task(1, "first".to_owned());
    state.give_task(3, "second".to_owned());
    state.give_task(4, "third".to_owned());
    for turn in 1..=4 {
        let mut line = TurnLine::new(turn, "2026-11-21T21:44:03Z");
        line.feedback = format!("HEAD feedback {turn}");
        line.goal = Some(format!("goal {turn}"));
        line.story = StoredStory::Full(state.story.clone());
        if turn == 3 {
            line.status = Status::Failed;
        } else {
            line.reply = Story::from_raw(&format!("\"reply {turn}\""));
        }
        let mut names = vec![PictureName::seen(turn)];
        line.image = Some(image(PictureName::seen(turn)));
        if turn == 1 {
            names.push(PictureName::beside(turn, 1));
            line.beside = vec![BesideImage {
                words: "a part".to_owned(),
                image: image(PictureName::beside(turn, 1)),
            }];
        }
        if turn == 2 {
            names.push(PictureName::plain(turn));
        }
        for name in names {
            let bytes = format!("{name:9}");
            run.write_picture(name, PictureFile::Png(bytes.as_bytes())).unwrap();
        }
        let mut next = state.clone();
        next.completed(&line);
        run.commit(None, &line, &next).unwrap();
        state = next;
    }
    drop(run);
    let view = View::open(&path).unwrap();
    (directory, view)
}

/// Forks that run, and opens the new one.
fn forked(source: &View, turn: u64) -> (tempfile::TempDir, Vec<TurnLine>, RunState) {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::create(&directory.path().join("new")).unwrap();
    home.replace("config.toml", b"", false).unwrap();
    let fork = Fork::of(source, turn).unwrap();
    let bare = |feedback: &str| -> usize { feedback.find("feedback").unwrap_or_default() };
    fork.begin(home.clone(), RunOptions::default(), |feedback| {
        &feedback[bare(feedback)..]
    })
    .unwrap();
    let lines = TurnLines::open(&home).unwrap().map(Result::unwrap).collect();
    let (_, resumed) = Run::open(home, RunOptions::default()).unwrap();
    assert_eq!(resumed.notices, Vec::<String>::new());
    (directory, lines, resumed.state)
}

#[test]
fn the_new_run_stands_just_before_the_request() {
    let (_kept, source) = recorded();
    let (_directory, lines, state) = forked(&source, 3);
    assert_eq!(lines.iter().map(|line| line.turn).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((state.turn, state.run.as_str()), (2, "new"));
    assert_eq!(state.story, Story::from_raw("\"reply 2\"").unwrap());
    assert_eq!(state.goal.as_deref(), Some("goal 3"));
    assert_eq!(state.tasks.iter().map(|task| task.turn).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(state.tokens.total, 0, "the new run has used nothing yet");
    let origin = state.forked_from.as_ref().unwrap();
    assert_eq!((origin.run.as_str(), origin.turn), ("source", 3));
    assert!(matches!(&state.phase, Phase::Acted { turn: 3, feedback, .. } if feedback == "feedback 3"));
}

#[test]
fn the_pictures_before_the_request_are_copied_and_those_that_are_gone_stay_gone() {
    let (_kept, source) = recorded();
    let mut expected = vec![
        "turn_0001.beside_1.png",
        "turn_0001.png",
        "turn_0002.plain.png",
        "turn_0002.png",
    ];
    for gone in ["turn_0001.png", ""] {
        let (directory, lines, _) = forked(&source, 3);
        let new = directory.path().join("new");
        let names = std::fs::read_dir(&new).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.to_str().unwrap().to_owned()).collect();
        names.retain(|name| PictureName::parse(name).is_some());
        names.sort_unstable();
        assert_eq!(names, expected);
        for name in names {
            let bytes = |folder: &std::path::Path| std::fs::read(folder.join(&name)).unwrap();
            assert_eq!(bytes(&new), bytes(source.path()), "{name}");
        }
        assert_eq!(lines[0].image, Some(image(PictureName::seen(1))));
        expected.retain(|name| *name != gone);
        let _ = std::fs::remove_file(source.path().join(gone));
    }
}

#[test]
fn a_fork_after_a_failed_turn_sends_the_same_story_again() {
    let (_kept, source) = recorded();
    let (_directory, lines, state) = forked(&source, 4);
    assert_eq!(lines.len(), 3);
    assert_eq!(state.story, Story::from_raw("\"reply 2\"").unwrap());
}

#[test]
fn a_fork_at_the_first_turn_is_a_run_from_the_beginning() {
    let (_kept, source) = recorded();
    let (directory, lines, state) = forked(&source, 1);
    assert_eq!(lines, []);
    assert_eq!((state.turn, &state.phase), (0, &Phase::Ready));
    assert!(!directory.path().join("new/turn_0001.png").exists());
}

#[test]
fn a_fork_that_is_interrupted_while_it_copies_repeats_no_action() {
    let (_kept, source) = recorded();
    let fork = Fork::of(&source, 3).unwrap();
    let files = std::fs::read_dir(source.path())
        .unwrap()
        .map(|file| file.unwrap().path());
    let is_turns = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("turns_");
    let turns = files.into_iter().find(is_turns).unwrap();
    std::fs::remove_file(&turns).unwrap();
    std::fs::create_dir(&turns).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let home = Home::create(&directory.path().join("new")).unwrap();
    home.replace("config.toml", b"", false).unwrap();
    fork.begin(home.clone(), RunOptions::default(), |feedback| feedback)
        .unwrap_err();
    let (_, resumed) = Run::open(home, RunOptions::default()).unwrap();
    assert!(matches!(resumed.state.phase, Phase::Acted { turn: 3, .. }));
    assert_eq!(resumed.state.story, Story::from_raw("\"reply 2\"").unwrap());
}

#[test]
fn a_turn_that_does_not_exist_is_refused() {
    let (_kept, source) = recorded();
    let error = Fork::of(&source, 9).unwrap_err().to_string();
    assert_eq!(error, "source has no turn 9; its last turn is 4");
}
