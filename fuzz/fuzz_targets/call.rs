//! One literal call: whatever is read has a canonical text that reads back as the same action.
#![no_main]

use franz_action::Action;
use franz_dialect::call;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(call) = call::read(text) {
        let canonical = call.action.to_string();
        assert_eq!(canonical.parse::<Action>(), Ok(call.action), "{canonical}");
    }
});
