//! Places in replies: raw numbers, whatever they mean, inside and outside calls.

use franz_dialect::{Family, PointedForm, ReplyText, Spot};
use proptest::prelude::*;
use serde_json::Value;

/// Replies in the forms that grounding models and their harnesses use, with made-up words and numbers.
const REPLIES: &str = include_str!("pointed/replies.jsonl");

#[test]
fn every_place_is_read_as_it_is_written() {
    let mut wrong = Vec::new();
    for line in REPLIES.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let family = Family::named(row["family"].as_str().unwrap()).unwrap_or_else(|| panic!("{row}"));
        let reply = ReplyText {
            text: row["text"].as_str().unwrap(),
            ..ReplyText::default()
        };
        let pointed = family.dialect.pointed(&reply);
        let wanted: Option<[f64; 2]> = serde_json::from_value(row["point"].clone()).unwrap();
        let form = pointed.map(|pointed| match pointed.form {
            PointedForm::Native => "native",
            PointedForm::Call(dialect) => dialect,
            PointedForm::Bare => "bare",
        });
        let has_form = row["form"].is_null() || row["form"].as_str() == form;
        if pointed.map(|pointed| pointed.spot.middle()) != wanted || !has_form {
            wrong.push(format!("{}: {pointed:?}", row["id"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn reported_calls_take_precedence_and_thoughts_never_count() {
    let family = Family::named("qwen3-vl").unwrap();
    let calls = r#"[{"type": "function", "function": {"name": "computer_use", "arguments": "{\"action\": \"left_click\", \"coordinate\": [5, 6]}"}}]"#;
    let reply = ReplyText {
        text: "I click at (900, 900).",
        tool_calls: Some(calls),
        cut: false,
    };
    let pointed = family.dialect.pointed(&reply).unwrap();
    assert_eq!(
        (pointed.spot, pointed.form),
        (Spot::Point([5.0, 6.0]), PointedForm::Native)
    );
    for (text, cut) in [("<think>It is at (900, 900).", false), ("It is at (900, 9", true)] {
        let reply = ReplyText {
            text,
            cut,
            ..ReplyText::default()
        };
        assert_eq!(family.dialect.pointed(&reply), None, "{text}");
    }
}

proptest! {
    /// Every dialect that FRANZ writes is read back.
    #[test]
    fn what_a_dialect_writes_is_read_again(x in 0i32..=1000, y in 0i32..=1000) {
        for family in Family::all() {
            let geometry = franz_dialect::Geometry::THOUSANDTHS;
            let click = franz_action::Action::left_click(franz_action::Point::clamped(x.into(), y.into()));
            let Some(line) = family.dialect.line(&click, &geometry) else { continue };
            let pointed = family.dialect.pointed(&ReplyText { text: &line, ..ReplyText::default() });
            let wanted = [f64::from(x), f64::from(y)];
            prop_assert_eq!(pointed.map(|pointed| (pointed.spot.middle(), pointed.form)), Some((wanted, PointedForm::Call(family.dialect.name))), "{}", line);
        }
    }

    #[test]
    fn any_reply_is_read(text in "\\PC{0,400}", cut: bool) {
        let _ = Family::franz().dialect.pointed(&ReplyText { text: &text, tool_calls: Some(&text), cut });
    }
}
