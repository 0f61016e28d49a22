//! Hostile and generated blocks never use more work and memory than the limits allow, as counted by the account and, to
//! check the account, by the allocator and the processor.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]

mod generated;
mod hostile;
#[path = "../common/recorder.rs"]
mod recorder;

use std::sync::Mutex;

use franz_python::{Limits, Work};
use peak_alloc::PeakAlloc;
use recorder::{MOST_CALLS, Recorder};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Lets only one block run at a time, so that the measured memory is its own.
static ALONE: Mutex<()> = Mutex::new(());

/// The work and memory that wording an error may use beyond the limits.
const MESSAGE: Work = Work {
    steps: 4096,
    bytes: 256 << 10,
};

/// The memory that a block uses besides its values: for the parsed source, the calls, and the feedback.
const BESIDE: usize = 24 << 20;

/// The processor time, in seconds, after which a watchdog would end the reading thread.
const WATCHDOG: f64 = 5.0;

/// Runs a block, checks its work against the limits, and returns the feedback on it.
fn bounded(limits: Limits, source: &str) -> String {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (before, begun) = (MEMORY.current_usage(), processor_time());
    MEMORY.reset_peak_usage();
    let (_, ran, told) = Recorder::run(limits, MOST_CALLS, source);
    let (peak, took) = (MEMORY.peak_usage() - before, processor_time() - begun);
    let work = ran.work;
    assert!(work.steps <= limits.steps + MESSAGE.steps, "{source}\n{work:?}");
    assert!(work.bytes <= limits.bytes + MESSAGE.bytes, "{source}\n{work:?}");
    // Growing data can exist three times while it moves, and each step can note a few bytes.
    assert!(
        peak <= 4 * work.bytes + BESIDE,
        "{source}\n{work:?}, but {peak} bytes\n{told}"
    );
    assert!(took < WATCHDOG, "{source}\n{work:?}, but {took} s\n{told}");
    assert!(!told.contains("SystemError"), "{source}\n{told}");
    told
}

/// Returns the processor time of this thread in seconds, or 0 if the system does not count it.
fn processor_time() -> f64 {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = counted.split(' ').next().and_then(|time| time.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}
