//! A listener of the hub, which reads at its own pace.

use std::sync::Arc;

use tokio::sync::watch;

use super::Hub;

/// The most events handed over at a time.
const AT_A_TIME: usize = 32;

/// Says that events are missing, so that the client fetches the state again.
pub(super) const RESYNC: &str = r#"{"type":"resync"}"#;

/// Follows the hub. Events not taken yet wait in the hub's ring, so a listener who lags delays nobody and costs
/// nothing.
#[derive(Debug)]
pub struct Subscription {
    hub: Hub,
    changed: watch::Receiver<u64>,
    /// The number of the last event taken.
    after: u64,
    /// Whether events were missed, which must be reported first.
    missed: bool,
}

/// An event as listeners receive it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubEvent {
    /// Identifies it, for clients that come back.
    pub id: String,
    /// A JSON merge patch of the state.
    pub json: Arc<str>,
}

impl Subscription {
    pub(super) fn new(hub: Hub, changed: watch::Receiver<u64>, after: u64, missed: bool) -> Self {
        Self {
            hub,
            changed,
            after,
            missed,
        }
    }

    /// Returns the id of the event after which this listener continues.
    pub fn id(&self) -> String {
        self.hub.id(self.after)
    }

    /// Returns the next events in order, at least one. The future can be dropped while it waits without losing any.
    pub async fn next(&mut self) -> Vec<HubEvent> {
        loop {
            // Marked as seen before looking, so that nothing is missed in between.
            self.changed.borrow_and_update();
            let told = self.take();
            if !told.is_empty() {
                return told;
            }
            if self.changed.changed().await.is_err() {
                // The hub is held here, so its sender is alive. Without it there would be nothing to wait for.
                std::future::pending::<()>().await;
            }
        }
    }

    pub(super) fn take(&mut self) -> Vec<HubEvent> {
        let known = self.hub.known();
        let behind = known.ring.behind(self.after, AT_A_TIME).filter(|_| !self.missed);
        let Some(events) = behind else {
            self.after = known.ring.newest();
            self.missed = false;
            return vec![HubEvent {
                id: self.hub.id(self.after),
                json: RESYNC.into(),
            }];
        };
        if let Some(&(newest, _)) = events.last() {
            self.after = newest;
        }
        let told = events.into_iter().map(|(number, json)| HubEvent {
            id: self.hub.id(number),
            json,
        });
        told.collect()
    }
}
