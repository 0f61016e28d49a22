//! The only place where a reply is read into a plan.
//!
//! The budgets of the protocols bound the cost of reading. If they fail, the watchdog ends the process. Records made
//! before and after reading tell the next process which reply was being read, so that it does not read that reply
//! again.

pub(crate) mod watchdog;

use std::time::Duration;

use franz_dialect::{Plan, Protocol, ReplyText};
use franz_json::{Raw, Story};
use franz_record::digest::sha256_hex;
use franz_record::{ReadAs, RunState, TurnLine};

use crate::config::settings::Settings;
use crate::idiom::Idiom;

/// The notice for a model whose last reply is not read again.
pub(crate) const SKIPPED: &str =
    "your last reply could not be read, so none of it was performed. Write a shorter, simpler reply.";

/// The lowest allowed limit on processor time.
const SHORTEST: Duration = Duration::from_secs(5);

/// A reply in the form that the records use.
#[derive(Clone, Copy)]
pub(crate) struct RecordedReply<'a> {
    turn: u64,
    content: Option<&'a Story>,
    tool_calls: Option<&'a Raw>,
    cut: bool,
    /// How to read it.
    pub(crate) read_as: Option<&'a ReadAs>,
}

impl<'a> RecordedReply<'a> {
    /// Returns the last reply of a run.
    pub(crate) fn of(state: &'a RunState) -> RecordedReply<'a> {
        RecordedReply {
            turn: state.turn,
            content: Some(&state.story),
            tool_calls: state.tool_calls.as_ref(),
            cut: state.cut,
            read_as: state.read_as.as_ref(),
        }
    }

    /// Returns a turn's reply.
    pub(crate) fn in_turn(line: &'a TurnLine) -> RecordedReply<'a> {
        RecordedReply {
            turn: line.turn,
            content: line.reply.as_ref(),
            tool_calls: line.tool_calls.as_ref(),
            cut: line.cut,
            read_as: line.read_as.as_ref(),
        }
    }

    /// Returns the hash that identifies the reply. It covers the turn's number, because a model can give the same
    /// answer twice, and these must count as two replies. A reply without content counts as one with empty content, as
    /// in the state.
    pub(crate) fn hash(&self) -> String {
        let turn = self.turn.to_string();
        let content = self.content.map_or("\"\"", Story::raw);
        let tool_calls = self.tool_calls.map_or("", Raw::get);
        sha256_hex(&[turn.as_bytes(), b"\n", content.as_bytes(), b"\n", tool_calls.as_bytes()].concat())
    }
}

/// Reads replies.
pub(crate) struct Reader<'a> {
    settings: &'a Settings,
    idiom: &'a Idiom,
    /// How much processor time reading may take before the process is ended.
    most: Duration,
    /// The hashes of replies whose reading never finished.
    unreadable: &'a [String],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(settings: &'a Settings, idiom: &'a Idiom, unreadable: &'a [String]) -> Reader<'a> {
        let block = settings.protocol.limits.seconds;
        Reader {
            settings,
            idiom,
            most: Duration::try_from_secs_f64(2.0 * block).map_or(SHORTEST, |most| most.max(SHORTEST)),
            unreadable,
        }
    }

    /// Returns the protocol for a reply: the one that the model was asked to use.
    fn protocol(&self, read_as: Option<&ReadAs>) -> Box<dyn Protocol> {
        self.idiom.of(read_as).protocol(self.settings)
    }

    /// Reads a reply. Calls `mark` before and, with `true`, after reading, so that the reply's hash is saved. A reply
    /// whose earlier reading never finished is read as an empty one.
    pub(crate) fn read<E>(
        &self,
        reply: RecordedReply<'_>,
        mut mark: impl FnMut(&str, bool) -> Result<(), E>,
    ) -> Result<Plan, E> {
        let hash = reply.hash();
        let protocol = self.protocol(reply.read_as);
        if self.unreadable.contains(&hash) {
            let mut plan = protocol.read(&ReplyText::default());
            plan.notices.insert(0, SKIPPED.to_owned());
            return Ok(plan);
        }
        mark(&hash, false)?;
        let text = reply.content.map(Story::text).unwrap_or_default();
        let plan = {
            let _watched = watchdog::watch(self.most);
            hang_on(&text);
            protocol.read(&ReplyText {
                text: &text,
                tool_calls: reply.tool_calls.map(Raw::get),
                cut: reply.cut,
            })
        };
        mark(&hash, true)?;
        Ok(plan)
    }
}

/// Variables that only test builds read and pass to their agents. Reading never ends if the reply contains the value of
/// one of them.
pub(crate) const TEST_VARIABLES: &[&str] = if cfg!(debug_assertions) {
    &["READER_HANGS_ON"]
} else {
    &[]
};

/// Never returns if a test has chosen this reply, so that the watchdog has to act.
fn hang_on(text: &str) {
    let mut words = TEST_VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
    if words.any(|words| text.contains(&words)) {
        loop {
            std::hint::spin_loop();
        }
    }
}
