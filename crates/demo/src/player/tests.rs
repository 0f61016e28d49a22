//! Checks that players draw the whole cat, as understood by FRANZ's own parser.

use franz_action::{Action, ToolSet};
use franz_dialect::calibration::Resize;
use franz_dialect::{DialectReader, Family, LinesProtocol, OwnForm, ReplyText, SectionsProtocol};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Player, PlayerError};
use crate::agent::TestAgent;

/// The largest number of turns, if each has several calls.
const MOST_TURNS: usize = 90;
/// The largest number of turns, if each has one call.
const MOST_STEPS: usize = 130;

fn played() -> impl Iterator<Item = Family> {
    Family::all()
        .into_iter()
        .filter(|family| !family.dialect.is_read_only())
}

/// The form of reply that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Lines,
    Sections,
    Calls,
    Tools,
}

/// A test agent that reads a family's calls.
struct Session {
    agent: TestAgent,
    player: Player,
    frame: Frame,
    reply: Value,
    feedback: String,
    finished: bool,
}

impl Session {
    fn new(player: Player, frame: Frame) -> Session {
        Session {
            agent: TestAgent::playing((512, 288), player.clone()),
            player,
            frame,
            reply: json!({ "content": "" }),
            feedback: match frame {
                Frame::Lines => "no actions found in your previous output".to_owned(),
                Frame::Sections => {
                    "Current mode: executing\nYOUR GOAL NOW: Draw a cat.\nLast action performed: none".to_owned()
                }
                Frame::Calls | Frame::Tools => "Draw a cat.".to_owned(),
            },
            finished: false,
        }
    }

    fn request(&self) -> Value {
        let system = match self.frame {
            Frame::Lines => "Write NARRATIVE: and ACTIONS:",
            Frame::Sections => "Write STATUS:, GOAL:, ACTION: and STORY:",
            Frame::Calls | Frame::Tools => "Write one call.",
        };
        let now =
            json!({ "role": "user", "content": [{ "type": "text", "text": self.feedback }, self.agent.picture()] });
        let mut messages = vec![json!({ "role": "system", "content": system })];
        match self.frame {
            Frame::Lines | Frame::Sections => {
                messages.push(json!({ "role": "user", "content": self.reply["content"] }));
            }
            Frame::Calls | Frame::Tools => {
                let mut said = self.reply.clone();
                said["role"] = json!("assistant");
                messages.push(said);
            }
        }
        if self.frame == Frame::Tools && self.reply["tool_calls"].is_array() {
            messages.push(json!({ "role": "tool", "content": self.feedback }));
        }
        messages.push(now);
        let tools = json!([{ "type": "function", "function": { "name": "computer_use" } }]);
        let tools = if self.frame == Frame::Tools { tools } else { Value::Null };
        json!({ "max_tokens": 2000, "messages": messages, "tools": tools })
    }

    /// Performs one turn and returns the number of calls that were performed.
    fn turn(&mut self) -> usize {
        let choice = self.agent.ask(&self.request());
        self.reply = choice["message"].clone();
        let text = self.reply["content"].as_str().unwrap();
        let calls = self.reply["tool_calls"]
            .is_array()
            .then(|| self.reply["tool_calls"].to_string());
        let seen = self.player.resize.size(self.agent.size);
        let mut family = self.player.family.clone();
        (family.space, family.axes) = (self.player.space, self.player.axes);
        let geometry = family.geometry(Some(seen), Some(self.agent.size));
        let lines = LinesProtocol {
            tools: ToolSet::all(),
            geometry,
        };
        let sections = SectionsProtocol {
            tools: ToolSet::all(),
            geometry,
        };
        let reader = DialectReader {
            dialect: family.dialect,
            geometry,
            own: if self.frame == Frame::Sections {
                &sections
            } else {
                &lines
            },
            own_form: OwnForm::Lines,
            pointer: None,
            manner: family.manner.clone(),
        };
        let reading = reader.read(&ReplyText {
            text,
            tool_calls: calls.as_deref(),
            cut: false,
        });
        let whole = self.reply.to_string();
        assert!(
            self.frame == Frame::Lines || reading.steps.len() == 1,
            "{whole} {reading:#?}"
        );
        let idle = reading.steps.is_empty();
        assert!(idle || reading.told.is_empty(), "{whole}\n{reading:#?}");
        assert!(!reading.recognised, "{whole}");
        self.finished = reading.answer.is_some() || text.contains("STATUS: completed");
        let mut report = Vec::new();
        for step in &reading.steps {
            let Some(action) = step.action() else { continue };
            let idle = matches!(
                action,
                Action::Move(_) | Action::Screenshot | Action::Observe | Action::Wait(_)
            );
            assert!(self.agent.sandbox.perform(action) || idle, "{action} {whole}");
            report.push(format!("{} -> done", step.name));
        }
        self.feedback = match self.frame {
            Frame::Sections => format!(
                "Current mode: executing\nYOUR GOAL NOW: Draw a cat.\nLast action performed: {}",
                report.join(" ")
            ),
            _ => report.join("\n"),
        };
        report.len()
    }

    /// Draws until the model rests; returns the number of turns that this took.
    fn draw(&mut self) -> usize {
        let most = if self.frame == Frame::Lines {
            MOST_TURNS
        } else {
            MOST_STEPS
        };
        for turn in 1..=most {
            let done = self.turn();
            if self.finished || (self.frame == Frame::Lines && done == 0) {
                return turn;
            }
        }
        panic!(
            "{} draws no whole cat in {:?}: {}",
            self.player.family.name, self.frame, self.reply
        );
    }
}

fn draws(frame: Frame, wanted: impl Fn(&Family) -> bool) {
    for family in played().filter(wanted) {
        let resize = match family.picture.multiple {
            multiple @ (28 | 32) => Player::resize(&format!("smart-{multiple}-300")).unwrap(),
            _ => Resize::LongEdge(500),
        };
        let player = Player {
            resize,
            noise: 0.4,
            ..Player::new(family).unwrap()
        };
        let name = player.family.name.clone();
        let mut session = Session::new(player, frame);
        session.draw();
        assert!(session.agent.shows_the_cat(), "{name} in {frame:?}");
    }
}

/// Families that cover all played dialects, with different coordinate spaces.
const DIALECTS: [&str; 11] = [
    "qwen2.5-vl",
    "qwen3.5",
    "ui-tars-1.5",
    "seed",
    "opencua",
    "kimi",
    "scalecua",
    "glm-v",
    "holo2",
    "showui",
    "molmo",
];

#[test]
fn every_family_draws_the_cat_in_lines() {
    draws(Frame::Lines, |_| true);
}

#[test]
fn every_dialect_draws_the_cat_a_call_at_a_time() {
    let dialects = DIALECTS.map(|name| Family::named(name).unwrap().dialect.name);
    assert!(played().all(|family| dialects.contains(&family.dialect.name)));
    draws(Frame::Sections, |family| DIALECTS.contains(&&*family.name));
}

#[test]
fn calls_are_written_without_a_frame() {
    let two = ["ui-tars-1.5", "opencua"];
    draws(Frame::Calls, |family| two.contains(&&*family.name));
}

#[test]
fn functions_are_called_where_the_dialect_has_them() {
    draws(Frame::Tools, |family| {
        ["qwen2.5-vl", "qwen3-vl"].contains(&&*family.name)
    });
}

#[test]
fn families_that_are_read_only_are_refused() {
    let refused: Vec<Family> = Family::all()
        .into_iter()
        .filter(|family| family.dialect.is_read_only())
        .collect();
    assert!(refused.len() >= 5);
    for family in refused {
        let name = family.name.clone();
        let error = Player::new(family).unwrap_err();
        assert!(matches!(&error, PlayerError::ReadOnly(refused, _) if *refused == name));
        assert!(error.to_string().contains("qwen3-vl"), "{error}");
    }
}

#[test]
fn the_model_id_leads_to_the_family() {
    for family in played().filter(|family| !family.models.is_empty()) {
        let player = Player::new(family).unwrap();
        let all = Family::all();
        let found = Family::matching(&all, &player.id()).unwrap().unwrap();
        assert_eq!(found.name, player.family.name, "{}", player.id());
    }
}

#[test]
fn rules_of_resizing_have_names() {
    let size = |name: &str| Player::resize(name).map(|rule| rule.size((1920, 1080)));
    for (name, wanted) in [
        ("none", Some((1920, 1080))),
        ("smart-28", Some((1932, 1092))),
        ("smart-32", Some((1920, 1088))),
        ("smart-28-1280", Some((1316, 728))),
        ("long-1024", Some((1024, 576))),
        ("short-768", Some((1365, 768))),
        ("smart", None),
        ("smart-0", None),
        ("smart-28-1280-3", None),
        ("smart-9999", None),
        ("long--5", None),
        ("", None),
    ] {
        assert_eq!(size(name), wanted, "{name}");
    }
}

#[test]
fn an_answer_depends_only_on_seed_and_request() {
    let ask = |seed: u64, feedback: &str| {
        let player = Player {
            noise: 3.0,
            seed,
            ..Player::new(Family::named("ui-tars-1.5").unwrap()).unwrap()
        };
        let mut session = Session::new(player, Frame::Lines);
        feedback.clone_into(&mut session.feedback);
        session.agent.ask(&session.request()).to_string()
    };
    assert_eq!(ask(1, "a"), ask(1, "a"));
    let others: Vec<String> = (2..8).map(|seed| ask(seed, "a")).collect();
    assert!(others.iter().all(|other| *other != ask(1, "a")));
    assert_ne!(ask(1, "a"), ask(1, "b"));
}

#[test]
fn a_blind_player_draws_nothing_and_says_why() {
    for frame in [Frame::Lines, Frame::Sections, Frame::Calls] {
        let player = Player {
            blind: true,
            ..Player::new(Family::named("ui-tars-1.5").unwrap()).unwrap()
        };
        let session = Session::new(player, frame);
        let reply = session.agent.ask(&session.request());
        let text = reply["message"]["content"].as_str().unwrap();
        assert!(text.contains("I cannot see anything: no picture reached me."), "{text}");
        assert!(!text.contains("drag(") && !text.contains("click("), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_conversation_is_answered(
        name in prop::sample::select(DIALECTS.to_vec()),
        heard in prop::collection::vec("[ -~é\n]{0,40}", 4),
        arguments in "[ -~]{0,40}",
        native: bool,
    ) {
        let player = Player { noise: 1.0, wrong: 0.3, ..Player::new(Family::named(name).unwrap()).unwrap() };
        let agent = TestAgent::playing((64, 36), player);
        let call = json!([{ "function": { "name": heard[0], "arguments": arguments } }]);
        let tools = json!([{ "function": { "name": "computer_use" } }]);
        let request = json!({ "max_tokens": 9000, "tools": if native { tools } else { Value::Null }, "messages": [
            { "role": "system", "content": heard[1] },
            { "role": "assistant", "content": heard[2], "tool_calls": if native { call } else { Value::Null } },
            { "role": "tool", "content": heard[3] },
            { "role": "user", "content": [{ "type": "text", "text": heard[0] }, agent.picture()] },
        ]});
        let reply = agent.ask(&request);
        let calls = reply["message"]["tool_calls"].as_array().cloned().unwrap_or_default();
        for call in calls {
            let arguments = call["function"]["arguments"].as_str().unwrap();
            prop_assert!(serde_json::from_str::<Value>(arguments).unwrap().is_object());
        }
    }
}
