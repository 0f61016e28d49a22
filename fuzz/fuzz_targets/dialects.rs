//! A reply in the dialect of any family. The first byte selects the family. The second says whether the reply was cut
//! off, and whether a NUL separates the calls that the server reported from the text.
#![no_main]

#[path = "../../crates/dialect/tests/it/dialects/sound.rs"]
mod sound;

use std::sync::LazyLock;

use franz_dialect::{Family, ReplyText};
use libfuzzer_sys::fuzz_target;

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(Family::all);

fuzz_target!(|data: &[u8]| {
    let [family, flags, text @ ..] = data else { return };
    let family = &FAMILIES[usize::from(*family) % FAMILIES.len()];
    let text = String::from_utf8_lossy(text);
    let (tool_calls, text) = match text.split_once('\0') {
        Some((tool_calls, text)) if flags & 2 != 0 => (Some(tool_calls), text),
        _ => (None, &*text),
    };
    let cut = flags & 1 != 0;
    sound::check(family, &ReplyText { text, tool_calls, cut });
});
