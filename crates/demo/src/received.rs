//! What was asked, kept for tests that want to look at the requests themselves.

use std::sync::{Mutex, PoisonError};

use hyper::HeaderMap;
use hyper::body::Bytes;

/// One request for a reply, as it came over the wire.
#[derive(Clone, Debug)]
pub struct Received {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, to the byte, also when it is no JSON.
    pub body: Bytes,
}

/// Requests in the order of their arrival. Grows with every one, so it is only kept when asked for.
#[derive(Debug, Default)]
pub(crate) struct Log(Mutex<Vec<Received>>);

impl Log {
    pub(crate) fn add(&self, received: Received) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(received);
    }

    pub(crate) fn all(&self) -> Vec<Received> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
