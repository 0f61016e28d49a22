//! What our own agent has recorded: the replies that came just before a panel was killed, which that one could not write down any more.

use std::path::{Path, PathBuf};

use franz_chat::Story;
use franz_record::{Raw, Status, TurnLines};

use crate::exchange::Exchange;
use crate::verify::Verifier;

/// Turns that may have been recorded since the request whose turn is looked for: it is looked for when its reply is there.
const RECENT: usize = 8;

/// The record of a run.
pub(super) struct Record {
    directory: PathBuf,
}

impl Record {
    /// That of the run in `directory`, where an earlier panel has watched it.
    pub(super) fn of(directory: &Path) -> Option<Record> {
        directory.join(Verifier::FILE).exists().then(|| Record {
            directory: directory.to_owned(),
        })
    }

    /// Lets the verifier know the reply before this request of our agent. It is read only now, because an agent whose panel was killed may record a last
    /// turn.
    pub(super) fn catch_up(&self, verifier: &mut Verifier, run: &str, exchange: &Exchange) {
        let turn = exchange.request.header("x-franz-turn");
        let Some(turn) = turn.and_then(|turn| turn.parse::<u64>().ok()) else {
            return;
        };
        let Ok((lines, _)) = TurnLines::newest(&self.directory, RECENT) else {
            return;
        };
        let before = lines
            .iter()
            .rev()
            .find(|line| line.turn < turn && line.status == Status::Ok);
        let reply = before.and_then(|line| Some((line.turn, line.reply.as_ref().map(Raw::get)?)));
        if let Some((turn, story)) = reply.and_then(|(turn, raw)| Some((turn, Story::from_raw(raw)?))) {
            verifier.catch_up(run, turn, story);
        }
    }
}
