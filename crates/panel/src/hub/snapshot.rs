//! The current state: what a page shows before the first change.

use std::sync::Arc;

use franz_record::TurnLine;
use serde::Serialize;

use crate::update::{AgentState, Doing, RunFacts, Update, VerdictSummary};
use crate::verdict::VerdictKind;

/// How many violations are remembered by number.
const VIOLATIONS: usize = 1000;

/// The state that all updates so far add up to.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The run; `None` before it begins.
    pub run: Option<RunFacts>,
    /// The agent.
    pub agent: AgentState,
    /// The request that has no answer yet.
    pub waiting: Option<Waiting>,
    /// The turn whose actions are being performed.
    pub acting: Option<Acting>,
    /// The turn that the model is thinking about, as far as it is known. It exists only in memory.
    pub pending: Option<Arc<TurnLine>>,
    /// The model server.
    pub upstream: ServerState,
    /// How many verdicts were reported, by [`VerdictKind::place`].
    pub verdicts: [u64; 5],
    /// The newest turns whose story was changed.
    pub violations: Vec<u64>,
}

/// The model was asked and has not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The turn, if known.
    pub turn: Option<u64>,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Milliseconds since 1970.
    pub since: i64,
    /// When the server will be asked again, if it has been waited for since `since`; `None` while it is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

/// A turn whose actions are being performed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Acting {
    /// The turn.
    pub turn: u64,
    /// How many actions the reply holds.
    pub actions: usize,
}

/// Whether the model server can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerState {
    /// Whether it can be reached.
    pub up: bool,
    /// Why not.
    pub detail: String,
}

impl Default for ServerState {
    /// Assumes that the server is up until somebody finds otherwise.
    fn default() -> Self {
        Self {
            up: true,
            detail: String::new(),
        }
    }
}

impl Snapshot {
    /// Returns whether the update is old news: the server is up and was up before.
    pub(super) fn knows(&self, update: &Update) -> bool {
        matches!(update, Update::Upstream { up: true, .. }) && self.upstream.up
    }

    pub(super) fn take(&mut self, update: &Update) {
        match update {
            Update::Run(facts) => {
                self.run = Some(facts.clone());
                self.pending = None;
            }
            Update::Agent(agent) => self.agent(agent),
            &Update::Acting { turn, actions } => {
                self.waiting = None;
                self.acting = Some(Acting { turn, actions });
            }
            &Update::Asking { turn, attempt, since } => self.asking(turn, attempt, since),
            // With several runs, only now is it known whose request was waited for.
            Update::Runs { .. } => self.waiting = None,
            &Update::Retry {
                turn,
                attempt,
                since,
                until,
                ..
            } => {
                self.acting = None;
                self.waiting = Some(Waiting {
                    turn: Some(turn),
                    attempt: attempt.saturating_add(1),
                    since,
                    until: Some(until),
                });
            }
            Update::Turn(summary) => {
                self.acting = self.acting.take().filter(|acting| acting.turn > summary.turn);
                self.pending = self.pending.take().filter(|pending| pending.turn > summary.turn);
                self.answered(Some(summary.turn));
            }
            Update::Verdict(judged) => self.judged(judged),
            Update::Upstream { up, detail } => {
                self.upstream = ServerState {
                    up: *up,
                    detail: detail.clone(),
                };
            }
            Update::Shown(_)
            | Update::Notice { .. }
            | Update::Answered { .. }
            | Update::Settings { .. }
            | Update::Resync => {}
        }
    }

    fn agent(&mut self, agent: &AgentState) {
        if matches!(agent.state, Doing::None | Doing::Restarting | Doing::Stopped) {
            self.waiting = None;
            self.acting = None;
            self.pending = None;
        }
        self.agent = agent.clone();
    }

    /// Notes that the model is asked. Agent and relay both report a request, but the relay knows nothing of attempts.
    fn asking(&mut self, turn: Option<u64>, attempt: u32, since: i64) {
        self.acting = None;
        let same = self.waiting.take().filter(|waiting| waiting.turn == turn);
        self.waiting = Some(match same {
            Some(waiting) if waiting.attempt >= attempt && waiting.until.is_none() => waiting,
            _ => Waiting {
                turn,
                attempt,
                since,
                until: None,
            },
        });
    }

    /// Notes an answer to `turn`. Whoever waits for it or for an earlier turn is done waiting.
    fn answered(&mut self, turn: Option<u64>) {
        let still = |waiting: &Waiting| matches!((waiting.turn, turn), (Some(waits), Some(turn)) if waits > turn);
        self.waiting = self.waiting.take().filter(still);
    }

    fn judged(&mut self, judged: &VerdictSummary) {
        if let Some(count) = self.verdicts.get_mut(judged.verdict.place()) {
            *count += 1;
        }
        if let (VerdictKind::Violation, Some(turn)) = (judged.verdict, judged.turn) {
            if self.violations.len() == VIOLATIONS {
                self.violations.remove(0);
            }
            self.violations.push(turn);
        }
        // A stranger's request is not the one being waited for.
        if judged.turn.is_some() {
            self.answered(judged.turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type TurnAndAttempt = Option<(u64, u32)>;

    fn asking(turn: u64, attempt: u32) -> Update {
        Update::Asking {
            turn: Some(turn),
            attempt,
            since: i64::from(attempt) * 10,
        }
    }

    fn verdict(turn: Option<u64>, verdict: VerdictKind) -> Update {
        Update::Verdict(Box::new(VerdictSummary {
            turn,
            agent: "run".to_owned(),
            verdict,
            why: None,
            position: None,
        }))
    }

    fn agent(state: Doing) -> Update {
        Update::Agent(AgentState {
            state,
            detail: String::new(),
            since: 1,
        })
    }

    fn after(updates: &[Update]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for update in updates {
            snapshot.take(update);
        }
        snapshot
    }

    #[test]
    fn waiting_ends_when_it_must() {
        let acting = Update::Acting { turn: 3, actions: 1 };
        let cases: [(&[Update], TurnAndAttempt); 10] = [
            (&[asking(3, 1)], Some((3, 1))),
            (&[asking(3, 1), asking(3, 1)], Some((3, 1))),
            (&[asking(3, 2), asking(3, 1)], Some((3, 2))),
            (&[asking(3, 1), verdict(Some(2), VerdictKind::Match)], Some((3, 1))),
            (&[asking(3, 1), verdict(Some(3), VerdictKind::Match)], None),
            (&[asking(3, 1), verdict(None, VerdictKind::Match)], Some((3, 1))),
            (&[asking(3, 1), acting], None),
            (&[asking(3, 1), agent(Doing::Stopped)], None),
            (&[asking(3, 1), agent(Doing::Restarting)], None),
            (&[asking(3, 1), agent(Doing::Paused)], Some((3, 1))),
        ];
        for (updates, expected) in cases {
            let waiting = after(updates).waiting;
            let waiting = waiting.map(|waiting| (waiting.turn.unwrap(), waiting.attempt));
            assert_eq!(waiting, expected, "{updates:?}");
        }
        assert_eq!(after(&[asking(3, 1), asking(3, 1)]).waiting.unwrap().since, 10);
        let retry = Update::Retry {
            turn: 3,
            attempt: 1,
            error: String::new(),
            since: 7,
            until: 99,
        };
        let waiting = after(&[asking(3, 1), retry.clone()]).waiting.unwrap();
        assert_eq!((waiting.attempt, waiting.since, waiting.until), (2, 7, Some(99)));
        let waiting = after(&[asking(3, 1), retry, asking(3, 2)]).waiting.unwrap();
        assert_eq!((waiting.attempt, waiting.until), (2, None));
    }

    #[test]
    fn verdicts_are_counted_and_violations_remembered() {
        let mut updates: Vec<Update> = (1..=1005)
            .map(|turn| verdict(Some(turn), VerdictKind::Violation))
            .collect();
        updates.push(verdict(Some(1006), VerdictKind::Match));
        let snapshot = after(&updates);
        assert_eq!(snapshot.verdicts[VerdictKind::Violation.place()], 1005);
        assert_eq!(snapshot.verdicts[VerdictKind::Match.place()], 1);
        assert_eq!((snapshot.violations.len(), snapshot.violations[0]), (1000, 6));
    }
}
