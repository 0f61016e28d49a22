//! One-time codes, each of which admits one browser. Other users can read the browser's command line, so a code is
//! valid only briefly, and only until the browser has used it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use subtle::ConstantTimeEq as _;
use tokio::time::Instant;

use crate::lock::lock;

/// How long a browser may take to start and send its first request.
const VALID: Duration = Duration::from_mins(1);

/// The valid codes. Each works only once, for up to a minute.
#[derive(Clone, Default)]
pub struct Codes {
    open: Arc<Mutex<Vec<(String, Instant)>>>,
}

impl Codes {
    /// Makes a code valid. The code must be as hard to guess as the token.
    pub fn open(&self, code: String) {
        let mut open = lock(&self.open);
        open.retain(is_young);
        open.push((code, Instant::now()));
    }

    /// Uses up a code. Returns whether the code was valid.
    pub(super) fn redeem(&self, shown: &str) -> bool {
        let mut open = lock(&self.open);
        open.retain(is_young);
        let others = open.len();
        open.retain(|(code, _)| !bool::from(shown.as_bytes().ct_eq(code.as_bytes())));
        open.len() < others
    }
}

fn is_young((_, opened): &(String, Instant)) -> bool {
    opened.elapsed() < VALID
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_code_works_once_and_for_one_minute() {
        let codes = Codes::default();
        assert!(!codes.redeem("") && !codes.redeem("a"));
        codes.open("a".to_owned());
        codes.open("b".to_owned());
        assert!(!codes.redeem("ab") && codes.redeem("a") && !codes.redeem("a"));
        tokio::time::advance(VALID).await;
        assert!(!codes.redeem("b"));
        codes.open("c".to_owned());
        tokio::time::advance(Duration::from_secs(59)).await;
        assert!(codes.redeem("c"));
    }
}
