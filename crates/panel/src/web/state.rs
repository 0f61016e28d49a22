//! The snapshot that a page starts from.

use jiff::Timestamp;
use serde::Serialize;

use super::answer::{HttpResponse, json};
use super::route::DashboardService;
use crate::hub::Snapshot;

#[derive(Serialize)]
struct State {
    version: &'static str,
    port: u16,
    /// Milliseconds since 1970, for clients whose clock is off.
    now: i64,
    last_event: LastEvent,
    live: bool,
    settings: bool,
    /// The name of the directory that is shown.
    name: String,
    /// Which of the runs below the panel is shown.
    shown: Option<String>,
    /// What events patch.
    #[serde(flatten)]
    snapshot: Snapshot,
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
