//! Activations: the numbers in shared memory by which nodes know whose turn it is.

use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::Ordering;

use super::memory::Words;

/// The numbers in an activation, by their positions.
const STATUS: usize = 0;
pub(super) const RESULT: usize = 8;
const PENDING: usize = 16;
const VERSION: usize = 544;

/// The values of its status.
const NOT_TRIGGERED: u32 = 0;
pub(super) const TRIGGERED: u32 = 1;
pub(super) const AWAKE: u32 = 2;
pub(super) const FINISHED: u32 = 3;

/// A node's activation, and the file that wakes it up.
pub(super) struct Peer {
    pub(super) wake: File,
    pub(super) activation: Words,
}

/// Changes the status of an activation; returns `false` if it is not the expected one.
pub(super) fn passes(activation: &Words, from: u32, to: u32) -> bool {
    activation.at(STATUS).is_some_and(|status| {
        status
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    })
}

impl Peer {
    /// Wakes the node up if it has waited only for this one.
    pub(super) fn trigger(&mut self) {
        let Some(pending) = self.activation.at(PENDING) else {
            return;
        };
        if pending.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        // Older versions have no status that forbids it.
        let is_checked = self
            .activation
            .at(VERSION)
            .is_some_and(|version| version.load(Ordering::Relaxed) > 0);
        let is_due = if is_checked {
            passes(&self.activation, NOT_TRIGGERED, TRIGGERED)
        } else {
            let status = self.activation.at(STATUS);
            status
                .map(|status| status.store(TRIGGERED, Ordering::Release))
                .is_some()
        };
        if is_due {
            // A node that has been woken up so often that its counter is full is awake.
            let _ = self.wake.write(&1u64.to_ne_bytes());
        }
    }
}
