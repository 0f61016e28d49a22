//! The current state of a run. All events are combined into one state here and nowhere else.

use std::sync::Arc;

use franz_record::{Event, PersonQuestion, RunStarted, Status, Tokens, TurnLine};
use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::parts::{
    Acting, AgentState, Doing, FinalAnswer, FreshTurn, NewestRun, Notices, OtherRuns, RunFacts, ServerState,
    VerdictCounts, Waiting, now,
};
use crate::history::{Extent, Overview, Tally};
use crate::verdict::VerdictKind;

/// How many violations to remember by number.
const VIOLATIONS: usize = 1000;

/// The state after all events so far. In JSON, it is the part of `/api/state` that events patch.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Snapshot {
    /// The run; `None` before it begins.
    pub run: Option<RunFacts>,
    /// The agent.
    pub agent: AgentState,
    /// The request that is waiting for an answer.
    pub waiting: Option<Waiting>,
    /// How many requests are held back while the panel is paused.
    pub held: u64,
    /// The turn whose actions are being performed.
    pub acting: Option<Acting>,
    /// The question that is waiting for the person.
    pub question: Option<PersonQuestion>,
    /// Whether a person has taken the screen over.
    pub taken_over: bool,
    /// Everything known about the turn in progress. It is kept only in memory, and JSON contains just its number.
    #[serde(serialize_with = "number")]
    pub pending: Option<Arc<TurnLine>>,
    /// The turn that changed last.
    pub fresh: Option<FreshTurn>,
    /// The model's final answer.
    pub answer: Option<FinalAnswer>,
    /// The model server.
    pub upstream: ServerState,
    /// The range of recorded turns.
    pub turns: Extent,
    /// The tokens of all recorded turns.
    pub tokens: Tokens,
    /// The number of verdicts of each kind.
    pub verdicts: VerdictCounts,
    /// The newest turns whose story was changed. In JSON, they are the keys of an object, so that patches stay small.
    #[serde(serialize_with = "keys")]
    pub violations: Vec<u64>,
    /// The mode of the newest turn.
    pub mode: Option<String>,
    /// The goal of the newest turn, shortened. The turn itself contains the whole goal.
    pub goal: Option<String>,
    /// SHA-256 of `config.toml` after its last edit in the dashboard.
    pub config: Option<String>,
    /// The number of the panel's runs.
    pub runs: u64,
    /// The run that most recently recorded a turn.
    pub newest: Option<NewestRun>,
    /// The runs of other processes that are registered with the panel.
    pub others: OtherRuns,
    /// Notices for the person.
    pub notices: Notices,
    /// The newest turn to which the model server did not reply, and why.
    #[serde(skip)]
    pub trouble: Option<(u64, String)>,
    /// Whether the agent has paused by itself, because it needs the person.
    #[serde(skip)]
    needs_person: bool,
    #[serde(skip)]
    record: Overview,
    /// The mode and goal of the newest completed turn.
    #[serde(skip)]
    task: Task,
    /// The verdicts reported since the start, in case the disk does not accept all of them.
    #[serde(skip)]
    told: Tally,
}

#[derive(Debug, Clone, Default)]
struct Task {
    turn: u64,
    mode: Option<String>,
    goal: Option<String>,
}

impl Snapshot {
    /// Handles an event that our own agent has reported.
    pub fn event(&mut self, event: &Event) {
        match event {
            Event::RunStarted(run) => {
                self.begin(facts(run));
                self.answer = None;
                self.set_agent(Doing::Running, "");
            }
            &Event::Acting { turn, actions } => {
                self.waiting = None;
                self.acting = Some(Acting { turn, actions });
            }
            &Event::Asking { turn, attempt } => self.asked(Some(turn), attempt),
            // By the time this event arrives, the turn might already be over and recorded.
            Event::Shown(line) if line.turn > self.turns.last => {
                self.changed(line.turn);
                self.pending = Some(Arc::new((**line).clone()));
            }
            Event::Retry {
                turn,
                attempt,
                error,
                since,
                wait_s,
            } => {
                self.notice(format!("Turn {turn}, attempt {attempt} failed: {error}"));
                self.trouble = Some((*turn, error.clone()));
                self.acting = None;
                self.waiting = Some(Waiting {
                    turn: Some(*turn),
                    attempt: attempt.saturating_add(1),
                    since: since.parse().map_or_else(|_| now(), Timestamp::as_millisecond),
                    until: Some(now().saturating_add((wait_s * 1000.0) as i64)),
                });
            }
            Event::TurnDone(line) => {
                if line.status == Status::Failed {
                    let error = line.errors.last().cloned().unwrap_or_default();
                    self.trouble = Some((line.turn, error));
                }
                self.changed(line.turn);
                self.over(line.turn);
                self.answered(line.turn);
                self.task = Task::of(line);
            }
            Event::Answered { turn, text, success } => {
                self.answer = Some(FinalAnswer {
                    turn: *turn,
                    text: text.clone(),
                    success: *success,
                });
            }
            Event::Paused { turn, why } => {
                let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                let needs_person = !why.is_empty();
                self.set_agent(Doing::Paused, format!("in turn {turn}{why}"));
                self.needs_person = needs_person;
            }
            Event::Resumed { .. } => self.set_agent(Doing::Running, ""),
            Event::Waiting(question) => self.question = Some(question.clone()),
            Event::Decided { .. } => self.question = None,
            Event::TakenOver { turn } => {
                self.set_agent(Doing::Paused, format!("in turn {turn}: you have the screen"));
                self.question = None;
                self.taken_over = true;
            }
            Event::GivenBack { did, .. } => {
                self.taken_over = false;
                self.notice(format!("Message to the model: {did}"));
            }
            Event::Notice { text } => self.notice(text.clone()),
            Event::Shown(_)
            | Event::Acted { .. }
            | Event::Captured { .. }
            | Event::Live(_)
            | Event::Writing(_)
            | Event::RunEnded { .. } => {}
        }
    }

    /// Records that a run has begun or continues.
    pub fn begin(&mut self, facts: RunFacts) {
        self.run = Some(facts);
        self.pending = None;
    }

    /// Records that any program can ask the model at this address.
    pub fn expect_programs(&mut self, relay: &str) {
        if let Some(run) = &mut self.run {
            relay.clone_into(&mut run.relay);
        }
    }

    /// Sets what the agent is doing. `detail` describes it further.
    pub fn set_agent(&mut self, state: Doing, detail: impl Into<String>) {
        let detail = detail.into();
        let since = now();
        self.set_agent_state(AgentState { state, detail, since });
    }

    /// Returns whether the run waits for the person: for a decision, an answer or help.
    pub fn waits_for_person(&self) -> bool {
        self.question.is_some() || self.needs_person
    }

    fn set_agent_state(&mut self, agent: AgentState) {
        self.needs_person = false;
        if matches!(agent.state, Doing::None | Doing::Restarting | Doing::Stopped) {
            self.waiting = None;
            self.acting = None;
            self.question = None;
            self.taken_over = false;
            self.pending = None;
        }
        self.agent = agent;
    }

    /// Sets whether the model server can be reached and, if not, why.
    pub(crate) fn set_upstream(&mut self, up: bool, detail: impl Into<String>) {
        let detail = detail.into();
        self.upstream = ServerState { up, detail };
    }

    /// Records that a request is being sent to the model. Both the agent and the relay report each request, but the
    /// relay does not know which attempt it is.
    pub fn asked(&mut self, turn: Option<u64>, attempt: u32) {
        self.acting = None;
        let same = self.waiting.take().filter(|waiting| waiting.turn == turn);
        self.waiting = Some(match same {
            Some(waiting) if waiting.attempt >= attempt && waiting.until.is_none() => waiting,
            _ => Waiting {
                turn,
                attempt,
                since: now(),
                until: None,
            },
        });
    }

    /// Counts a verdict on a request. `turn` is `None` if a stranger sent the request.
    pub fn judged(&mut self, turn: Option<u64>, verdict: VerdictKind) {
        self.told.counts.count(verdict);
        // A stranger's request is never the one that the run is waiting for.
        if let Some(turn) = turn {
            self.changed(turn);
            // When the verdict on a failed attempt arrives, the agent might already be waiting for the next attempt.
            if self.waiting.as_ref().is_some_and(|waiting| waiting.until.is_none()) {
                self.answered(turn);
            }
        }
        if let (VerdictKind::Violation, Some(turn)) = (verdict, turn) {
            if self.told.violations.len() == VIOLATIONS {
                self.told.violations.remove(0);
            }
            self.told.violations.push(turn);
        }
        self.tally();
    }

    /// Adds a notice for the person.
    pub fn notice(&mut self, text: impl Into<String>) {
        self.notices.push(text.into());
    }

    /// Records that one of the panel's runs has recorded a turn.
    pub(crate) fn recorded(&mut self, runs: u64, newest: NewestRun) {
        self.runs = runs;
        self.newest = Some(newest);
    }

    /// Ends the wait for a request whose turn is not known.
    pub(crate) fn end_unnamed_wait(&mut self) {
        self.waiting = self.waiting.take().filter(|waiting| waiting.turn.is_some());
    }

    /// Copies what `panel` knows about all of its runs.
    pub(super) fn follow(&mut self, panel: &Snapshot) {
        if self.agent != panel.agent {
            self.set_agent_state(panel.agent.clone());
        }
        if let Some(newest) = panel
            .newest
            .as_ref()
            .filter(|&newest| self.newest.as_ref() != Some(newest))
        {
            self.recorded(panel.runs, newest.clone());
        }
        self.upstream.clone_from(&panel.upstream);
        self.others = panel.others;
        self.held = panel.held;
        if self.notices.count() != panel.notices.count() {
            self.notices.clone_from(&panel.notices);
        }
    }

    /// Updates the totals from the record. Also updates the last line, unless [`Snapshot::is_last`] says that it is
    /// already known.
    pub(super) fn read(&mut self, record: Overview, last: Option<&TurnLine>) {
        self.over(record.turns.last);
        self.turns = record.turns;
        self.tokens = record.tokens;
        self.record = record;
        self.tally();
        if let Some(line) = last {
            self.task = Task::of(line);
        }
    }

    /// Returns whether the mode and goal shown are those of this turn.
    pub(super) fn is_last(&self, turn: u64) -> bool {
        self.task.turn == turn
    }

    /// Shows the mode and goal of the turn in progress or, if there is none, of the last turn.
    pub(super) fn settle(&mut self) {
        let (mode, goal) = match &self.pending {
            Some(line) => (&line.mode, &line.goal),
            None => (&self.task.mode, &self.task.goal),
        };
        self.mode.clone_from(mode);
        self.goal.clone_from(goal);
    }

    fn changed(&mut self, turn: u64) {
        let fresh = self.fresh.get_or_insert_default();
        fresh.turn = turn;
        fresh.change += 1;
    }

    fn tally(&mut self) {
        let Tally { counts, violations } = self.record.verdicts_or(&self.told);
        (self.verdicts, self.violations) = (counts, violations);
    }

    /// Ends whatever belongs to `turn` or an earlier turn.
    fn over(&mut self, turn: u64) {
        self.acting = self.acting.take().filter(|acting| acting.turn > turn);
        self.pending = self.pending.take().filter(|pending| pending.turn > turn);
        let later = |waiting: &Waiting| waiting.turn.is_none_or(|waits| waits > turn);
        self.waiting = self.waiting.take().filter(later);
    }

    /// Records that `turn` was answered. Any wait for this turn or an earlier one is over.
    fn answered(&mut self, turn: u64) {
        let later = |waiting: &Waiting| waiting.turn.is_some_and(|waits| waits > turn);
        self.waiting = self.waiting.take().filter(later);
    }
}

impl Task {
    fn of(line: &TurnLine) -> Task {
        Task {
            turn: line.turn,
            mode: line.mode.clone(),
            goal: line.goal.clone(),
        }
    }
}

fn facts(run: &RunStarted) -> RunFacts {
    RunFacts {
        name: run.name.clone(),
        profile: run.profile.clone(),
        upstream: run.upstream.clone(),
        model: run.model.clone(),
        screen: run.screen.clone(),
        private: run.private,
        relay: String::new(),
    }
}

#[expect(clippy::ref_option, reason = "serde hands it over like this")]
fn number<S: Serializer>(pending: &Option<Arc<TurnLine>>, serializer: S) -> Result<S::Ok, S::Error> {
    pending.as_ref().map(|line| line.turn).serialize(serializer)
}

pub(super) fn keys<S: Serializer>(turns: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(turns.iter().map(|turn| (turn, true)))
}

#[cfg(test)]
mod tests;
