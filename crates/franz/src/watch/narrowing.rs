//! What an edit in the dashboard may do: narrow what the agent may do, but not widen it. A model that acts on the desktop could click there.

use toml::Value;

/// Why the edit of a key from `before` to `after` is not taken from the dashboard; `None`: it may be made. A value that is `None` is not set.
pub(super) fn forbids(key: &str, before: Option<&Value>, after: Option<&Value>) -> Option<String> {
    let wider = match key {
        // A tool that is not named is off.
        _ if key.starts_with("protocol.tools.") => before != Some(&true.into()) && after == Some(&true.into()),
        "loop.stop_on_answer" => before == Some(&true.into()) && after != before,
        "loop.max_turns" => more(
            before.filter(|most| **most != 0.into()),
            after.filter(|most| **most != 0.into()),
        ),
        "model.max_tokens" => more(before, after),
        _ => false,
    };
    wider.then(|| {
        format!(
            "{key} can only be narrowed here; to widen what the agent may do, edit config.toml in the run's directory"
        )
    })
}

/// Whether a bound is lifted; `None` is no bound.
fn more(before: Option<&Value>, after: Option<&Value>) -> bool {
    let number = |value: Option<&Value>| value.and_then(Value::as_integer);
    match (number(before), number(after)) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(before), Some(after)) => after > before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_may_be_drawn_closer_and_never_lifted() {
        let cases: [(&str, Option<Value>, Option<Value>, bool); 17] = [
            ("protocol.tools.drag", Some(true.into()), Some(false.into()), false),
            ("protocol.tools.drag", Some(true.into()), Some(true.into()), false),
            ("protocol.tools.drag", Some(false.into()), Some(true.into()), true),
            ("protocol.tools.drag", Some(false.into()), Some(false.into()), false),
            ("protocol.tools.drag", None, Some(true.into()), true),
            ("protocol.tools.drag", None, Some(false.into()), false),
            ("loop.stop_on_answer", Some(true.into()), Some(false.into()), true),
            ("loop.stop_on_answer", Some(false.into()), Some(true.into()), false),
            ("loop.max_turns", Some(0.into()), Some(9.into()), false),
            ("loop.max_turns", Some(9.into()), Some(8.into()), false),
            ("loop.max_turns", Some(9.into()), Some(10.into()), true),
            ("loop.max_turns", Some(9.into()), Some(0.into()), true),
            ("model.max_tokens", None, Some(9.into()), false),
            ("model.max_tokens", Some(9.into()), None, true),
            ("model.max_tokens", Some(9.into()), Some(10.into()), true),
            ("prompt.goal", Some("a".into()), Some("b".into()), false),
            ("loop.executing_delay_s", Some(1.0.into()), Some(0.0.into()), false),
        ];
        for (key, before, after, forbidden) in cases {
            let why = forbids(key, before.as_ref(), after.as_ref());
            assert_eq!(why.is_some(), forbidden, "{key} {before:?} {after:?}");
        }
    }
}
