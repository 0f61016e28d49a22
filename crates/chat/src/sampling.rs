//! Parameters that shape the model's reply.

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::binding::Binding;

/// The part of a call that shapes the reply. For a `None`, the server chooses the value.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Sampling {
    /// The model's name, which comes before the messages.
    #[serde(skip)]
    pub model: Option<String>,
    /// The temperature; omitted if it is not finite.
    #[serde(serialize_with = "shortest", skip_serializing_if = "is_left_out")]
    pub temperature: Option<f64>,
    /// The top-p value, 0..=1; omitted if it is not finite.
    #[serde(serialize_with = "shortest", skip_serializing_if = "is_left_out")]
    pub top_p: Option<f64>,
    /// The largest number of tokens in a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The grammar or schema that constrains the reply.
    #[serde(flatten)]
    pub binding: Option<Binding>,
    /// Whether the reply is streamed. The fields for this come after all others.
    #[serde(skip)]
    pub streaming: Streaming,
    /// Additional fields, which are sent unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How the reply is requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Streaming {
    /// Not streamed: the reply arrives in one piece.
    #[default]
    Off,
    /// Streamed as it is written.
    On,
    /// Streamed as it is written, with the token counts at the end.
    WithUsage,
}

#[expect(clippy::ref_option, reason = "serde passes it so")]
fn is_left_out(value: &Option<f64>) -> bool {
    !value.is_some_and(f64::is_finite)
}

/// Writes the shortest decimal that reads back as the same number, for example `1` where `serde_json` would write
/// `1.0`.
#[expect(clippy::ref_option, reason = "serde passes it so")]
fn shortest<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    let decimal = value.unwrap_or_default().to_string();
    let number = RawValue::from_string(decimal).map_err(S::Error::custom)?;
    number.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::Sampling;
    use proptest::prelude::*;

    fn written(sampling: &Sampling) -> String {
        let object = serde_json::to_string(sampling).unwrap();
        let members = object
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap();
        if members.is_empty() {
            String::new()
        } else {
            format!(",{members}")
        }
    }

    #[test]
    fn numbers_are_short_and_finite() {
        let cases = [
            (0.7, ",\"temperature\":0.7"),
            (1.0, ",\"temperature\":1"),
            (0.1 + 0.2, ",\"temperature\":0.30000000000000004"),
        ];
        for (temperature, json) in cases {
            let sampling = Sampling {
                temperature: Some(temperature),
                ..Sampling::default()
            };
            assert_eq!(written(&sampling), json);
        }
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let sampling = Sampling {
                temperature: Some(odd),
                top_p: Some(odd),
                ..Sampling::default()
            };
            assert_eq!(written(&sampling), "");
        }
    }

    #[test]
    fn more_fields_are_passed_on() {
        let sampling = Sampling {
            top_p: Some(1.0),
            extra: serde_json::from_str(r#"{"top_k":20,"chat_template_kwargs":{"enable_thinking":false}}"#).unwrap(),
            ..Sampling::default()
        };
        let wanted = r#","top_p":1,"chat_template_kwargs":{"enable_thinking":false},"top_k":20"#;
        assert_eq!(written(&sampling), wanted);
    }

    proptest! {
        #[test]
        fn numbers_read_back_as_themselves(value in prop::num::f64::NORMAL) {
            let sampling = Sampling { top_p: Some(value), ..Sampling::default() };
            let json = written(&sampling);
            let number = json.strip_prefix(",\"top_p\":").unwrap();
            prop_assert_eq!(number.parse(), Ok(value));
        }
    }
}
