//! Tests with stories that are hard to read. Each story must match itself, and a change of a single unit must be found.

use franz_json::literal;
use franz_panel::VerdictKind::{First, Match, Violation};
use franz_relay::Copy;
use proptest::prelude::*;

use crate::wire::{Ask, Watch};

/// Returns a literal of these units. Each unit is written in one of the ways that JSON allows.
fn write(units: &[u16], ways: impl Iterator<Item = u8>) -> String {
    let inside: String = units.iter().zip(ways).map(|(&unit, way)| written(unit, way)).collect();
    format!("\"{inside}\"")
}

fn written(unit: u16, way: u8) -> String {
    let plain = char::from_u32(u32::from(unit)).filter(|&plain| plain >= ' ' && plain != '"' && plain != '\\');
    let short = b"\"\\/\x08\x0c\n\r\t".iter().position(|&byte| u16::from(byte) == unit);
    match (way % 4, plain, short) {
        (0, _, Some(at)) => format!("\\{}", char::from(b"\"\\/bfnrt"[at])),
        (1 | 2, Some(plain), _) => plain.to_string(),
        (3, _, _) => format!("\\u{unit:04X}"),
        _ => format!("\\u{unit:04x}"),
    }
}

fn any_units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        any::<u16>(),
        0x20..0x7f_u16,
        0xd800..0xe000_u16,
        Just(0),
        Just(0x5c),
        Just(0x2f)
    ];
    prop::collection::vec(unit, 1..80)
}

fn turns(received: &str, sent: &str) -> franz_panel::Verdict {
    let mut watch = Watch::restarting();
    assert_eq!(watch.see(Ask::new("\"\"").run("r", 1).reply(received)).verdict, First);
    watch.see(Ask::new(sent).run("r", 2))
}

#[test]
fn every_hostile_story_passes() {
    let long = "\\u0000\\ud800é😀\\\"".repeat(100_000);
    let stories = [
        r#""""#,
        r#""\ud800""#,
        r#""\udc00\ud800""#,
        r#""\u0000""#,
        r#""\/ / \\/ \\\/""#,
        r#""\b\f\n\r\t\"\u001f""#,
        r#""\u2028\u2029\ufeff\uffff""#,
        r#""\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}""#,
        "\"\u{7f}\u{202e}\u{10ffff}\"",
        &format!("\"{long}\""),
        &format!("\"{}\"", "x".repeat(2 << 20)),
        &format!("\"{}\"", "[{".repeat(50_000)),
    ];
    for story in stories {
        assert_eq!(
            turns(story, story).verdict,
            Match,
            "{}",
            story.get(..60).unwrap_or(story)
        );
        // A client that decodes and re-encodes the text uses different escapes.
        let units = literal::units(story);
        let other = write(&units, std::iter::repeat(3));
        assert_eq!(
            turns(story, &other).verdict,
            Match,
            "{}",
            story.get(..60).unwrap_or(story)
        );
    }
}

#[test]
fn lookalike_stories_differ() {
    let cases = [
        (r#""\ud800""#, r#""\ufffd""#, 0),
        (r#""a\ud800b""#, r#""a\udc00b""#, 1),
        (r#""a\u0000""#, r#""a""#, 1),
        (r#""\u00e9""#, r#""e\u0301""#, 0),
        (r#""a\r\n""#, r#""a\n""#, 1),
        (r#""a ""#, r#""a""#, 1),
        (r#""\\/""#, r#""\/""#, 0),
        (r#""""#, r#""\u0000""#, 0),
    ];
    for (received, sent, position) in cases {
        // Turn 1 sent an empty story, so no placeholder can replace it.
        let verdict = turns(received, sent);
        assert_eq!(verdict.verdict, Violation, "{received} {sent}");
        assert_eq!(verdict.difference.unwrap().position, position, "{received} {sent}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn other_escapes_of_the_same_units_match(units in any_units(), ways in prop::collection::vec(any::<[u8; 2]>(), 80)) {
        let received = write(&units, ways.iter().map(|ways| ways[0]));
        let sent = write(&units, ways.iter().map(|ways| ways[1]));
        prop_assert_eq!(turns(&received, &sent).verdict, Match);
    }

    #[test]
    fn one_added_or_removed_unit_is_detected(units in any_units(), place in any::<prop::sample::Index>(), more in any::<bool>()) {
        let place = place.index(units.len());
        let mut changed = units.clone();
        if more {
            changed.insert(place, units[place] ^ 1);
        } else {
            changed.remove(place);
        }
        let verdict = turns(&write(&units, std::iter::repeat(3)), &write(&changed, std::iter::repeat(3)));
        // If there was just one unit, the story is now empty, like the story of turn 1.
        let expected = if changed.is_empty() { franz_panel::VerdictKind::Retry } else { Violation };
        prop_assert_eq!(verdict.verdict, expected);
    }

    /// Bodies with a few wrong bytes, and bodies that consist of garbage.
    #[test]
    fn nothing_panics(
        changes in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 0..6),
        garbage in any::<Vec<u8>>(),
        form in 0..4_u8,
    ) {
        let event = r#"{"choices":[{"index":0,"delta":{"content":"\ud83d"},"finish_reason":"stop"}]}"#;
        let reply = r#"{"choices":[{"message":{"content":"b\ud83d"}}],"usage":{"total_tokens":1}}"#;
        let (kind, reply) = match form {
            0 | 1 => ("application/json", reply.to_owned()),
            _ => ("text/event-stream", format!("data: {event}\n\ndata: [DONE]\n\n")),
        };
        let Copy::Whole(request) = Ask::new(r#""a\ud800""#).body else { unreachable!("it was given whole") };
        let mut bodies = [request.to_vec(), reply.into_bytes()];
        for (in_reply, place, byte, change) in changes {
            let body = &mut bodies[usize::from(in_reply)];
            let place = place.index(body.len());
            match change {
                0 => body[place] = byte,
                1 => body.insert(place, byte),
                _ => body.truncate(place + 1),
            }
        }
        let [request, reply] = if form == 1 { [garbage.clone(), garbage] } else { bodies };
        let mut watch = Watch::restarting();
        for _ in 0..2 {
            let verdict = watch.see(Ask::new("\"\"").body(request.clone()).answer(kind, reply.clone()));
            prop_assert_ne!(verdict.verdict, Violation);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn one_changed_unit_is_detected_at_any_position(
        units in any_units(),
        place in any::<prop::sample::Index>(),
        change in 1..u16::MAX,
        way in any::<u8>(),
    ) {
        // Repeat the units until the story has 250,000 of them, which is at least 500 KB or so.
        let whole: Vec<u16> = units.iter().copied().cycle().take(250_000).collect();
        let place = place.index(whole.len());
        let mut changed = whole.clone();
        changed[place] = changed[place].wrapping_add(change);
        let verdict = turns(&write(&whole, std::iter::repeat(way)), &write(&changed, std::iter::repeat(way)));
        prop_assert_eq!(verdict.verdict, Violation);
        let difference = verdict.difference.unwrap();
        // A change can turn two separate halves into a surrogate pair. They still count as two units.
        prop_assert_eq!(difference.position, place as u64);
        prop_assert_eq!((difference.received_units, difference.sent_units), (250_000, 250_000));
        let around = literal::units(difference.sent.get());
        prop_assert!(around.len() <= 84);
        prop_assert!(changed[place.saturating_sub(41)..].windows(around.len()).take(42).any(|window| window == around));
    }
}
