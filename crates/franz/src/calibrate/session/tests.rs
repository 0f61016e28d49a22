//! Calibrates models whose coordinates are known.

use std::time::Duration;

use franz_chat::{Answer, Reply, Request};
use franz_dialect::calibration::{Doubt, MOST, Undecided};
use franz_dialect::{Axes, Space};
use serde_json::{Value, json};

use super::*;
use crate::calibrate::asking::{MOST_QUESTIONS, Reaction};
use crate::calibrate::{FindingsTable, Stopped};

const PICTURE: (u32, u32) = (672, 448);
const SEED: u64 = 7;

/// A model whose coordinates are known.
struct Known {
    truth: Coordinates,
    /// How many pixels it misses every target by.
    off: f64,
    /// How it writes coordinates.
    writes: fn(f64, f64) -> Value,
    blind: bool,
    /// The number of questions after which the person stops it.
    most: usize,
    asked: usize,
}

impl Known {
    fn new(truth: Coordinates) -> Known {
        Known {
            truth,
            off: 2.0,
            writes: |x, y| json!({"content": format!("left_click({x}, {y})")}),
            blind: false,
            most: usize::MAX,
            asked: 0,
        }
    }

    fn message(&self, words: &str) -> Value {
        if words == words::NUMBER {
            let number = if self.blind {
                "I see nothing.".to_owned()
            } else {
                number(SEED)
            };
            return json!({"content": number});
        }
        let chart = Chart::new(PICTURE).unwrap();
        let target = chart.targets.iter().find(|target| words::task(target) == words);
        let (x, y) = target.unwrap_or_else(|| panic!("{words}")).middle;
        let turn = self.asked as f64 * 2.4;
        let (first, second) = self
            .truth
            .answer((x + turn.cos() * self.off, y + turn.sin() * self.off), PICTURE);
        let steps = if first.max(second) < 2.0 { 1000.0 } else { 1.0 };
        (self.writes)((first * steps).round() / steps, (second * steps).round() / steps)
    }
}

impl Respondent for Known {
    fn ask(&mut self, request: &Request) -> Result<Option<Reaction>> {
        self.asked += 1;
        if self.asked > self.most {
            return Ok(None);
        }
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let parts = &body["messages"][1]["content"];
        assert_eq!(parts[0]["type"], "image_url", "the picture comes first");
        let answer = json!({
            "choices": [{"message": self.message(parts[1]["text"].as_str().unwrap()), "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1500, "completion_tokens": 12, "prompt_tokens_details": {"cached_tokens": 1400}}
        });
        let reply = Reply::read(answer.to_string().into()).unwrap();
        Ok(Some(Reaction {
            answer: Ok(Answer {
                wire: reply.raw().clone(),
                reply,
                status: 200,
            }),
            took: Duration::from_millis(400),
        }))
    }
}

/// Counts the questions.
struct Counted(usize);

impl CalibrationProgress for Counted {
    fn asks(&mut self, number: usize, _: &str) {
        assert_eq!(number, self.0 + 1);
        self.0 = number;
    }
}

fn calibrated(family: &Family, model: &mut Known) -> Result<Findings> {
    let believed = (family.space != Space::Unknown).then(|| Coordinates::new(family.space, family.axes));
    let sampling = Sampling::default();
    let subject = Subject {
        family,
        believed,
        picture: PICTURE,
        sampling: &sampling,
        seed: SEED,
    };
    let findings = run(model, &subject, &mut Counted(0));
    assert!(model.asked <= MOST_QUESTIONS, "{} questions", model.asked);
    findings
}

fn family(name: &str) -> Family {
    Family::named(name).unwrap()
}

fn decided(findings: &Findings) -> Coordinates {
    match &findings.pointing.as_ref().unwrap().ruling {
        Ruling::Decided(decision) => decision.coordinates,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_number_space_is_detected_in_text_and_tool_calls() {
    let truths = [
        Coordinates::new(Space::Thousandths, Axes::Xy),
        Coordinates::new(Space::Thousandths, Axes::Yx),
        Coordinates::new(Space::Fractions, Axes::Xy),
        Coordinates::pixels([644.0, 420.0], Axes::Xy),
    ];
    let ways: [fn(f64, f64) -> Value; 4] = [
        |x, y| json!({"content": format!("left_click({x}, {y})")}),
        |x, y| json!({"content": format!("It is at [{x}, {y}].")}),
        |x, y| json!({"content": format!("<think>Hm, (1, 2)?</think>Action: click(start_box='({x},{y})')")}),
        |x, y| {
            let arguments = json!({"point": [x, y]}).to_string();
            let function = json!({"name": "left_click", "arguments": arguments});
            json!({"content": null, "tool_calls": [{"id": "1", "type": "function", "function": function}]})
        },
    ];
    for (number, truth) in truths.iter().enumerate() {
        for (way, writes) in ways.into_iter().enumerate() {
            let mut model = Known {
                writes,
                ..Known::new(*truth)
            };
            let family = family(["franz", "ui-tars", "qwen3-vl"][(number + way) % 3]);
            let findings = calibrated(&family, &mut model).unwrap();
            assert!(findings.sight.sees);
            assert!(
                decided(&findings).same_class(truth),
                "{}, {truth}: {findings:?}",
                family.name
            );
        }
    }
}

#[test]
fn a_blind_model_is_asked_one_question() {
    let mut model = Known {
        blind: true,
        ..Known::new(Coordinates::new(Space::Thousandths, Axes::Xy))
    };
    let findings = calibrated(&Family::franz(), &mut model).unwrap();
    assert!(!findings.sight.sees && findings.pointing.is_none());
    assert_eq!((model.asked, findings.asked), (1, 1));
    let mut table = FindingsTable::default();
    findings.report(&Family::franz(), PICTURE, &mut table);
    assert!(table.text().contains("vision part"), "{}", table.text());
}

#[test]
fn a_model_that_names_no_place_stays_undecided() {
    let mut model = Known {
        writes: |_, _| json!({"content": "I would click it."}),
        ..Known::new(Coordinates::new(Space::Thousandths, Axes::Xy))
    };
    let findings = calibrated(&Family::franz(), &mut model).unwrap();
    let Ruling::Undecided(Undecided { why, .. }) = &findings.pointing.unwrap().ruling else {
        panic!("decided");
    };
    assert!(matches!(why, Doubt::Silent { given: 0, .. }), "{why}");
}

#[test]
fn a_stopped_calibration_returns_nothing() {
    for most in 0..=MOST_QUESTIONS - MOST {
        let mut model = Known {
            most,
            ..Known::new(Coordinates::new(Space::Thousandths, Axes::Xy))
        };
        let error = calibrated(&Family::franz(), &mut model).unwrap_err();
        assert!(error.is::<Stopped>(), "{error}");
    }
}

#[test]
fn the_cost_of_answers_is_added_up() {
    let mut model = Known::new(Coordinates::new(Space::Thousandths, Axes::Xy));
    let findings = calibrated(&Family::franz(), &mut model).unwrap();
    assert_eq!(findings.cost.reuses, Some(true));
    let tokens = findings.cost.picture.unwrap();
    assert!((1300..1500).contains(&tokens), "{tokens}");
}

#[test]
fn a_number_may_have_at_most_one_wrong_digit() {
    for (answer, read) in [
        ("4731", true),
        ("The number is 4731.", true),
        ("4 7 3 1", true),
        ("4,731", true),
        ("**4732**", true),
        ("<think>Is it 4713 or 4731?</think>4731", true),
        ("<think>Is it 4731?</think>I don't know.", false),
        (
            "\u{25c1}think\u{25b7}Is it 4731?\u{25c1}/think\u{25b7}I don't know.",
            false,
        ),
        ("[THINK]Is it 4731?[/THINK]4713", false),
        ("4713", false),
        ("14731", false),
        ("473", false),
        ("I see no picture.", false),
        ("", false),
    ] {
        assert_eq!(is_read(answer, "4731"), read, "{answer}");
    }
}

#[test]
fn tags_of_every_family_show_that_a_model_thinks() {
    for (text, reasons, expected) in [
        ("<think>Hm.</think>click(1, 2)", false, Thoughts::Tagged),
        (
            "\u{25c1}think\u{25b7}Hm.\u{25c1}/think\u{25b7}click(1, 2)",
            false,
            Thoughts::Tagged,
        ),
        ("<|channel>thought\nHm.<channel|>click(1, 2)", false, Thoughts::Tagged),
        ("<think>Hm.</think>click(1, 2)", true, Thoughts::Apart),
        ("I think click(1, 2)", false, Thoughts::None),
    ] {
        let heard = Heard {
            text: text.to_owned(),
            reasons,
            ..Heard::default()
        };
        assert_eq!(thoughts(&heard), expected, "{text}");
    }
}

#[test]
fn numbers_have_four_different_digits_and_depend_on_the_seed() {
    for seed in 0..200 {
        let shown = number(seed);
        assert_eq!(shown, number(seed));
        let mut digits: Vec<char> = shown.chars().collect();
        digits.sort_unstable();
        digits.dedup();
        assert_eq!(digits.len(), 4, "{shown}");
    }
    assert_ne!(number(1), number(2));
}
