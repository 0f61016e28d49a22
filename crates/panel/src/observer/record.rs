//! Reads the record of our own agent: the replies just before a panel was killed, which that panel could no longer
//! write down.

use std::time::Duration;

use franz_home::View;
use franz_record::{Status, TurnLine, TurnLines};
use franz_relay::Exchange;
use jiff::Timestamp;

use crate::verify::Verifier;

/// How many turns might have been recorded since the request in question, which is looked up once its reply has
/// arrived.
const RECENT: usize = 8;

/// How much too early the system can date a file's modification.
const TICK: Duration = Duration::from_millis(10);

/// The record of a run.
pub(super) struct AgentRecord {
    view: View,
    /// When the previous panel last saw something; `None` if the system does not say.
    watched_until: Option<Timestamp>,
}

impl AgentRecord {
    /// Opens the record of the run in `view`, if an earlier panel has watched it.
    pub(super) fn of(view: &View) -> Option<AgentRecord> {
        let file = view.entry(Verifier::FILE).ok()?;
        let written = file.modified.and_then(|at| Timestamp::try_from(at + TICK).ok());
        Some(AgentRecord {
            view: view.clone(),
            watched_until: written,
        })
    }

    /// Tells the verifier the reply before this request of our agent. It is read only now, because an agent whose panel
    /// was killed can still record one last turn.
    pub(super) fn catch_up(&self, verifier: &mut Verifier, run: &str, exchange: &Exchange) {
        let turn = exchange.request.header("x-franz-turn");
        let Some(turn) = turn.and_then(|turn| turn.parse::<u64>().ok()) else {
            return;
        };
        let Ok((lines, _)) = TurnLines::newest(&self.view, RECENT) else {
            return;
        };
        let before = lines
            .iter()
            .rev()
            .find(|line| line.turn < turn && line.status == Status::Ok);
        let Some(line) = before else { return };
        if let Some(story) = &line.reply {
            verifier.catch_up(run, line.turn, story.clone(), self.was_unwatched(line));
        }
    }

    /// Checks whether a turn began after the previous panel was gone. A turn that the panel saw might have been
    /// repeated.
    fn was_unwatched(&self, line: &TurnLine) -> bool {
        let began = line.started.parse::<Timestamp>().ok();
        self.watched_until
            .zip(began)
            .is_some_and(|(until, began)| began > until)
    }
}
