//! Files on disk, which can be edited or damaged. Turn lines, states and events are read without a panic.
#![no_main]

use franz_record::{Event, RunState, TurnLine};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Event::from_line(text);
    let _ = serde_json::from_str::<RunState>(text);
    let _ = serde_json::from_str::<TurnLine>(text);
});
