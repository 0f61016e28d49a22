//! Pictures of a screen that a person has taken over. They are kept in memory until the next whole picture, for the
//! pages that show them.

use std::sync::Mutex;

use franz_record::LivePicture;
use tokio::sync::watch;

use crate::lock::lock;

/// The newest whole picture, and the parts that have changed since then.
#[derive(Debug)]
pub struct LivePictures {
    kept: Mutex<Vec<LivePicture>>,
    newest: watch::Sender<u64>,
}

impl Default for LivePictures {
    fn default() -> LivePictures {
        LivePictures {
            kept: Mutex::default(),
            newest: watch::Sender::new(0),
        }
    }
}

impl LivePictures {
    /// Keeps a picture. A part is ignored if the previous one is missing, so pages wait for the next whole picture.
    pub fn push(&self, picture: LivePicture) {
        let mut kept = lock(&self.kept);
        if picture.whole {
            kept.clear();
        } else if kept.last().is_none_or(|last| last.number + 1 != picture.number) {
            kept.clear();
            return;
        }
        let number = picture.number;
        kept.push(picture);
        drop(kept);
        self.newest.send_replace(number);
    }

    /// Forgets all pictures.
    pub fn clear(&self) {
        lock(&self.kept).clear();
        self.newest.send_replace(0);
    }

    /// Returns the pictures that a page needs after picture number `after`: the parts that follow it or, if some of
    /// those are gone, the whole picture and its parts.
    pub fn since(&self, after: u64) -> Vec<LivePicture> {
        let kept = lock(&self.kept);
        let seen = kept.iter().position(|picture| picture.number == after);
        kept.iter().skip(seen.map_or(0, |seen| seen + 1)).cloned().collect()
    }

    /// Returns a receiver that is notified of new pictures.
    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(number: u64, whole: bool) -> LivePicture {
        LivePicture {
            number,
            whole,
            screen: (4, 3),
            at: (0, 0),
            png: String::new(),
        }
    }

    fn numbers(live: &LivePictures, after: u64) -> Vec<u64> {
        live.since(after).iter().map(|picture| picture.number).collect()
    }

    #[test]
    fn a_page_gets_what_it_lacks() {
        let live = LivePictures::default();
        for (number, whole) in [(1, true), (2, false), (3, false)] {
            live.push(picture(number, whole));
        }
        for (after, lacks) in [(0, vec![1, 2, 3]), (2, vec![3]), (3, vec![]), (9, vec![1, 2, 3])] {
            assert_eq!(numbers(&live, after), lacks, "after {after}");
        }
        live.push(picture(4, true));
        assert_eq!(numbers(&live, 3), [4]);
        live.push(picture(6, false));
        assert_eq!(numbers(&live, 4), [0; 0], "a part is missing");
        live.push(picture(7, false));
        assert_eq!(numbers(&live, 4), [0; 0]);
        live.push(picture(8, true));
        assert_eq!(numbers(&live, 4), [8]);
        live.clear();
        assert_eq!(numbers(&live, 0), [0; 0]);
    }
}
