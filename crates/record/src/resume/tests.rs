//! Resumes from every combination of a state and turn lines that a stop, a crash or a manual edit can leave.

use std::fs;

use franz_json::{Raw, Story};

use super::*;
use crate::acting_log::ActingLog;
use crate::line::to_line;
use crate::story::StoredStory;
use franz_action::Outcome;

use crate::acted::Acted;

/// Creates a run directory with these turn lines, five to a file, and this `state.json`.
fn run_with(lines: &[TurnLine], state: Option<&str>) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for lines in lines.chunk_by(|a, b| (a.turn - 1) / 5 == (b.turn - 1) / 5) {
        let first = (lines[0].turn - 1) / 5 * 5 + 1;
        let content: Vec<u8> = lines.iter().flat_map(|line| to_line(line).unwrap()).collect();
        let batch = Batch { first, last: first + 4 };
        fs::write(directory.path().join(batch.to_string()), content).unwrap();
    }
    if let Some(state) = state {
        fs::write(directory.path().join(STATE_FILE), state).unwrap();
    }
    directory
}

fn resumed(lines: &[TurnLine], state: Option<&RunState>) -> Resumed {
    let state = state.map(|state| serde_json::to_string(state).unwrap());
    let directory = run_with(lines, state.as_deref());
    resume(&Home::claim(directory.path()).unwrap(), "run").unwrap()
}

fn story(turn: u64) -> Story {
    Story::from_raw(&format!(r#""story {turn} \ud800""#)).unwrap()
}

fn at(turn: u64) -> RunState {
    RunState {
        turn,
        story: story(turn),
        file_goal: Some("from the file".to_owned()),
        ..RunState::new("run")
    }
}

fn answered(turn: u64) -> TurnLine {
    let sent = if turn == 1 { None } else { Some(story(turn - 1)) };
    TurnLine {
        goal: Some(format!("goal {turn}")),
        story: sent.map_or_else(StoredStory::default, |sent| StoredStory::shortened(&sent, Some(&sent))),
        reply: Some(story(turn)),
        ..TurnLine::new(turn, "")
    }
}

fn failed(turn: u64) -> TurnLine {
    TurnLine {
        status: Status::Failed,
        reply: None,
        feedback: "unseen".to_owned(),
        ..answered(turn)
    }
}

#[test]
fn a_state_as_new_as_the_turn_line_is_kept() {
    let state = RunState {
        phase: Phase::Acting {
            turn: 4,
            started: 2,
            total: 3,
            outcomes: Vec::new(),
            found: None,
            decided: None,
            waits: false,
        },
        ..at(3)
    };
    let resumed = resumed(&[answered(1), answered(2), answered(3)], Some(&state));
    assert_eq!((resumed.state, resumed.source), (state, Source::State));
    assert_eq!(resumed.last_turn, Some(answered(3)));
    assert!(resumed.notices.is_empty(), "{:?}", resumed.notices);
}

#[test]
fn a_newer_turn_line_wins() {
    let state = RunState {
        phase: Phase::Acting {
            turn: 3,
            started: 2,
            total: 3,
            outcomes: Vec::new(),
            found: None,
            decided: None,
            waits: false,
        },
        ..at(2)
    };
    let resumed = resumed(&[answered(1), answered(2), answered(3)], Some(&state));
    assert_eq!(
        resumed.state,
        RunState {
            goal: Some("goal 3".to_owned()),
            ..at(3)
        }
    );
    assert_eq!(resumed.source, Source::TurnLine);
    assert!(resumed.notices.is_empty(), "{:?}", resumed.notices);
}

#[test]
fn a_newer_state_is_kept_with_a_notice() {
    for lines in [vec![answered(1)], vec![]] {
        let resumed = resumed(&lines, Some(&at(3)));
        assert_eq!((resumed.state, resumed.source), (at(3), Source::State));
        assert!(
            resumed.notices[0].starts_with("state.json is at turn 3, but"),
            "{:?}",
            resumed.notices
        );
    }
}

#[test]
fn a_failed_turn_keeps_the_story_it_sent() {
    let expected = |turn, of| RunState {
        turn,
        story: story(of),
        goal: Some(format!("goal {turn}")),
        file_goal: None,
        phase: Phase::Acted {
            turn,
            outcomes: Vec::new(),
            feedback: "unseen".to_owned(),
        },
        ..RunState::new("run")
    };
    // The previous reply is in another file, and there is no state.
    assert_eq!(resumed(&[answered(5), failed(6)], None).state, expected(6, 5));
    // The previous failure has no reply, so the line contains the story in full.
    let in_full = TurnLine {
        story: StoredStory::Full(story(2)),
        ..failed(4)
    };
    assert_eq!(resumed(&[failed(3), in_full], None).state, expected(4, 2));
    // The previous reply is gone, but the older state still has it.
    let state = RunState {
        file_goal: None,
        ..at(2)
    };
    assert_eq!(resumed(&[failed(3)], Some(&state)).state, expected(3, 2));
    // The reply is not in any file.
    let lost = resumed(&[failed(3)], None);
    assert_eq!(lost.state.story, Story::empty());
    assert!(
        lost.notices[1].starts_with("the story that turn 3 sent is no longer in the records"),
        "{:?}",
        lost.notices
    );
}

#[test]
fn unseen_feedback_is_restored_without_its_additions() {
    let acted = |turn, feedback: &str| Phase::Acted {
        turn,
        outcomes: vec![Acted::new("observe()", Outcome::DONE)],
        feedback: feedback.to_owned(),
    };
    let from_the_line = |turn| Phase::Acted {
        turn,
        outcomes: Vec::new(),
        feedback: "unseen".to_owned(),
    };
    let acting = Phase::Acting {
        turn: 3,
        started: 1,
        total: 1,
        outcomes: Vec::new(),
        found: None,
        decided: None,
        waits: false,
    };
    let known = |turn, phase| Some(RunState { phase, ..at(turn) });
    let now = || acted(3, "bare");
    let earlier = || acted(2, "bare");
    // The newest line, the state, the contents of `acting.jsonl`, and the phase in which the run continues.
    let cases = [
        (failed(3), known(2, Phase::Ready), vec![now()], now()),
        (failed(3), known(2, acting.clone()), vec![acting.clone(), now()], now()),
        (failed(3), None, vec![now()], now()),
        (failed(3), known(2, Phase::Ready), vec![], from_the_line(3)),
        (failed(3), known(2, Phase::Ready), vec![earlier()], from_the_line(3)),
        (failed(3), known(2, Phase::Ready), vec![acting], from_the_line(3)),
        // The previous turn failed too, and this one performed no action.
        (failed(3), known(2, earlier()), vec![earlier()], earlier()),
        (answered(3), known(2, Phase::Ready), vec![now()], Phase::Ready),
    ];
    for (line, state, steps, expected) in cases {
        let state = state.map(|state| serde_json::to_string(&state).unwrap());
        let directory = run_with(&[answered(2), line], state.as_deref());
        let mut progress = ActingLog::open(&Home::claim(directory.path()).unwrap(), false, &Phase::Ready).unwrap();
        for phase in &steps {
            progress.keep(phase).unwrap();
        }
        let resumed = resume(&Home::claim(directory.path()).unwrap(), "run").unwrap();
        assert_eq!(resumed.state.phase, expected, "{state:?} {steps:?}");
        assert_eq!((resumed.state.turn, resumed.source), (3, Source::TurnLine));
    }
}

#[test]
fn a_story_of_the_wrong_type_is_an_error() {
    let state = serde_json::to_string(&at(3)).unwrap();
    let story = story(3);
    for (json, kind) in [
        ("7", "a number"),
        ("{}", "an object"),
        ("[]", "an array"),
        ("null", "null"),
    ] {
        let damaged = state.replace(story.raw(), json);
        let resume = |lines| {
            let directory = run_with(lines, Some(&damaged));
            resume(&Home::claim(directory.path()).unwrap(), "run")
        };
        let error = resume(&[]).unwrap_err().to_string();
        let why = format!("state.json is damaged (a story must be a string, not {kind} at line 1 ");
        assert!(error.contains(&why) && error.ends_with("; start a new run"), "{error}");

        let rebuilt = resume(&[answered(2), answered(3)]).unwrap();
        assert_eq!((&rebuilt.state.story, rebuilt.source), (&story, Source::TurnLine));
        assert!(rebuilt.notices[0].starts_with(&why), "{:?}", rebuilt.notices);
    }
}

/// Turn lines, a state, and the story and tool calls with which the run continues.
type Case<'a> = (&'a [TurnLine], Option<RunState>, Story, Option<Raw>);

#[test]
fn tool_calls_come_back_with_the_reply_they_belong_to() {
    let calls = |turn| Some(Raw::parse(&format!(r#"[{{"id":"{turn}\ud800"}}]"#)).unwrap());
    let called = |turn| TurnLine {
        tool_calls: calls(turn),
        cut: true,
        ..answered(turn)
    };
    let with_calls = |turn| RunState {
        tool_calls: calls(turn),
        cut: true,
        ..at(turn)
    };
    let only_calls = TurnLine {
        reply: None,
        ..called(3)
    };
    let empty_story_failed = TurnLine {
        story: StoredStory::default(),
        ..failed(4)
    };
    let in_full = TurnLine {
        story: StoredStory::Full(story(9)),
        ..failed(3)
    };
    let cases: [Case<'_>; 8] = [
        (&[called(1), called(2)], Some(with_calls(1)), story(2), calls(2)),
        (&[called(1), called(2)], None, story(2), calls(2)),
        (&[called(1), answered(2)], Some(with_calls(1)), story(2), None),
        (&[called(2), failed(3)], Some(with_calls(2)), story(2), calls(2)),
        (&[called(2), failed(3)], None, story(2), calls(2)),
        (
            &[called(2), only_calls.clone()],
            Some(with_calls(2)),
            Story::empty(),
            calls(3),
        ),
        (
            &[only_calls, empty_story_failed],
            Some(with_calls(2)),
            Story::empty(),
            calls(3),
        ),
        (&[in_full], Some(with_calls(2)), story(9), None),
    ];
    for (lines, state, story, calls) in cases {
        let resumed = resumed(lines, state.as_ref());
        assert_eq!(resumed.source, Source::TurnLine);
        assert_eq!(
            (&resumed.state.story, &resumed.state.tool_calls),
            (&story, &calls),
            "{lines:?}"
        );
        assert_eq!(resumed.state.cut, calls.is_some());
        assert_eq!(
            resumed.notices.len(),
            usize::from(state.is_none()),
            "{:?}",
            resumed.notices
        );
    }
}

#[test]
fn tokens_of_every_turn_count_once() {
    let used = |turn: u64| TurnLine {
        usage: Some(Raw::parse(&format!(r#"{{"total_tokens":{}}}"#, 10_u64.pow(turn as u32))).unwrap()),
        ..answered(turn)
    };
    let lines: Vec<_> = (1..=7).map(used).collect();
    let known = |turn, total| RunState {
        tokens: Tokens {
            total,
            ..Tokens::default()
        },
        ..at(turn)
    };
    let cases = [
        (None, 11_111_110),
        (Some(known(3, 1_110)), 11_111_110),
        (Some(known(6, 1_111_110)), 11_111_110),
        (Some(known(6, 0)), 10_000_000),
        (Some(known(7, 5)), 5),
    ];
    for (state, total) in cases {
        assert_eq!(resumed(&lines, state.as_ref()).state.tokens.total, total, "{state:?}");
    }
}

#[test]
fn a_lost_state_is_rebuilt_from_the_turn_line() {
    for state in [None, Some(""), Some("{\"turn\":"), Some("[]"), Some("\0\0\0")] {
        let directory = run_with(&[answered(1), answered(2)], state);
        let resumed = resume(&Home::claim(directory.path()).unwrap(), "run").unwrap();
        assert_eq!((resumed.state.turn, resumed.state.story), (2, story(2)));
        assert_eq!(resumed.source, Source::TurnLine);
        assert!(
            resumed.notices[0].ends_with("continuing from the record of turn 2"),
            "{:?}",
            resumed.notices
        );
    }
}

#[test]
fn a_run_without_records_begins_at_the_start() {
    let resumed = resumed(&[], None);
    assert_eq!((resumed.state, resumed.source), (RunState::new("run"), Source::Nothing));
    assert!(resumed.last_turn.is_none() && resumed.notices.is_empty());
}

#[test]
fn a_run_that_cannot_be_resumed_says_why() {
    let damaged = run_with(&[], Some("{"));
    let home = Home::claim(damaged.path()).unwrap();
    check_is_run(&home).unwrap();
    let error = resume(&home, "run").unwrap_err().to_string();
    assert!(
        error.contains("state.json is damaged") && error.ends_with("start a new run"),
        "{error}"
    );

    let empty = tempfile::tempdir().unwrap();
    let view = View::open(empty.path()).unwrap();
    let error = check_is_run(&view).unwrap_err().to_string();
    assert!(error.contains("contains no run"), "{error}");
    fs::write(empty.path().join(CONFIG_FILE), "").unwrap();
    check_is_run(&view).unwrap();
}
