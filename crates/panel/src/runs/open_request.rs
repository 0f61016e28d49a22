//! Requests that are not answered yet, and where they are shown.

use super::{CONNECTIONS, Runs};
use crate::hub::{Hub, Snapshot};
use crate::lock::lock;

/// A request that is not answered yet.
#[derive(Clone)]
pub(super) struct OpenRequest {
    /// The number of its exchange.
    exchange: u64,
    /// The run that shows it; `None` if the panel shows it.
    run: Option<String>,
}

impl Runs {
    /// Shows that a request on this connection is being sent to the model. It is not known yet which run the request
    /// belongs to. The run that last used the connection shows it or, if there is none, the panel.
    pub(crate) fn asked(&self, connection: u64, exchange: u64) {
        let run = lock(&self.connections).get(&connection).cloned();
        let run = run.filter(|run| lock(&self.open).contains_key(run));
        let hub = self.hub_of(run.as_deref());
        let request = OpenRequest {
            exchange,
            run: run.clone(),
        };
        // The lock is held until the change is visible, so that changes happen in the order of the requests.
        let mut asking = lock(&self.asking);
        if asking.len() >= CONNECTIONS && !asking.contains_key(&connection) {
            asking.pop_first();
        }
        // The client has the response to its previous request, although that is not recorded yet, or never will be.
        let previous = asking
            .insert(connection, request)
            .filter(|previous| previous.run != run);
        if let Some(previous) = previous {
            self.hub_of(previous.run.as_deref()).change(Snapshot::end_unnamed_wait);
        }
        // The panel assigns a turn number only once it knows which run the request belongs to.
        hub.change(|snapshot| snapshot.asked(None, 1));
    }

    /// Shows that the request of this exchange is over, in the place where it was shown. If the connection has a later
    /// request, shows that one instead.
    pub(crate) fn answered(&self, connection: u64, exchange: u64) {
        let mut asking = lock(&self.asking);
        let Some(request) = asking.get(&connection).cloned() else {
            return;
        };
        let is_over = request.exchange <= exchange;
        if is_over {
            asking.remove(&connection);
        }
        self.hub_of(request.run.as_deref()).change(|snapshot| {
            if is_over {
                snapshot.end_unnamed_wait();
            } else if snapshot.waiting.is_none() {
                // The verdict on the earlier request has ended the wait.
                snapshot.asked(None, 1);
            }
        });
    }

    /// Returns the hub of this run or, if the run is not open or is `None`, of the panel.
    fn hub_of(&self, run: Option<&str>) -> Hub {
        let open = lock(&self.open);
        let view = run.and_then(|run| open.get(run));
        view.map_or(&self.hub, |view| &view.hub).clone()
    }
}
