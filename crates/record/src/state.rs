//! The state of a run between two steps, which contains everything needed to continue after a crash.

use franz_json::{Raw, Story, lossy};
use serde::{Deserialize, Serialize};

use crate::acted::{Acted, Found, lenient};
use crate::answering_model::AnsweringModel;
use crate::decided::RecordedDecision;
use crate::messages::LONGEST_MESSAGE;
use crate::read_as::ReadAs;
use crate::tokens::Tokens;
use crate::told_element::{ToldElement, without_elements};
use crate::turn::{Status, TurnLine, is_false};

/// The file that holds the [`RunState`].
pub const STATE_FILE: &str = "state.json";

/// How many hashes to keep of replies that must not be read again. A conversation keeps fewer replies than that.
const MOST_UNREADABLE: usize = 100;

/// How many tasks, and how many messages, to keep.
const MOST_TASKS: usize = 100;

/// The run and turn from which a run was forked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOrigin {
    /// The name of the run.
    pub run: String,
    /// The turn whose request the forked run sends first.
    pub turn: u64,
}

/// A task or a message in the person's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenTask {
    /// The turn in which the model got the words.
    pub turn: u64,
    /// The person's words.
    #[serde(deserialize_with = "lossy::string")]
    pub text: String,
}

/// The contents of `state.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// Version of this format, [`RunState::VERSION`].
    #[serde(default)]
    pub v: u32,
    /// The run's name.
    #[serde(default, deserialize_with = "lossy::string")]
    pub run: String,
    /// The run from which this one was forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkOrigin>,
    /// The last completed turn, 0 before the first.
    pub turn: u64,
    /// The current mode; `None` in profiles without modes.
    #[serde(default, deserialize_with = "lossy::option")]
    pub mode: Option<String>,
    /// The current goal, which the model might have rewritten.
    #[serde(default, deserialize_with = "lossy::option")]
    pub goal: Option<String>,
    /// The tasks that the person has given, each with the turn in which the model got it. The first is the task with
    /// which the run began. If there are too many, those right after the first are dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<GivenTask>,
    /// The turn in which the model reported the person's last task done; `None` if it has not, or has taken it up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_done: Option<u64>,
    /// The person's messages during the run, each with the turn in which the model got it. If there are too many, only
    /// the newest are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<GivenTask>,
    /// How many bytes of [`messages.jsonl`](crate::messages) the model has received.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub heard: u64,
    /// The goal in the configuration file when it was last read. If that goal changes, it replaces `goal`.
    #[serde(default, deserialize_with = "lossy::option")]
    pub file_goal: Option<String>,
    /// The story that the next request sends.
    pub story: Story,
    /// The tool calls of the reply whose content is `story`, as the server wrote them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Raw>,
    /// Whether the reply whose content is `story` reached the token limit.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
    /// How to read that reply; `None` for FRANZ's own forms, with coordinates in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<ReadAs>,
    /// The model that gave that reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<AnsweringModel>,
    /// The hashes of the replies that were never read to the end. They are not read again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// Identifies the picture that the model was last shown, not counting marks. `None` if it was not shown any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<u32>,
    /// The elements that the model got with the picture that its last reply answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<ToldElement>,
    /// Whether the model was told that nothing has changed, and that is still true.
    #[serde(default, skip_serializing_if = "is_false")]
    pub told_unchanged: bool,
    /// Whether a person has taken the screen over and the model has yet to be told.
    #[serde(default, skip_serializing_if = "is_false")]
    pub taken_over: bool,
    /// How many earlier takeovers the next turn's feedback told of when the last one began.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub told_takeovers: u64,
    /// The tokens that the run has used so far.
    #[serde(default)]
    pub tokens: Tokens,
    /// The last action that was performed.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    pub last_action: Option<String>,
    /// The next turn's progress. During the turn's actions, the data written by [`crate::Run::keep_phase`] is newer
    /// than this file.
    #[serde(default)]
    pub phase: Phase,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over like this")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl RunState {
    /// The current version of the format.
    pub const VERSION: u32 = 1;

    /// Creates the state of the run named `run` before its first turn.
    pub fn new(run: impl Into<String>) -> Self {
        Self {
            v: Self::VERSION,
            run: run.into(),
            forked_from: None,
            turn: 0,
            mode: None,
            goal: None,
            tasks: Vec::new(),
            reported_done: None,
            messages: Vec::new(),
            heard: 0,
            file_goal: None,
            story: Story::empty(),
            tool_calls: None,
            cut: false,
            read_as: None,
            answered_by: None,
            unreadable: Vec::new(),
            seen: None,
            elements: Vec::new(),
            told_unchanged: false,
            taken_over: false,
            told_takeovers: 0,
            tokens: Tokens::default(),
            last_action: None,
            phase: Phase::Ready,
        }
    }

    /// Records a new task that the person gave in this turn.
    pub fn give_task(&mut self, turn: u64, text: String) {
        self.reported_done = None;
        // If a turn is interrupted before it is recorded, the same task is recorded again.
        if let Some(again) = self.tasks.last_mut().filter(|task| task.turn == turn) {
            again.text = text;
            return;
        }
        if self.tasks.len() == MOST_TASKS {
            self.tasks.remove(1);
        }
        self.tasks.push(GivenTask { turn, text });
    }

    /// Records a message from the person that the model gets in this turn. If there are too many, the oldest are
    /// dropped, because a conversation repeats all of them.
    pub fn give_message(&mut self, turn: u64, text: String) {
        self.messages.push(GivenTask { turn, text });
        let bytes = |messages: &[GivenTask]| messages.iter().map(|said| said.text.len()).sum::<usize>();
        while self.messages.len() > 1 && (self.messages.len() > MOST_TASKS || bytes(&self.messages) > LONGEST_MESSAGE) {
            self.messages.remove(0);
        }
    }

    /// Records that the reply with this hash must not be read again.
    pub fn skip(&mut self, reply: String) {
        if !self.unreadable.contains(&reply) {
            let surplus = (self.unreadable.len() + 1).saturating_sub(MOST_UNREADABLE);
            self.unreadable.drain(..surplus);
            self.unreadable.push(reply);
        }
    }

    /// Advances to the end of the turn in `line`. Mode and goal do not change here, because only the reply's protocol
    /// can read them.
    ///
    /// After a failed turn, the phase stays [`Phase::Acted`]: the model did not see the feedback, so it is sent again,
    /// and no action is repeated.
    pub fn completed(&mut self, line: &TurnLine) {
        self.turn = line.turn;
        if let Some(done) = line.acted.iter().rfind(|acted| acted.outcome.is_done()) {
            self.last_action = Some(done.action.clone());
        }
        self.take_reply(line);
        self.tokens.add(Tokens::of(line));
        match (line.status, &self.phase) {
            (Status::Ok, _) => self.phase = Phase::Ready,
            (Status::Failed, Phase::Acted { .. }) => {}
            (Status::Failed, _) => {
                self.phase = Phase::Acted {
                    turn: line.turn,
                    outcomes: line.acted.clone(),
                    feedback: without_elements(&line.feedback).to_owned(),
                }
            }
        }
    }

    /// Stores the content of the reply in `line`, if it has any. A reply that consists only of tool calls has none.
    pub(crate) fn take_reply(&mut self, line: &TurnLine) {
        if line.status == Status::Ok {
            self.story = line.reply.clone().unwrap_or_default();
            self.tool_calls.clone_from(&line.tool_calls);
            self.cut = line.cut;
            self.read_as.clone_from(&line.read_as);
            self.elements.clone_from(&line.elements);
        }
    }
}

/// A turn's progress through the last reply's actions. Recorded before each step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// No action has begun.
    #[default]
    Ready,
    /// The actions are being performed. After a crash, some of them might already have been performed.
    Acting {
        /// The turn whose actions are performed.
        turn: u64,
        /// How many actions might have sent their first input event.
        started: usize,
        /// How many actions the reply has.
        total: usize,
        /// The outcomes of the actions before the one that started last.
        #[serde(default)]
        outcomes: Vec<Acted>,
        /// The grounder's answer for the target of the action that started last.
        #[serde(
            default,
            deserialize_with = "Found::lenient",
            skip_serializing_if = "Option::is_none"
        )]
        found: Option<Found>,
        /// The person's decision about the action that started last.
        #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
        decided: Option<Box<RecordedDecision>>,
        /// Whether the next action, which has not started yet, is waiting for the person.
        #[serde(default, skip_serializing_if = "is_false")]
        waits: bool,
    },
    /// The actions are finished, but the model has not yet answered the feedback about them.
    Acted {
        /// The turn whose actions were performed.
        turn: u64,
        /// The outcome of each action.
        outcomes: Vec<Acted>,
        /// The feedback for the model, sent again after a crash.
        #[serde(deserialize_with = "lossy::string")]
        feedback: String,
    },
}

impl Phase {
    /// Returns the turn whose actions are or were performed.
    pub fn turn(&self) -> Option<u64> {
        match self {
            Phase::Ready => None,
            Phase::Acting { turn, .. } | Phase::Acted { turn, .. } => Some(*turn),
        }
    }

    /// Returns the known outcomes.
    pub fn outcomes(&self) -> &[Acted] {
        match self {
            Phase::Ready => &[],
            Phase::Acting { outcomes, .. } | Phase::Acted { outcomes, .. } => outcomes,
        }
    }

    /// Turns the phase into its known outcomes.
    pub fn into_outcomes(self) -> Vec<Acted> {
        match self {
            Phase::Ready => Vec::new(),
            Phase::Acting { outcomes, .. } | Phase::Acted { outcomes, .. } => outcomes,
        }
    }
}

#[cfg(test)]
mod tests;
