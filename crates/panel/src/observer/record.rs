//! What our own agent has recorded: the replies that came just before a panel was killed, which that one could not write down any more.

use std::time::Duration;

use franz_home::View;
use franz_record::{Status, TurnLine, TurnLines};
use franz_relay::Exchange;
use jiff::Timestamp;

use crate::verify::Verifier;

/// Turns that may have been recorded since the request whose turn is looked for: it is looked for when its reply is there.
const RECENT: usize = 8;

/// How much too early the system may say that a file was written.
const TICK: Duration = Duration::from_millis(10);

/// The record of a run.
pub(super) struct AgentRecord {
    view: View,
    /// When the panel before this one last saw something; `None` where the system does not tell.
    watched_until: Option<Timestamp>,
}

impl AgentRecord {
    /// That of the run in `view`, where an earlier panel has watched it.
    pub(super) fn of(view: &View) -> Option<AgentRecord> {
        let file = view.entry(Verifier::FILE).ok()?;
        let written = file.modified.and_then(|at| Timestamp::try_from(at + TICK).ok());
        Some(AgentRecord {
            view: view.clone(),
            watched_until: written,
        })
    }

    /// Lets the verifier know the reply before this request of our agent. It is read only now, because an agent whose panel was killed may record a last
    /// turn.
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

    /// Whether a turn began when the panel before this one was gone: a turn that it saw may have been done again.
    fn was_unwatched(&self, line: &TurnLine) -> bool {
        let began = line.started.parse::<Timestamp>().ok();
        self.watched_until
            .zip(began)
            .is_some_and(|(until, began)| began > until)
    }
}
