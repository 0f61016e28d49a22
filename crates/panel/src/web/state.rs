//! The snapshot that a page starts from.

use jiff::Timestamp;
use serde::Serialize;

use super::answer::{HttpResponse, json};
use super::route::DashboardService;
use crate::history::{Extent, Tally};
use crate::hub::{Acting, ServerState, Waiting};
use crate::update::{AgentState, RunFacts};

/// The most bytes of the goal, which is shown on one line. The whole of it is in the turn.
const GOAL: usize = 1000;

#[derive(Serialize)]
struct State {
    version: &'static str,
    port: u16,
    /// Milliseconds since 1970, for clients whose clock is off.
    now: i64,
    last_event: LastEvent,
    live: bool,
    settings: bool,
    /// How many runs the panel has below it, and which of them is shown.
    runs: u64,
    shown: Option<String>,
    run: Option<RunFacts>,
    agent: AgentState,
    waiting: Option<Waiting>,
    acting: Option<Acting>,
    pending: Option<u64>,
    upstream: ServerState,
    turns: Extent,
    violations: Vec<u64>,
    verdicts: Tally,
    mode: Option<String>,
    goal: Option<String>,
    tokens: franz_record::Tokens,
}

/// An id, or 0 before the first event.
#[derive(Serialize)]
#[serde(untagged)]
enum LastEvent {
    None(u8),
    Id(String),
}

impl DashboardService {
    pub(super) fn state(&self) -> HttpResponse {
        // The events come first: what happens from here on is sent again rather than missed.
        let (snapshot, last) = self.hub.snapshot();
        let turns = self.history.extent();
        let pending = snapshot.pending.filter(|pending| pending.turn > turns.last);
        let (mode, goal) = match (&pending, self.history.last_line()) {
            (Some(pending), _) => (pending.mode.clone(), pending.goal.clone()),
            (None, Some(line)) => (line.mode, line.goal),
            (None, None) => (None, None),
        };
        let verdicts = self.history.verdicts((snapshot.verdicts, &snapshot.violations));
        let state = State {
            version: env!("CARGO_PKG_VERSION"),
            port: self.guard.port(),
            now: Timestamp::now().as_millisecond(),
            last_event: last.map_or(LastEvent::None(0), LastEvent::Id),
            live: self.controls.live(),
            settings: self.controls.has_settings(),
            runs: self.runs.count(),
            shown: self.name.clone(),
            run: snapshot.run,
            agent: snapshot.agent,
            waiting: snapshot.waiting,
            acting: snapshot.acting,
            pending: pending.map(|pending| pending.turn),
            upstream: snapshot.upstream,
            turns,
            violations: verdicts.violations.clone(),
            verdicts,
            mode,
            goal: goal.map(|goal| self.shortened(&goal)),
            tokens: self.history.totals().tokens,
        };
        json(&state, &self.secret)
    }

    fn shortened(&self, goal: &str) -> String {
        let mut goal = self.secret.text(goal).into_owned();
        crate::hub::cut(&mut goal, GOAL);
        goal
    }
}
