//! Parameters that shape the model's reply.

use std::io::Write as _;

/// The part of a call that shapes the reply. What is `None` is left to the server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sampling {
    /// The model's name.
    pub model: Option<String>,
    /// The temperature; omitted if it is not finite.
    pub temperature: Option<f64>,
    /// The nucleus, 0..=1; omitted if it is not finite.
    pub top_p: Option<f64>,
    /// The most tokens in a reply.
    pub max_tokens: Option<u32>,
}

impl Sampling {
    /// Writes the members after the messages, each with a comma before it.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        number(bytes, "temperature", self.temperature);
        number(bytes, "top_p", self.top_p);
        if let Some(most) = self.max_tokens {
            write!(bytes, r#","max_tokens":{most}"#).expect("a vector takes every byte");
        }
    }
}

/// Writes the shortest decimal that reads back as the same number.
fn number(bytes: &mut Vec<u8>, name: &str, value: Option<f64>) {
    if let Some(value) = value.filter(|value| value.is_finite()) {
        write!(bytes, r#","{name}":{value}"#).expect("a vector takes every byte");
    }
}

#[cfg(test)]
mod tests {
    use super::Sampling;
    use proptest::prelude::*;

    fn written(sampling: &Sampling) -> String {
        let mut bytes = Vec::new();
        sampling.write(&mut bytes);
        String::from_utf8(bytes).unwrap()
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
