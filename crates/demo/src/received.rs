//! Stores received requests for tests that examine them.

use std::sync::{Mutex, PoisonError};

use hyper::HeaderMap;
use hyper::body::Bytes;

/// One request for a reply, as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    /// The headers.
    pub headers: HeaderMap,
    /// The body, byte for byte, even if it is not JSON.
    pub body: Bytes,
}

/// The requests in the order of their arrival. The log grows with every request, so it is kept only on demand.
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
