//! Compares two stories by their UTF-16 units, in linear time and without copying them.

use franz_json::Raw;
use franz_json::literal::{Units, each_unit};

use crate::verdict::StoryDifference;

/// How many UTF-16 units to show before and after the position where two stories differ.
const AROUND: usize = 40;

/// Checks whether two JSON string literals consist of the same UTF-16 units.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one == other || each_unit(one).eq(each_unit(other))
}

/// Returns where two JSON string literals differ; `None` if they consist of the same units.
pub(crate) fn difference(received: &str, sent: &str) -> Option<StoryDifference> {
    if received == sent {
        return None;
    }
    let (mut ours, mut theirs) = (each_unit(received), each_unit(sent));
    let mut position = 0_usize;
    let last = loop {
        match (ours.next(), theirs.next()) {
            (None, None) => return None,
            (one, other) if one == other => position += 1,
            ends => break ends,
        }
    };
    let total = |last: Option<u16>, rest: Units<'_>| match last {
        Some(_) => (position + 1 + rest.count()) as u64,
        None => position as u64,
    };
    Some(StoryDifference {
        position: position as u64,
        received: excerpt(received, position),
        sent: excerpt(sent, position),
        received_units: total(last.0, ours),
        sent_units: total(last.1, theirs),
    })
}

/// Returns the units around `position` as a literal. Never includes just one half of a surrogate pair.
fn excerpt(literal: &str, position: usize) -> Raw {
    // Include one more unit on either side, to see whether the cut would split a pair.
    let first = position.saturating_sub(AROUND + 1);
    let window: Vec<u16> = each_unit(literal)
        .skip(first)
        .take(position - first + AROUND + 1)
        .collect();
    let start = usize::from(position > AROUND);
    let start = if pair(&window, start) {
        start.saturating_sub(1)
    } else {
        start
    };
    let end = window.len().min(position - first + AROUND);
    let end = if pair(&window, end) { end + 1 } else { end };
    Raw::of_units(window.get(start..end).unwrap_or_default())
}

/// Checks whether the units just before and at `place` form a surrogate pair.
fn pair(units: &[u16], place: usize) -> bool {
    let high = place.checked_sub(1).and_then(|before| units.get(before));
    high.is_some_and(|unit| (0xd800..0xdc00).contains(unit))
        && units.get(place).is_some_and(|unit| (0xdc00..0xe000).contains(unit))
}

#[cfg(test)]
mod tests {
    use super::{difference, same};
    use franz_json::Raw;
    use franz_json::literal::units;
    use proptest::prelude::*;

    #[test]
    fn equivalent_literals_are_equal() {
        let cases = [
            (r#""""#, r#""""#),
            (r#""/\u0041\n""#, r#""\/A\u000a""#),
            (r#""😀""#, r#""\ud83d\uDE00""#),
            (r#""\ud800""#, r#""\uD800""#),
            (r#""\u0000""#, r#""\u0000""#),
        ];
        for (one, other) in cases {
            assert!(same(one, other) && difference(one, other).is_none(), "{one} {other}");
        }
        for (one, other) in [
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""""#, r#""\u0000""#),
            (r#""a""#, r#""a ""#),
        ] {
            assert!(!same(one, other) && difference(one, other).is_some(), "{one} {other}");
        }
    }

    #[test]
    fn an_excerpt_never_splits_a_surrogate_pair() {
        let text = "😀".repeat(100);
        let one = format!("\"{text}\"");
        for place in 0..100 {
            let other = format!("\"{}x{}\"", "😀".repeat(place), "😀".repeat(100 - place));
            let found = difference(&one, &other).unwrap();
            assert_eq!(found.position, 2 * place as u64);
            assert_eq!((found.received_units, found.sent_units), (200, 201));
            assert!(!found.received.get().contains("\\u"), "{:?}", found.received);
        }
    }

    #[test]
    fn an_end_is_a_difference_too() {
        let found = difference("\"abc\"", "\"abcd\"").unwrap();
        assert_eq!((found.position, found.received_units, found.sent_units), (3, 3, 4));
        assert_eq!((found.received.get(), found.sent.get()), ("\"abc\"", "\"abcd\""));
    }

    proptest! {
        #[test]
        fn the_first_unit_that_differs_is_found(
            text in proptest::collection::vec(prop_oneof![any::<u16>(), 0xd800..0xe000_u16], 1..200),
            place in any::<proptest::sample::Index>(),
            change in 1..u16::MAX,
        ) {
            let place = place.index(text.len());
            let mut changed = text.clone();
            changed[place] = changed[place].wrapping_add(change);
            let (one, other) = (Raw::of_units(&text), Raw::of_units(&changed));
            let found = difference(one.get(), other.get()).unwrap();
            prop_assert_eq!(found.position as usize, place);
            let around = units(found.sent.get());
            prop_assert!(around.len() <= 84 && changed.windows(around.len()).any(|window| window == around));
            prop_assert!(around.contains(&changed[place]));
        }
    }
}
