//! A listener to the hub, which reads events at its own pace.

use std::sync::Arc;

use tokio::sync::watch;

use super::Hub;

/// The maximum number of events to return at a time.
const AT_A_TIME: usize = 32;

/// The ID of no event. A client that continues from there misses events.
const UNKNOWN: &str = "-";

/// Tells the client that events are missing, so that it fetches the state again.
pub(super) const RESYNC: &str = r#"{"type":"resync"}"#;

/// A subscription to the hub's events. Events that it has not read yet stay in the hub's ring, so a slow listener
/// neither delays others nor takes up memory.
#[derive(Debug)]
pub struct Subscription {
    hub: Hub,
    changed: watch::Receiver<u64>,
    /// The number of the last event that was read.
    after: u64,
    /// Whether events were missed. If so, that must be reported first.
    missed: bool,
}

/// An event as sent to listeners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubEvent {
    /// The event's ID, for clients that reconnect.
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

    /// Returns the ID of the event after which this listener continues. If it missed events and has not been told, returns
    /// an ID that no event has, so that a client that leaves now is told when it returns.
    pub fn id(&self) -> String {
        if self.missed {
            UNKNOWN.to_owned()
        } else {
            self.hub.id(self.after)
        }
    }

    /// Returns the next events in order, at least one. No events are lost if the future is dropped while it is waiting.
    pub async fn next(&mut self) -> Vec<HubEvent> {
        loop {
            // Mark the current number as seen before looking for events, so that none is missed in between.
            self.changed.borrow_and_update();
            let told = self.take();
            if !told.is_empty() {
                return told;
            }
            if self.changed.changed().await.is_err() {
                // This listener keeps the hub alive, and with it the sender. If there were no sender, there would be
                // nothing to wait for.
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
