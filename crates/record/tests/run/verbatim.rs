//! Records stories whose every byte must survive.

use std::fmt::Write as _;
use std::fs;

use franz_record::{RunOptions, Source};
use proptest::prelude::*;

use super::{Recording, stories};

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
