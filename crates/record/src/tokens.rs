//! How many tokens a run has used, as its model servers counted them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::raw::Raw;

/// Totals of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Tokens of the requests.
    #[serde(default)]
    pub prompt: u64,
    /// Tokens of the replies.
    #[serde(default)]
    pub completion: u64,
    /// Both together.
    #[serde(default)]
    pub total: u64,
}

impl Tokens {
    /// Adds what a server counted for one turn: `{"prompt_tokens":..,"completion_tokens":..,"total_tokens":..}`. What is
    /// missing or no whole number counts nothing; a missing total is the sum of the others.
    pub fn add(&mut self, usage: &Raw) {
        let Counted {
            prompt,
            completion,
            total,
        } = serde_json::from_str(usage.get()).unwrap_or_default();
        let (prompt, completion) = (count(prompt), count(completion));
        let total = count(total).or_else(|| Some(prompt.unwrap_or(0).saturating_add(completion.unwrap_or(0))));
        for (sum, more) in [
            (&mut self.prompt, prompt),
            (&mut self.completion, completion),
            (&mut self.total, total),
        ] {
            *sum = sum.saturating_add(more.unwrap_or(0));
        }
    }
}

/// The counts as they stand there, so that an odd one spoils no other.
#[derive(Default, Deserialize)]
struct Counted<'a> {
    #[serde(borrow, default, rename = "prompt_tokens")]
    prompt: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "completion_tokens")]
    completion: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "total_tokens")]
    total: Option<&'a RawValue>,
}

fn count(raw: Option<&RawValue>) -> Option<u64> {
    raw?.get().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_counted_is_counted() {
        let mut tokens = Tokens::default();
        for usage in [
            r#"{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}"#,
            r#"{"prompt_tokens":5,"completion_tokens":1}"#,
            r#"{"prompt_tokens":"7","completion_tokens":null,"total_tokens":-1,"other":"\ud800"}"#,
            r#"{"total_tokens":100}"#,
            "[]",
            "null",
        ] {
            tokens.add(&Raw::parse(usage).unwrap());
        }
        let wanted = Tokens {
            prompt: 15,
            completion: 3,
            total: 118,
        };
        assert_eq!(tokens, wanted);
        tokens.add(&Raw::parse(r#"{"total_tokens":18446744073709551615}"#).unwrap());
        assert_eq!(tokens.total, u64::MAX);
    }
}
