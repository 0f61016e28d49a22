//! A single literal call. Any action that can be read has a canonical form that reads back as the same action.
#![no_main]

use franz_action::{Action, ToolSet};
use franz_dialect::{Geometry, call};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(action) = call::read(text, &ToolSet::all(), &Geometry::THOUSANDTHS) {
        let canonical = action.to_string();
        assert_eq!(canonical.parse::<Action>(), Ok(action), "{canonical}");
    }
});
