//! The basis for comparing two runs: short hashes of the parts of each turn, and facts about the whole run.

use franz_json::{each_item, members};
use franz_record::digest::sha256_hex;
use franz_record::{ForkOrigin, Lock, RunEnd, StoredStory, Tokens, TurnLine};
use serde::Serialize;

use super::index::Known;
use super::{Extent, History, HistoryError};

/// How many hexadecimal digits of a hash to keep. Two different parts have the same digits once in 2^48 times.
const DIGITS: usize = 12;

/// A part of a run's turns, in ascending order, for a comparison with another run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// The run.
    pub run: TracedRun,
    /// The turns. Those whose lines cannot be parsed are left out.
    pub turns: Vec<TracedTurn>,
}

/// The run as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TracedRun {
    /// The name of its directory.
    pub name: String,
    /// The range of its turns.
    #[serde(flatten)]
    pub extent: Extent,
    /// The tokens of all turns.
    pub tokens: Tokens,
    /// The duration of all turns, in milliseconds.
    pub ms: f64,
    /// Whether an agent or a panel has the run open.
    pub live: bool,
    /// How the run ended; `None` if no end is recorded.
    pub end: Option<RunEnd>,
    /// Where the run was forked from, if it was.
    pub forked_from: Option<ForkOrigin>,
}

/// The parts of one turn. In two turns, equal hashes mean equal parts. They are in the order in which they happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TracedTurn {
    /// The turn.
    pub turn: u64,
    /// The actions of the previous reply with their outcomes.
    pub actions: String,
    /// The picture that the model saw, without marks if those show the time of day; empty if there was none.
    pub picture: String,
    /// The model, sampling, mode and goal of the request.
    pub settings: String,
    /// The story and feedback of the request.
    pub told: String,
    /// The reply with its calls, but not their IDs.
    pub reply: String,
}

impl History {
    /// Returns up to `limit` turns above `after`, and the facts about the run.
    pub fn trace(&self, after: u64, limit: usize) -> Result<Trace, HistoryError> {
        let index = self.up_to_date();
        let (extent, totals) = (index.extent(), index.totals());
        let above = index.marks(after).take(limit);
        let known: Vec<Known> = above.filter_map(|(turn, _)| index.known(turn)).collect();
        drop(index);

        let traced = known.iter().map(|known| Ok(self.traced(&Self::line(known)?)));
        let turns = traced.filter(|turn| !matches!(turn, Err(HistoryError::Unreadable { .. })));
        let run = TracedRun {
            name: self.name(),
            extent,
            tokens: totals.tokens,
            ms: totals.ms,
            live: Lock::is_held(&self.view),
            end: RunEnd::of(&self.view),
            forked_from: ForkOrigin::of(&self.view),
        };
        Ok(Trace {
            run,
            turns: turns.collect::<Result<_, HistoryError>>()?,
        })
    }

    fn traced(&self, line: &TurnLine) -> TracedTurn {
        let acted: Vec<_> = line
            .acted
            .iter()
            .map(|acted| (&acted.action, acted.outcome.name()))
            .collect();
        let story = match &line.story {
            StoredStory::Full(story) => &sha256_hex(story.raw().as_bytes()),
            StoredStory::PreviousReply { sha256 } => sha256,
        };
        let calls = line.tool_calls.as_ref().map(|calls| calls_without_ids(calls.get()));
        TracedTurn {
            turn: line.turn,
            actions: hash(&acted),
            picture: self.seen(line),
            settings: hash(&(&line.model, &line.sampling, &line.mode, &line.goal)),
            told: hash(&(story, &line.feedback)),
            reply: hash(&(line.status, &line.reply, calls)),
        }
    }

    fn seen(&self, line: &TurnLine) -> String {
        let Some(image) = &line.image else {
            return String::new();
        };
        let plain = line.clock.as_ref().and_then(|_| self.plain(line.turn));
        hash(&plain.as_ref().unwrap_or(&image.sha256))
    }
}

/// Returns the functions of a reply's calls, with their arguments.
fn calls_without_ids(calls: &str) -> Vec<String> {
    let mut functions = Vec::new();
    each_item(calls, |call| {
        let function = members(call.get(), ["function"]).and_then(|[function]| function);
        functions.push(function.unwrap_or(call).get().to_owned());
    });
    functions
}

/// Returns the beginning of the hash of a part's JSON.
fn hash(part: &impl Serialize) -> String {
    let mut digits = sha256_hex(&serde_json::to_vec(part).unwrap_or_default());
    digits.truncate(DIGITS);
    digits
}
