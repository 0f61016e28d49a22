//! Tracks clients that keep a place without being served: those that nobody has admitted yet, those that are refused,
//! and those that have stopped sending and might no longer be listening. They may wait only while there is room.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The clients that are waiting, oldest first. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaitingClients {
    waiting: Arc<Mutex<VecDeque<Arc<Notify>>>>,
}

/// A client that counts as waiting while this value lives.
#[derive(Debug)]
pub(crate) struct WaitingClient {
    all: WaitingClients,
    place: Arc<Notify>,
}

impl WaitingClients {
    /// Registers one more waiting client.
    pub(crate) fn enter(&self) -> WaitingClient {
        let place = Arc::new(Notify::new());
        self.lock().push_back(Arc::clone(&place));
        WaitingClient {
            all: self.clone(),
            place,
        }
    }

    /// Tells the client that has waited longest to make room. Returns `false` if no client is waiting.
    pub(crate) fn make_room(&self) -> bool {
        let oldest = self.lock().pop_front();
        oldest.inspect(|place| place.notify_one()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Notify>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until this client must make room. Waits for ever if it is `None`.
pub(crate) async fn over(client: Option<&WaitingClient>) {
    match client {
        Some(client) => client.place.notified().await,
        None => std::future::pending().await,
    }
}

impl Drop for WaitingClient {
    fn drop(&mut self) {
        self.all.lock().retain(|place| !Arc::ptr_eq(place, &self.place));
    }
}
