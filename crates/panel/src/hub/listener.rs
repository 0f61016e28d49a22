//! One who listens to the hub, at a pace of its own.

use std::sync::Arc;

use tokio::sync::watch;

use super::Hub;

/// Events that are handed over at a time.
const AT_A_TIME: usize = 32;

const RESYNC: &str = r#"{"type":"resync"}"#;

/// Follows the hub. What it has not taken waits in the hub's ring, so one who lags holds up nobody and costs nothing.
#[derive(Debug)]
pub struct Subscription {
    hub: Hub,
    changed: watch::Receiver<u64>,
    /// The number of the last event that was taken.
    after: u64,
    /// Whether events were missed, which is to be said first.
    missed: bool,
}

/// An event as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubEvent {
    /// Names it, for those who come back.
    pub id: String,
    /// The update as JSON.
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

    /// The id behind which it listens.
    pub fn id(&self) -> String {
        self.hub.id(self.after)
    }

    /// The next events, at least one, in their order. It may be dropped while it waits without losing any.
    pub async fn next(&mut self) -> Vec<HubEvent> {
        loop {
            // Marked as seen before it is looked at, so nothing can come in between.
            self.changed.borrow_and_update();
            let told = self.take();
            if !told.is_empty() {
                return told;
            }
            if self.changed.changed().await.is_err() {
                // The hub is held here, so its sender lives; were it gone, there would be nothing to wait for.
                std::future::pending::<()>().await;
            }
        }
    }

    fn take(&mut self) -> Vec<HubEvent> {
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
