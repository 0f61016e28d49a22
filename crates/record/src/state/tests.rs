use franz_action::Outcome;

use super::*;
use crate::timings::Millis;

fn story(text: &str) -> Story {
    Raw::string(text).try_into().unwrap()
}

#[test]
fn the_newest_messages_are_kept_as_far_as_there_is_room() {
    let mut state = RunState::new("run");
    for turn in 1..=3 {
        state.give_message(turn, "a".repeat(LONGEST_MESSAGE / 2));
    }
    assert_eq!(state.messages.iter().map(|said| said.turn).collect::<Vec<_>>(), [2, 3]);
    state.give_message(4, "a".repeat(LONGEST_MESSAGE));
    assert_eq!(state.messages.iter().map(|said| said.turn).collect::<Vec<_>>(), [4]);
    for turn in 5..500 {
        state.give_message(turn, "a".to_owned());
    }
    assert_eq!(state.messages.len(), MOST_TASKS);
}

fn after_failure() -> TurnLine {
    TurnLine {
        status: Status::Failed,
        feedback: "seen by nobody".to_owned(),
        ..TurnLine::new(4, "")
    }
}

#[test]
fn every_phase_survives_json() {
    let outcomes = vec![Acted::new("press(\"enter\")", Outcome::DONE)];
    let phases = [
        Phase::Ready,
        Phase::Acting {
            turn: 4,
            started: 2,
            total: 3,
            outcomes: outcomes.clone(),
            found: Some(Found {
                action: Some("left_click(1, 2)".to_owned()),
                model: "m".to_owned(),
                said: "(1,2)".to_owned(),
                ms: Millis::default(),
            }),
            decided: Some(Box::new(RecordedDecision {
                what: "edited".to_owned(),
                by: "page".to_owned(),
                at: String::new(),
                ms: Millis::default(),
                why: String::new(),
                action: Some("left_click(3, 4)".to_owned()),
            })),
            waits: true,
        },
        Phase::Acted {
            turn: 4,
            outcomes,
            feedback: "OK\n\nNOTICE: a".to_owned(),
        },
    ];
    for phase in phases {
        let state = RunState {
            phase,
            story: Story::from_raw(r#""\ud800\u0000\/""#).unwrap(),
            ..RunState::new("run")
        };
        let json = serde_json::to_string(&state).unwrap();
        assert!(json.contains(r#""story":"\ud800\u0000\/""#), "{json}");
        assert_eq!(serde_json::from_str::<RunState>(&json).unwrap(), state);
    }
}

#[test]
fn elements_belong_to_the_picture_that_the_last_reply_answers() {
    let element = |name: &str| ToldElement {
        role: "button".to_owned(),
        name: name.to_owned(),
        at: [500.0, 20.5],
    };
    let shown = |turn, status, name: &str| {
        let mut line = TurnLine {
            status,
            feedback: "done".to_owned(),
            elements: vec![element(name)],
            ..TurnLine::new(turn, "")
        };
        line.tell_elements("ELEMENTS in view by number:\n[1] button \"a\"");
        line
    };
    let mut state = RunState::new("run");
    state.completed(&shown(1, Status::Ok, "Save"));
    assert_eq!(state.elements, [element("Save")]);
    let json = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<RunState>(&json).unwrap(), state);
    // The model did not see the failed turn's picture, and the feedback is sent again with another picture.
    state.completed(&shown(2, Status::Failed, "Cancel"));
    assert_eq!(state.elements, [element("Save")]);
    assert!(matches!(&state.phase, Phase::Acted { feedback, .. } if feedback == "done"));
    state.completed(&TurnLine::new(3, ""));
    assert_eq!(state.elements, []);
}

#[test]
fn a_reply_becomes_the_story() {
    let mut state = RunState::new("run");
    state.completed(&after_failure());
    state.phase = Phase::Acting {
        turn: 5,
        started: 1,
        total: 1,
        outcomes: Vec::new(),
        found: None,
        decided: None,
        waits: false,
    };
    let reply = story("a new story");
    state.completed(&TurnLine {
        reply: Some(reply.clone()),
        ..TurnLine::new(5, "")
    });
    assert_eq!(
        state,
        RunState {
            turn: 5,
            story: reply,
            ..RunState::new("run")
        }
    );
}

#[test]
fn a_reply_of_tool_calls_only_is_an_empty_story() {
    let calls = Raw::parse(r#"[{"function":{"arguments":"\ud800"}}]"#).unwrap();
    let mut state = RunState {
        story: story("the old story"),
        ..RunState::new("run")
    };
    state.completed(&TurnLine {
        tool_calls: Some(calls.clone()),
        cut: true,
        ..TurnLine::new(1, "")
    });
    assert_eq!(
        (state.story.raw(), &state.tool_calls, state.cut),
        (r#""""#, &Some(calls), true)
    );
    let json = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<RunState>(&json).unwrap(), state);

    state.completed(&TurnLine {
        reply: Some(story("a new story")),
        ..TurnLine::new(2, "")
    });
    assert_eq!((state.tool_calls.as_ref(), state.cut), (None, false));
    let json = serde_json::to_string(&state).unwrap();
    assert!(!json.contains("\"tool_calls\"") && !json.contains("\"cut\""), "{json}");
}

#[test]
fn tokens_add_up() {
    let mut state = RunState::new("run");
    for (turn, usage) in [
        (1, Some(r#"{"prompt_tokens":10,"completion_tokens":2}"#)),
        (2, None),
        (3, Some(r#"{"\ud800":[],"prompt_tokens":1,"total_tokens":100}"#)),
    ] {
        state.completed(&TurnLine {
            usage: usage.map(|usage| Raw::parse(usage).unwrap()),
            ..TurnLine::new(turn, "")
        });
    }
    let tokens = Tokens {
        prompt: 11,
        cached: 0,
        completion: 2,
        total: 112,
    };
    assert_eq!(state.tokens, tokens);
    let json = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<RunState>(&json).unwrap().tokens, tokens);
}

#[test]
fn a_failed_turn_keeps_the_story_and_its_feedback() {
    let before = RunState {
        turn: 3,
        story: story("the old story"),
        tool_calls: Some(Raw::parse("[1]").unwrap()),
        cut: true,
        ..RunState::new("run")
    };
    let mut state = before.clone();
    state.completed(&after_failure());
    let phase = Phase::Acted {
        turn: 4,
        outcomes: Vec::new(),
        feedback: "seen by nobody".to_owned(),
    };
    assert_eq!(
        state,
        RunState {
            turn: 4,
            phase,
            ..before
        }
    );
    let told = state.phase.clone();
    state.completed(&TurnLine {
        status: Status::Failed,
        ..TurnLine::new(5, "")
    });
    assert_eq!((state.turn, state.phase), (5, told), "it is kept until it is seen");
}

#[test]
fn turn_and_story_are_needed() {
    assert!(serde_json::from_str::<RunState>(r#"{"turn":1}"#).is_err());
    assert!(serde_json::from_str::<RunState>(r#"{"story":""}"#).is_err());
    for other in ["7", "null", "[]", "{}", "true"] {
        let error = serde_json::from_str::<RunState>(&format!(r#"{{"turn":1,"story":{other}}}"#)).unwrap_err();
        assert!(
            error.to_string().starts_with("a story must be a string, not "),
            "{error}"
        );
    }
    let state: RunState = serde_json::from_str(r#"{"turn":0,"story":"","goal":"\ud800","new":1}"#).unwrap();
    assert_eq!(state.goal.as_deref(), Some("\u{fffd}"));
}
