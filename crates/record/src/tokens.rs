//! The number of tokens that a run has used, as the server counts them.

use franz_json::{count, members};
use serde::{Deserialize, Serialize};

use crate::turn::TurnLine;

/// The tokens of one or more replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Tokens in requests.
    pub prompt: u64,
    /// The part of these that the server had cached from earlier requests; 0 if the server does not report it.
    pub cached: u64,
    /// Tokens that the server generated.
    pub completion: u64,
    /// The sum of both, or the total that the server reports.
    pub total: u64,
}

impl Tokens {
    /// Returns the tokens that the turn in `line` used.
    pub fn of(line: &TurnLine) -> Self {
        line.usage
            .as_ref()
            .map(|usage| Self::read(usage.get()))
            .unwrap_or_default()
    }

    /// Parses a server's `usage`. A count that is missing or has an unknown format becomes 0. A total that is missing
    /// or too small becomes the sum of the others.
    pub fn read(usage: &str) -> Self {
        let names = ["prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens"];
        let counts = members(usage, names).unwrap_or_default();
        let plausible = |value: Option<_>| value.and_then(count).filter(|&count| count <= MOST);
        let [prompt, completion, total, cached] = counts.map(plausible);
        // FRANZ's records store this count next to the others, whereas a server's response nests it.
        let [details] = members(usage, ["prompt_tokens_details"]).unwrap_or_default();
        let inside = details.and_then(|details| members(details.get(), ["cached_tokens"]));
        let cached = cached.or_else(|| inside.and_then(|[cached]| plausible(cached)));
        let (prompt, completion) = (prompt.unwrap_or(0), completion.unwrap_or(0));
        Self {
            prompt,
            cached: cached.unwrap_or(0).min(prompt),
            completion,
            total: total.unwrap_or(0).max(prompt.saturating_add(completion)),
        }
    }

    /// Returns in words how many tokens were read anew, came from the cache, and were written:
    /// `2800 read, 5200 from the cache, 120 written`.
    pub fn words(&self) -> String {
        let cached = match self.cached {
            0 => String::new(),
            cached => format!(", {cached} from the cache"),
        };
        format!("{} read{cached}, {} written", self.read_anew(), self.completion)
    }

    /// Returns the tokens of requests that were not in the cache.
    fn read_anew(&self) -> u64 {
        self.prompt.saturating_sub(self.cached)
    }

    /// Adds `other`. A sum that is too large becomes the largest possible number.
    pub fn add(&mut self, other: Self) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.cached = self.cached.saturating_add(other.cached);
        self.completion = self.completion.saturating_add(other.completion);
        self.total = self.total.saturating_add(other.total);
    }
}

/// The largest plausible count. A larger number is wrong, and would use up any budget immediately.
const MOST: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use franz_json::Raw;
    use proptest::prelude::*;

    use super::*;

    fn of(usage: &str) -> (u64, u64, u64) {
        let tokens = Tokens::of(&TurnLine {
            usage: Some(Raw::parse(usage).unwrap()),
            ..TurnLine::new(1, "")
        });
        (tokens.prompt, tokens.completion, tokens.total)
    }

    #[test]
    fn invalid_token_counts_are_ignored() {
        let cases = [
            (
                r#"{"prompt_tokens":3,"completion_tokens":4,"total_tokens":9}"#,
                (3, 4, 9),
            ),
            (r#"{"prompt_tokens":3,"completion_tokens":4}"#, (3, 4, 7)),
            (
                r#"{"prompt_tokens":3,"completion_tokens":4,"total_tokens":0}"#,
                (3, 4, 7),
            ),
            (
                r#"{"prompt_tokens":3,"completion_tokens":4,"total_tokens":null}"#,
                (3, 4, 7),
            ),
            (
                r#"{"prompt_tokens":null,"completion_tokens":"4","total_tokens":[1]}"#,
                (0, 0, 0),
            ),
            (
                r#"{"prompt_tokens":-3,"completion_tokens":{},"total_tokens":5}"#,
                (0, 0, 5),
            ),
            (
                r#"{"prompt_tokens":1.5,"completion_tokens":1e400,"total_tokens":true}"#,
                (0, 0, 0),
            ),
            (r#"{"prompt_tokens":1,"prompt_tokens":2}"#, (2, 0, 2)),
            (
                r#"{"\ud800":"\ud800","prompt_tokens":2,"total_tokens":"\udc00"}"#,
                (2, 0, 2),
            ),
            (r#"{"prompt\u005ftokens":2}"#, (2, 0, 2)),
            (
                r#"{"prompt_tokens":1000000000,"completion_tokens":1000000001}"#,
                (1_000_000_000, 0, 1_000_000_000),
            ),
            (
                r#"{"prompt_tokens":18446744073709551615,"completion_tokens":1}"#,
                (0, 1, 1),
            ),
            (r#"{"total_tokens":1e30,"completion_tokens":1}"#, (0, 1, 1)),
            (r#"{"prompt_tokens":18446744073709551616}"#, (0, 0, 0)),
            ("{}", (0, 0, 0)),
            ("null", (0, 0, 0)),
            ("[3,4,7]", (0, 0, 0)),
            (r#""\ud800""#, (0, 0, 0)),
        ];
        for (usage, tokens) in cases {
            assert_eq!(of(usage), tokens, "{usage}");
        }
        assert_eq!(Tokens::of(&TurnLine::new(1, "")), Tokens::default());
    }

    #[test]
    fn tokens_from_the_cache_are_found_in_records_and_in_answers() {
        let cases = [
            (r#"{"prompt_tokens":9,"cached_tokens":7}"#, 7),
            (r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":7}}"#, 7),
            (
                r#"{"prompt_tokens":9,"cached_tokens":null,"prompt_tokens_details":null}"#,
                0,
            ),
            (r#"{"prompt_tokens":9,"cached_tokens":10}"#, 9),
            (r#"{"prompt_tokens":9,"prompt_tokens_details":[]}"#, 0),
        ];
        for (usage, cached) in cases {
            let tokens = Tokens::read(usage);
            assert_eq!((tokens.cached, tokens.read_anew()), (cached, 9 - cached), "{usage}");
        }
        assert_eq!(Tokens::read(cases[0].0).words(), "2 read, 7 from the cache, 0 written");
        assert_eq!(Tokens::read(cases[2].0).words(), "9 read, 0 written");
    }

    proptest! {
        #[test]
        fn sums_never_overflow(counts in prop::collection::vec(any::<(u64, u64, u64)>(), 0..5)) {
            let mut sum = Tokens::default();
            for &(prompt, completion, total) in &counts {
                sum.add(Tokens { prompt, completion, total, ..Tokens::default() });
            }
            let total = counts.iter().map(|count| u128::from(count.2)).sum::<u128>();
            prop_assert_eq!(u128::from(sum.total), total.min(u64::MAX.into()));
        }
    }
}
