//! One action in a reply and its outcome, which turn lines store together in one flat object.

use franz_action::{Action, Outcome};
use franz_json::{Raw, lossy};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::decided::RecordedDecision;
use crate::timings::Millis;

/// One action and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Flat", into = "Flat")]
pub struct Acted {
    /// The action in canonical form, or in the model's own words if it is malformed.
    pub action: String,
    /// Its outcome.
    pub outcome: Outcome,
    /// The grounder's answer for the target, if the action names one.
    pub found: Option<Found>,
    /// The person's decision, if the action waited for one.
    pub decided: Option<RecordedDecision>,
}

/// The grounder's answer for an action's target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The action at the position found, in canonical form. `None` if no position was found.
    #[serde(default, deserialize_with = "lossy::option")]
    pub action: Option<String>,
    /// The grounder's name.
    #[serde(default, deserialize_with = "lossy::string")]
    pub model: String,
    /// The grounder's answer, in its own words.
    #[serde(default, deserialize_with = "lossy::string")]
    pub said: String,
    /// How long the grounder took.
    #[serde(default)]
    pub ms: Millis,
}

impl Found {
    /// Reads the grounder's answer, ignoring a malformed one.
    pub(crate) fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Found>, D::Error> {
        lenient(deserializer)
    }
}

/// Reads a value. Ignores a malformed one, so that the rest of the line is not lost.
pub(crate) fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    let raw = Option::<Raw>::deserialize(deserializer)?;
    Ok(raw.and_then(|raw| serde_json::from_str(raw.get()).ok()))
}

impl Acted {
    /// Pairs an action with its outcome.
    pub fn new(action: impl Into<String>, outcome: Outcome) -> Acted {
        Acted {
            action: action.into(),
            outcome,
            found: None,
            decided: None,
        }
    }

    /// Returns the action that was performed, at the position found if the action named a target. `None` if nothing was
    /// performed or the action cannot be read.
    pub fn performed(&self) -> Option<Action> {
        let instead = self.decided.as_ref().and_then(|decided| decided.action.as_ref());
        let at_place = self.found.as_ref().and_then(|found| found.action.as_ref());
        let action = instead.or(at_place).unwrap_or(&self.action).parse().ok()?;
        self.outcome.is_done().then_some(action)
    }
}

/// The stored form of an action and its outcome.
#[derive(Serialize, Deserialize)]
struct Flat {
    #[serde(deserialize_with = "lossy::string")]
    action: String,
    /// The outcome's name.
    #[serde(deserialize_with = "lossy::string")]
    outcome: String,
    /// The outcome's reason or note, if it has one.
    #[serde(default, deserialize_with = "lossy::option")]
    why: Option<String>,
    /// The part of the text read from the screen that the model got.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The grounder's answer, if a request was sent to it.
    #[serde(
        default,
        deserialize_with = "Found::lenient",
        skip_serializing_if = "Option::is_none"
    )]
    found: Option<Found>,
    /// The person's decision, if the action waited for one.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    decided: Option<RecordedDecision>,
}

/// The error for an unknown outcome name in a line.
#[derive(Debug, Error)]
#[error("unknown outcome {0:?}, expected one of {names}", names = Outcome::NAMES.join(", "))]
struct UnknownOutcome(String);

impl From<Acted> for Flat {
    fn from(acted: Acted) -> Flat {
        Flat {
            outcome: acted.outcome.name().to_owned(),
            why: acted.outcome.why().map(str::to_owned),
            text: acted.outcome.text().map(str::to_owned),
            action: acted.action,
            found: acted.found,
            decided: acted.decided,
        }
    }
}

impl TryFrom<Flat> for Acted {
    type Error = UnknownOutcome;

    fn try_from(flat: Flat) -> Result<Acted, UnknownOutcome> {
        match Outcome::from_parts(&flat.outcome, flat.why, flat.text) {
            Some(outcome) => Ok(Acted {
                action: flat.action,
                outcome,
                found: flat.found,
                decided: flat.decided,
            }),
            None => Err(UnknownOutcome(flat.outcome)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates any outcome that FRANZ can give an action.
    fn outcome() -> impl Strategy<Value = Outcome> {
        let words = || ".{0,20}";
        prop_oneof![
            proptest::option::of(words()).prop_map(Outcome::Done),
            (words(), proptest::option::of(words())).prop_map(|(text, note)| Outcome::Read { text, note }),
            words().prop_map(Outcome::NotApplied),
            proptest::option::of(words()).prop_map(Outcome::Ignored),
            words().prop_map(Outcome::Malformed),
            proptest::option::of(words()).prop_map(Outcome::Blocked),
            words().prop_map(Outcome::Held),
            words().prop_map(Outcome::Refused),
            words().prop_map(Outcome::Withdrawn),
            Just(Outcome::Interrupted),
        ]
    }

    proptest! {
        #[test]
        fn an_acted_line_round_trips(action in ".{0,20}", outcome in outcome()) {
            let acted = Acted::new(action, outcome);
            let line = serde_json::to_string(&acted).unwrap();
            prop_assert_eq!(serde_json::from_str::<Acted>(&line).unwrap(), acted, "{}", line);
        }
    }

    #[test]
    fn the_form_on_disk_is_flat() {
        let cases = [
            (Outcome::DONE, r#""outcome":"done","why":null"#),
            (
                Outcome::read("copied"),
                r#""outcome":"done","why":null,"text":"copied""#,
            ),
            (
                Outcome::NotApplied("no click yet".to_owned()),
                r#""outcome":"not_applied","why":"no click yet""#,
            ),
            (Outcome::Interrupted, r#""outcome":"interrupted","why":null"#),
        ];
        for (outcome, flat) in cases {
            let line = serde_json::to_string(&Acted::new("observe()", outcome)).unwrap();
            assert_eq!(line, format!(r#"{{"action":"observe()",{flat}}}"#));
        }
    }

    #[test]
    fn what_was_found_is_kept_unless_it_is_something_else() {
        let acted = Acted {
            found: Some(Found {
                action: Some("left_click(1, 2)".to_owned()),
                model: "m".to_owned(),
                said: "(1,2)".to_owned(),
                ms: Millis::default(),
            }),
            ..Acted::new("left_click(target=\"a\")", Outcome::DONE)
        };
        let line = serde_json::to_string(&acted).unwrap();
        assert_eq!(serde_json::from_str::<Acted>(&line).unwrap(), acted);
        assert_eq!(acted.performed().unwrap().to_string(), "left_click(1, 2)");
        for found in ["5", "null", "{\"ms\":\"x\"}", "{\"model\":1}"] {
            let line = format!("{{\"action\":\"observe()\",\"outcome\":\"done\",\"found\":{found}}}");
            assert_eq!(serde_json::from_str::<Acted>(&line).unwrap().found, None, "{found}");
        }
    }

    #[test]
    fn only_known_outcome_names_are_read() {
        for name in Outcome::NAMES {
            let line = format!(r#"{{"action":"observe()","outcome":"{name}"}}"#);
            assert_eq!(serde_json::from_str::<Acted>(&line).unwrap().outcome.name(), name);
        }
        let error = serde_json::from_str::<Acted>(r#"{"action":"observe()","outcome":"perhaps"}"#).unwrap_err();
        let told = r#"unknown outcome "perhaps", expected one of done, not_applied, "#;
        assert!(error.to_string().starts_with(told), "{error}");
    }
}
