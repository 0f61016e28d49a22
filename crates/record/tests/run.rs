//! Records a run as the agent does: writes it, interrupts it, opens it again and reads it back.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use franz_home::faults::{fill_disk, make_room};
use franz_json::{Raw, Story};
use franz_record::{
    Acted, DiskError, Found, Home, Millis, Outcome, Phase, PictureFile, PictureName, Run, RunEnd, RunError, RunOptions,
    RunState, Source, Status, StoredStory, TurnLine, TurnLines, Unwanted, View, create_directory,
};
use proptest::prelude::*;

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

#[cfg(target_os = "linux")]
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

#[cfg(target_os = "linux")]
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

/// Records `literal` as a reply and as the next turn's story, and opens the run again, first with its state and then
/// with only the turn lines.
fn survives_to_the_byte(literal: &str) {
    let mut recording = Recording::begin(RunOptions::default());
    recording.turn(Some(literal));
    let (mut recording, ..) = recording.interrupted(RunOptions::default());
    assert_eq!(recording.state.story.raw(), literal);
    recording.turn(None);
    recording.turn(None);
    fs::remove_file(recording.path().join("state.json")).unwrap();
    let (recording, source, _) = recording.interrupted(RunOptions::default());
    assert_eq!((recording.state.story.raw(), source), (literal, Source::TurnLine));
    assert_eq!(stories(&recording.path())[1..], [literal, literal]);
}

#[test]
fn hostile_stories_survive_to_the_byte() {
    let long = format!("\"{}\"", r"\ud800\/ é\u0000😀".repeat(100_000));
    assert!(long.len() > 2_000_000);
    let literals = [
        r#""\ud800""#,
        r#""\uDFFF\uD800""#,
        r#""\u0000\u001f""#,
        r#""\/\b\f\n\r\t\"\\""#,
        r#""""#,
        "\"\u{7f}\u{2028}\u{feff}\u{fffd}\"",
        r#""{\"sha256\":\"00\"}""#,
        &long,
    ];
    for literal in literals {
        survives_to_the_byte(literal);
    }
}

/// Generates a JSON string literal of arbitrary UTF-16 units, each escaped in one of the ways that JSON allows.
fn literal() -> impl Strategy<Value = String> {
    prop::collection::vec((any::<u16>(), 0..3_u8), 0..50).prop_map(|units| {
        let mut literal = String::from('"');
        for (unit, way) in units {
            match (way, char::from_u32(unit.into())) {
                (0, Some(char)) if !char.is_control() && char != '"' && char != '\\' => literal.push(char),
                (1, _) => write!(literal, "\\u{unit:04X}").unwrap(),
                _ => write!(literal, "\\u{unit:04x}").unwrap(),
            }
        }
        literal.push('"');
        literal
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_story_survives_to_the_byte(literal in literal()) {
        survives_to_the_byte(&literal);
    }
}
