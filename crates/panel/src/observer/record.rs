//! Reads our own agent's record. If a panel was killed, the record contains the last replies before that, which the
//! panel could no longer record itself.

use std::time::Duration;

use franz_home::View;
use franz_record::{Status, TurnLine, TurnLines};
use franz_relay::Exchange;
use jiff::Timestamp;

use crate::verify::Verifier;

/// How many turns to look back. The record is read only after the reply to a request has arrived, and more turns might
/// have been recorded in the meantime.
const RECENT: usize = 8;

/// How far a file's modification time can lag behind the actual time.
const TICK: Duration = Duration::from_millis(10);

/// The record of a run by our own agent.
pub(super) struct AgentRecord {
    view: View,
    /// When the previous panel last recorded anything; `None` if the system does not say.
    watched_until: Option<Timestamp>,
}

impl AgentRecord {
    /// Opens the record of the run in `view`, if an earlier panel watched that run.
    pub(super) fn of(view: &View) -> Option<AgentRecord> {
        let file = view.entry(Verifier::FILE).ok()?;
        let written = file.modified.and_then(|at| Timestamp::try_from(at + TICK).ok());
        Some(AgentRecord {
            view: view.clone(),
            watched_until: written,
        })
    }

    /// Tells the verifier which reply came before this request from our agent. The record is not read until now,
    /// because after its panel was killed, an agent can still record one last turn.
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

    /// Checks whether a turn began after the previous panel was gone. If the panel still saw the turn, it might have
    /// been repeated since.
    fn was_unwatched(&self, line: &TurnLine) -> bool {
        let began = line.started.parse::<Timestamp>().ok();
        self.watched_until
            .zip(began)
            .is_some_and(|(until, began)| began > until)
    }
}
