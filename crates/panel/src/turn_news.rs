//! News of other agents' turns, for a terminal that prints them.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::lock::lock;
use crate::verdict::{Verdict, VerdictKind};

/// How many turns to keep while nobody reads the news.
const KEPT: usize = 1000;

/// A turn of another agent, in brief.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnNews {
    /// The name of the run's or conversation's directory.
    pub run: String,
    /// The turn's number.
    pub turn: u64,
    /// Milliseconds until the response was complete.
    pub ms: f64,
    /// The verdict on the story that was sent.
    pub verdict: VerdictKind,
    /// The first UTF-16 unit, from 0, in which a changed story differs from the one that was received.
    pub differs_at: Option<u64>,
    /// Why there is no reply; `None` if there is one.
    pub error: Option<String>,
}

impl TurnNews {
    pub(crate) fn new(run: &str, verdict: &Verdict, error: Option<&str>) -> TurnNews {
        TurnNews {
            run: run.to_owned(),
            turn: verdict.turn.unwrap_or_default(),
            ms: verdict.whole_ms,
            verdict: verdict.verdict,
            differs_at: verdict.difference.as_ref().map(|difference| difference.position),
            error: error.map(str::to_owned),
        }
    }
}

/// The news that nobody has read yet, oldest first. If too much is waiting, the oldest is dropped.
#[derive(Debug, Default)]
pub(crate) struct TurnNewsQueue(Mutex<VecDeque<TurnNews>>);

impl TurnNewsQueue {
    pub(crate) fn push(&self, turn: TurnNews) {
        let mut waiting = lock(&self.0);
        if waiting.len() >= KEPT {
            waiting.pop_front();
        }
        waiting.push_back(turn);
    }

    pub(crate) fn take(&self) -> Vec<TurnNews> {
        let mut waiting = lock(&self.0);
        waiting.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_is_taken_once_and_the_oldest_is_dropped() {
        let news = TurnNewsQueue::default();
        for turn in 1..=KEPT as u64 + 2 {
            news.push(TurnNews {
                run: "a".to_owned(),
                turn,
                ms: 0.0,
                verdict: VerdictKind::Match,
                differs_at: None,
                error: None,
            });
        }
        let taken = news.take();
        assert_eq!((taken.len(), taken[0].turn), (KEPT, 3));
        assert_eq!(news.take(), []);
    }
}
