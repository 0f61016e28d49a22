//! Replies that a person wrote in place of the model. Only those that this panel has accepted are known.

use std::sync::Mutex;

use franz_json::Story;

use crate::lock::lock;

/// How many replies can be waiting for the request that sends them as its story.
const MOST: usize = 16;

/// The accepted replies that have not appeared in any request yet, as JSON literals.
#[derive(Debug, Default)]
pub struct PersonReplies(Mutex<Vec<String>>);

impl PersonReplies {
    /// Accepts a reply that a person wrote.
    pub fn take_in(&self, text: &str) {
        let mut taken_in = lock(&self.0);
        if taken_in.len() == MOST {
            taken_in.remove(0);
        }
        taken_in.push(literal(text));
    }

    /// Returns whether a story is one of these replies. Each reply is recognised only once.
    pub(crate) fn took_in(&self, story: &Story) -> bool {
        let mut taken_in = lock(&self.0);
        let place = taken_in.iter().position(|taken_in| taken_in == story.raw());
        place.map(|place| taken_in.remove(place)).is_some()
    }
}

/// Returns text as the JSON literal that becomes the story.
pub fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_taken_in_counts_and_once() {
        let replies = PersonReplies::default();
        let story = |text: &str| Story::from_raw(&literal(text)).unwrap();
        assert!(!replies.took_in(&story("forged")));
        replies.take_in("a \"b\"\n");
        assert!(!replies.took_in(&story("a")));
        assert!(replies.took_in(&story("a \"b\"\n")));
        assert!(!replies.took_in(&story("a \"b\"\n")));
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let replies = PersonReplies::default();
        for number in 0..=MOST {
            replies.take_in(&number.to_string());
        }
        let took_in = |number: usize| replies.took_in(&Story::from_raw(&literal(&number.to_string())).unwrap());
        assert!(!took_in(0) && took_in(1) && took_in(MOST));
    }
}
