//! Tells the hub what a relay is doing.

use std::sync::Arc;

use franz_relay::Watcher;

use crate::hub::Hub;
use crate::runs::Runs;

/// Watches the relays of a panel.
#[derive(Debug)]
pub struct RelayWatcher {
    hub: Hub,
    runs: Option<Arc<Runs>>,
}

impl RelayWatcher {
    /// Creates a watcher that tells `hub` whether the server can be reached. It reports a request only if the request
    /// might belong to one of `runs`, because our own agent reports its own requests.
    pub fn new(hub: Hub, runs: Option<Arc<Runs>>) -> RelayWatcher {
        RelayWatcher { hub, runs }
    }
}

impl Watcher for RelayWatcher {
    fn connected(&self) {
        self.hub.change(|snapshot| snapshot.set_upstream(true, ""));
    }

    fn asked(&self, connection: u64, exchange: u64) {
        if let Some(runs) = &self.runs {
            runs.asked(connection, exchange);
        }
    }

    fn held(&self, is_held: bool) {
        self.hub.change(|snapshot| {
            snapshot.held = if is_held {
                snapshot.held + 1
            } else {
                snapshot.held.saturating_sub(1)
            };
        });
    }
}

#[cfg(test)]
mod tests {
    use franz_home::Home;
    use franz_secret::Secret;

    use super::*;

    #[test]
    fn the_server_is_always_reported_but_only_foreign_requests_are() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        for foreign in [false, true] {
            let hub = Hub::default();
            let runs = foreign.then(|| Arc::new(Runs::below(&home, hub.clone(), Secret::default())));
            let watcher = RelayWatcher::new(hub.clone(), runs);
            hub.change(|snapshot| snapshot.set_upstream(false, "refused"));
            watcher.connected();
            watcher.asked(1, 1);
            let (snapshot, _) = hub.snapshot();
            assert!(snapshot.upstream.up);
            let waiting = snapshot.waiting.map(|waiting| (waiting.turn, waiting.attempt));
            assert_eq!(waiting, foreign.then_some((None, 1)));
        }
    }
}
