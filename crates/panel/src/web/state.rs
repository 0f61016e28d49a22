//! The snapshot that a page starts with.

use jiff::Timestamp;
use serde::Serialize;

use super::answer::{HttpResponse, json};
use super::service::DashboardService;
use crate::history::{Extent, History};
use crate::hub::{Hub, Snapshot};

#[derive(Serialize)]
struct State {
    version: &'static str,
    port: u16,
    /// Milliseconds since 1970, for clients with a wrong clock.
    now: i64,
    last_event: LastEvent,
    live: bool,
    settings: bool,
    /// The name of the directory that is shown.
    name: String,
    /// The run below the panel that is shown, if any.
    shown: Option<String>,
    /// The part that events patch.
    #[serde(flatten)]
    snapshot: Snapshot,
}

/// The ID of an event, or 0 before the first event.
#[derive(Serialize)]
#[serde(untagged)]
enum LastEvent {
    None(u8),
    Id(String),
}

/// The state of a run that can only be viewed, for a page that has no panel.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct RecordedState(State);

impl RecordedState {
    /// Reads the recorded state.
    pub(crate) fn of(history: &History) -> RecordedState {
        let hub = Hub::default();
        hub.read(history);
        let (snapshot, _) = hub.snapshot();
        RecordedState(State {
            version: env!("CARGO_PKG_VERSION"),
            port: 0,
            now: Timestamp::now().as_millisecond(),
            last_event: LastEvent::None(0),
            live: false,
            settings: false,
            name: history.name(),
            shown: None,
            snapshot,
        })
    }

    /// Keeps only these turns.
    pub(crate) fn keep(&mut self, turns: &[u64]) {
        let (first, last) = (turns.first().copied(), turns.last().copied());
        self.0.snapshot.turns = Extent {
            first: first.unwrap_or_default(),
            last: last.unwrap_or_default(),
            count: turns.len() as u64,
        };
    }
}

impl DashboardService {
    pub(super) fn state(&self) -> HttpResponse {
        self.hub.read(&self.history);
        self.hub.change(|snapshot| snapshot.runs = self.runs.count());
        let (snapshot, last) = self.hub.snapshot();
        let state = State {
            version: env!("CARGO_PKG_VERSION"),
            port: self.guard.port(),
            now: Timestamp::now().as_millisecond(),
            last_event: last.map_or(LastEvent::None(0), LastEvent::Id),
            live: self.controls.live(),
            settings: self.controls.has_settings(),
            name: self.history.name(),
            shown: self.name.clone(),
            snapshot,
        };
        json(&state, &self.secret)
    }
}
