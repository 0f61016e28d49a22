//! Replies that a person wrote in place of the model's. Only what the panel itself took in counts as one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use franz_json::Story;

/// How many replies may wait for their turn.
const MOST: usize = 16;

/// What the panel took in, and the turns for which the agent has used it.
#[derive(Debug, Default)]
pub struct PersonReplies(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The literals that were taken in and not used yet.
    taken_in: Vec<String>,
    used: Vec<(u64, Story)>,
}

impl PersonReplies {
    /// Takes in a reply, as the person wrote it.
    pub fn take_in(&self, text: &str) {
        let mut known = self.lock();
        if known.taken_in.len() == MOST {
            known.taken_in.remove(0);
        }
        known.taken_in.push(literal(text));
    }

    /// Notes the reply of a turn that the agent says a person wrote. One that was never taken in is not believed.
    pub fn used(&self, turn: u64, reply: &Story) {
        let mut known = self.lock();
        if let Some(place) = known.taken_in.iter().position(|taken_in| taken_in == reply.raw()) {
            known.taken_in.remove(place);
            known.used.push((turn, reply.clone()));
        }
    }

    /// Returns the turns before this one with such replies, each once.
    pub(crate) fn before(&self, turn: u64) -> Vec<(u64, Story)> {
        self.lock().used.extract_if(.., |(used, _)| *used < turn).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a text as the JSON literal that becomes the story.
pub fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_taken_in_counts_and_once() {
        let replies = PersonReplies::default();
        let story = |text| Story::from_raw(&literal(text)).unwrap();
        replies.used(1, &story("forged"));
        replies.take_in("a \"b\"\n");
        replies.used(2, &story("a \"b\"\n"));
        replies.used(3, &story("a \"b\"\n"));
        assert_eq!(
            replies.before(2).len(),
            0,
            "the request of that turn may be judged later"
        );
        let used = replies.before(3);
        assert_eq!(used.iter().map(|(turn, _)| *turn).collect::<Vec<_>>(), [2]);
        assert_eq!(replies.before(9).len(), 0);
    }
}
