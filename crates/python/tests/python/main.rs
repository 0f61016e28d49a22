//! The interpreter, tested from the outside: what blocks do, how they fail, and that nothing they do breaks anything.

mod charges;
mod limits;
mod recorded;
#[path = "../common/recorder.rs"]
mod recorder;
mod soup;

use franz_python::Limits;
use recorder::{MOST_CALLS, Recorder};

/// Returns the calls that a block made, and the feedback on it. However busy the machine is, no case reaches the time
/// limit before the limit that it tests.
fn run(source: &str) -> (Vec<String>, String) {
    let limits = Limits {
        seconds: 60.0,
        ..Limits::default()
    };
    run_within(limits, source)
}

fn run_within(limits: Limits, source: &str) -> (Vec<String>, String) {
    let (calls, _, told) = Recorder::run(limits, MOST_CALLS, source);
    (calls, told)
}
