//! Records a run as the agent does: writes it, interrupts it, opens it again and reads it back.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]

mod beginning;
#[cfg(target_os = "linux")]
mod full_disk;
mod unwanted;
mod verbatim;

use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use franz_json::Story;
use franz_record::{
    Acted, Found, Home, Millis, Outcome, Phase, PictureFile, PictureName, Run, RunOptions, RunState, Source, Status,
    StoredStory, TurnLine, TurnLines, View,
};

const TURNS_FILE: &str = "turns_0001_1000.jsonl";

/// A run with its state, driven as the agent drives it.
struct Recording {
    run: Run,
    state: RunState,
    parent: tempfile::TempDir,
}

impl Recording {
    fn begin(options: RunOptions) -> Self {
        let parent = tempfile::tempdir().unwrap();
        let (run, state) = Run::create(None, parent.path(), options).unwrap();
        Self { run, state, parent }
    }

    /// Records the next turn, which fails if there is no `reply`.
    fn turn(&mut self, reply: Option<&str>) {
        let line = self.line(reply);
        self.state.completed(&line);
        self.run
            .commit(Some(PictureFile::Png(b"picture")), &line, &self.state)
            .unwrap();
    }

    fn line(&self, reply: Option<&str>) -> TurnLine {
        TurnLine {
            story: StoredStory::Full(self.state.story.clone()),
            status: if reply.is_some() { Status::Ok } else { Status::Failed },
            feedback: format!("feedback {}", self.state.turn + 1),
            reply: reply.map(|reply| Story::from_raw(reply).unwrap()),
            ..TurnLine::new(self.state.turn + 1, "2026-01-01T00:00:00Z")
        }
    }

    fn path(&self) -> PathBuf {
        self.run.path().to_owned()
    }

    /// Stops abruptly, as if killed, and opens the run again.
    fn interrupted(self, options: RunOptions) -> (Self, Source, Vec<String>) {
        let Self { run, state: _, parent } = self;
        let path = run.path().to_owned();
        drop(run);
        let (run, resumed) = Run::open(Home::claim(&path).unwrap(), options).unwrap();
        (
            Self {
                run,
                state: resumed.state,
                parent,
            },
            resumed.source,
            resumed.notices,
        )
    }
}

/// Returns every story that was sent, as a reader would rebuild it.
fn stories(directory: &Path) -> Vec<String> {
    let mut previous_reply = None;
    TurnLines::open(&View::open(directory).unwrap())
        .unwrap()
        .map(|line| {
            let line = line.unwrap();
            let story = line.story.resolve(previous_reply.as_ref()).unwrap().raw().to_owned();
            previous_reply = line.reply;
            story
        })
        .collect()
}

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn a_run_is_written_and_read_back() {
    let mut recording = Recording::begin(RunOptions {
        durable: true,
        ..RunOptions::default()
    });
    for reply in [
        Some(r#""one""#),
        None,
        Some(r#""two""#),
        Some(r#""two""#),
        Some(r#""""#),
    ] {
        recording.turn(reply);
    }
    let path = recording.path();
    assert_eq!(
        stories(&path),
        [r#""""#, r#""one""#, r#""one""#, r#""two""#, r#""two""#]
    );
    // The story of turn 3 follows a failed turn, so it is stored in full; the other stories are replies that are
    // already stored.
    let stored = fs::read_to_string(path.join(TURNS_FILE)).unwrap();
    assert_eq!(stored.matches("\"story\":{\"sha256\":").count(), 3);

    let state = recording.state.clone();
    let (recording, source, notices) = recording.interrupted(RunOptions::default());
    assert_eq!((recording.state, source, notices), (state, Source::State, vec![]));
}

#[test]
fn the_story_is_stored_once_also_across_a_restart() {
    let mut recording = Recording::begin(RunOptions::default());
    recording.turn(Some(r#""a story""#));
    let (mut recording, ..) = recording.interrupted(RunOptions::default());
    recording.turn(Some(r#""another""#));
    let stored = fs::read_to_string(recording.path().join(TURNS_FILE)).unwrap();
    assert_eq!(stored.matches("a story").count(), 1);
    assert_eq!(stories(&recording.path()), [r#""""#, r#""a story""#]);
}

#[test]
fn a_cut_last_line_never_loses_a_completed_turn() {
    let mut recording = Recording::begin(RunOptions::default());
    recording.turn(Some(r#""first \ud800""#));
    let lines = recording.path().join(TURNS_FILE);
    let committed = fs::metadata(&lines).unwrap().len();
    let state_before = fs::read(recording.path().join("state.json")).unwrap();
    recording.turn(Some(r#""second \u0000""#));
    let whole = fs::read(&lines).unwrap();

    let mut recording = recording;
    for length in committed as usize..=whole.len() {
        let path = recording.path();
        fs::write(&lines, &whole[..length]).unwrap();
        fs::write(path.join("state.json"), &state_before).unwrap();
        fs::write(path.join("state.json.tmp"), b"{\"half").unwrap();
        let _ = fs::remove_file(path.join("turns_0001_1000.jsonl.cut"));

        let (reopened, source, notices) = recording.interrupted(RunOptions::default());
        let complete = length == whole.len();
        let (turn, story) = if complete {
            (2, r#""second \u0000""#)
        } else {
            (1, r#""first \ud800""#)
        };
        assert_eq!(
            (reopened.state.turn, reopened.state.story.raw()),
            (turn, story),
            "cut at {length}"
        );
        assert_eq!(source, if complete { Source::TurnLine } else { Source::State });

        let unterminated = length > committed as usize && !complete;
        assert_eq!(notices.len(), usize::from(unterminated), "{notices:?}");
        assert_eq!(
            files(&path).iter().any(|name| name == "turns_0001_1000.jsonl.cut"),
            unterminated
        );
        assert!(
            !files(&path)
                .iter()
                .any(|name| Path::new(name).extension().is_some_and(|end| end == "tmp"))
        );

        recording = reopened;
        recording.turn(Some(r#""next""#));
        assert_eq!(stories(&path).len() as u64, turn + 1);
    }
}

#[test]
fn an_interrupted_phase_is_found_again() {
    let outcomes = vec![Acted::new("left_click(1, 2)", Outcome::DONE)];
    let phases = [
        Phase::Acting {
            turn: 2,
            started: 1,
            total: 4,
            outcomes: Vec::new(),
            found: Some(Found {
                action: Some("left_click(1, 2)".to_owned()),
                model: "m".to_owned(),
                said: "(1,2)".to_owned(),
                ms: Millis::default(),
            }),
            decided: None,
            waits: true,
        },
        Phase::Acted {
            turn: 2,
            outcomes,
            feedback: "OK: 1 action executed.".to_owned(),
        },
    ];
    let mut recording = Recording::begin(RunOptions::default());
    recording.turn(Some(r#""a story""#));
    for phase in phases {
        recording.state.phase = phase.clone();
        recording.run.keep_phase(&recording.state.phase).unwrap();
        recording = recording.interrupted(RunOptions::default()).0;
        assert_eq!(recording.state.phase, phase);
    }
    recording.turn(Some(r#""an answer""#));
    assert_eq!(recording.interrupted(RunOptions::default()).0.state.phase, Phase::Ready);
}

#[test]
fn pictures_and_story_text_have_their_names() {
    let mut recording = Recording::begin(RunOptions::default());
    let name = recording
        .run
        .write_picture(PictureName::plain(1), PictureFile::Png(b"plain"))
        .unwrap();
    assert_eq!(name, "turn_0001.plain.png");
    recording.turn(Some(r#""a""#));
    recording
        .run
        .write_picture(PictureName::plain(2), PictureFile::SameAs(PictureName::plain(1)))
        .unwrap();
    recording.run.write_story_text("a story\n").unwrap();
    let path = recording.path();
    assert_eq!(fs::read(path.join("turn_0002.plain.png")).unwrap(), b"plain");
    let expected = [
        "acting.jsonl",
        "agent.lock",
        "state.json",
        "story.txt",
        "turn_0001.plain.png",
        "turn_0001.png",
        "turn_0002.plain.png",
        TURNS_FILE,
    ];
    assert_eq!(files(&path), expected);

    #[cfg(unix)]
    for name in expected {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}");
    }
}

#[test]
fn two_thousand_turns_go_into_files_of_their_batch() {
    let options = RunOptions {
        batch: NonZeroU64::new(400).unwrap(),
        ..RunOptions::default()
    };
    let mut recording = Recording::begin(options);
    for turn in 1..=2000 {
        let line = recording.line(Some(&format!("\"story {turn}\"")));
        recording.state.completed(&line);
        recording.run.commit(None, &line, &recording.state).unwrap();
        if turn % 700 == 0 {
            recording = recording.interrupted(options).0;
        }
    }
    let path = recording.path();
    let stories = stories(&path);
    assert_eq!(stories.len(), 2000);
    assert_eq!(stories[1999], "\"story 1999\"");
    let batches: Vec<_> = files(&path)
        .into_iter()
        .filter(|name| name.starts_with("turns_"))
        .collect();
    assert_eq!(batches.len(), 5, "{batches:?}");
    assert_eq!(batches[1], "turns_0401_0800.jsonl");
}
