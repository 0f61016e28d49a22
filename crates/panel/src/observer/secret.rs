//! The API key, which appears in no file and in no browser.

use franz_record::Raw;

use crate::verdict::Verdict;

/// What stands where the key was, as in the log of exchanges.
const REDACTED: &str = "[redacted]";

/// What must not appear; `None` where there is nothing to hide.
#[derive(Debug, Clone, Default)]
pub(super) struct Secret(Option<String>);

impl Secret {
    pub(super) fn new(secret: Option<String>) -> Self {
        Self(secret.filter(|secret| !secret.is_empty()))
    }

    /// A text without it.
    pub(super) fn strike(&self, text: &str) -> String {
        match &self.0 {
            Some(secret) => text.replace(secret, REDACTED),
            None => text.to_owned(),
        }
    }

    /// A verdict whose quotations are without it.
    pub(super) fn strike_verdict(&self, verdict: &mut Verdict) {
        verdict.why = verdict.why.take().map(|why| self.strike(&why));
        if let Some(difference) = &mut verdict.difference {
            self.strike_excerpt(&mut difference.received);
            self.strike_excerpt(&mut difference.sent);
        }
    }

    fn strike_excerpt(&self, excerpt: &mut Raw) {
        let literal = self.strike(excerpt.get());
        if literal != excerpt.get() {
            // What was struck may have begun within an escape, which leaves half of it.
            *excerpt = Raw::parse(&literal).unwrap_or_else(|_| Raw::string(REDACTED));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Raw, Secret};

    #[test]
    fn nothing_of_it_is_left_and_the_rest_is() {
        let secret = Secret::new(Some("n-key".to_owned()));
        let cases = [
            (r#""a n-key \ud800""#, r#""a [redacted] \ud800""#),
            (r#""a \n-key""#, r#""[redacted]""#),
            (r#""a""#, r#""a""#),
        ];
        for (before, after) in cases {
            let mut excerpt = Raw::parse(before).unwrap();
            secret.strike_excerpt(&mut excerpt);
            assert_eq!(excerpt.get(), after);
        }
        assert_eq!(Secret::new(Some(String::new())).strike("abc"), "abc");
    }
}
