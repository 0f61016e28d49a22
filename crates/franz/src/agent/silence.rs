//! Replies without a call: how many there have been in a row, and when a run gives up on its model.

use franz_dialect::NoCall;

/// How many replies in a row that contain only words end a run. The first one might be an announcement; after it, the
/// model is told to make a call.
const MOST_WORDS: u32 = 4;
/// How many replies in a row without a readable call end a run.
const MOST_UNREADABLE: u32 = 8;

/// The replies since the last one with a call. A call that was held, refused or blocked still counts as a call.
#[derive(Debug, Default)]
pub(super) struct Silence {
    words: u32,
    all: u32,
}

impl Silence {
    /// Notes what a reply contains instead of a call. If this was one such reply too many, returns why the run ends.
    pub(super) fn note(&mut self, no_call: Option<&NoCall>) -> Option<String> {
        let said = match no_call {
            None => {
                *self = Silence::default();
                return None;
            }
            Some(NoCall::Words(said)) => Some(said),
            Some(NoCall::Unreadable) => None,
        };
        self.all += 1;
        self.words = if said.is_some() { self.words + 1 } else { 0 };
        match said {
            Some(said) if self.words >= MOST_WORDS => Some(format!(
                "the model called no tool in {} replies in a row; its last words: {said}",
                self.words
            )),
            _ if self.all >= MOST_UNREADABLE => Some(format!("the last {} replies had no readable call", self.all)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(replies: &str) -> Option<usize> {
        let mut silence = Silence::default();
        replies.chars().position(|reply| {
            let no_call = match reply {
                'w' => Some(NoCall::Words("hm".to_owned())),
                'u' => Some(NoCall::Unreadable),
                _ => None,
            };
            silence.note(no_call.as_ref()).is_some()
        })
    }

    #[test]
    fn four_replies_of_words_or_eight_without_a_call_end_a_run() {
        for (replies, wanted) in [
            ("wwww", Some(3)),
            ("wwwcwww", None),
            ("wwwuwwww", Some(7)),
            ("uuuuuuuu", Some(7)),
            ("uuuuuuucuuuuuuu", None),
            ("wwuwwuww", Some(7)),
            ("cccccccccc", None),
        ] {
            assert_eq!(ends(replies), wanted, "{replies}");
        }
    }
}
