//! Tracks clients that have stopped sending and are waiting for their answer. There is no way to know whether they are
//! still listening, so they may wait only while there is room.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The clients that are waiting, oldest first.
#[derive(Debug, Default)]
pub(crate) struct HalfClosed {
    waiting: Mutex<VecDeque<Arc<Notify>>>,
}

/// A client that counts as waiting while this value lives.
#[derive(Debug)]
pub(crate) struct WaitingClient<'a> {
    all: &'a HalfClosed,
    place: Arc<Notify>,
}

impl HalfClosed {
    /// Registers one more waiting client.
    pub(crate) fn enter(&self) -> WaitingClient<'_> {
        let place = Arc::new(Notify::new());
        self.lock().push_back(Arc::clone(&place));
        WaitingClient { all: self, place }
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

impl WaitingClient<'_> {
    /// Waits until this client must make room.
    pub(crate) async fn over(&self) {
        self.place.notified().await;
    }
}

impl Drop for WaitingClient<'_> {
    fn drop(&mut self) {
        self.all.lock().retain(|place| !Arc::ptr_eq(place, &self.place));
    }
}
