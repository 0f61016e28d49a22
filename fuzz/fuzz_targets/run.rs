//! A run's directory in any state. It is opened, read and searched without a panic.
#![no_main]

#[path = "../shared/place.rs"]
mod place;

use std::path::Path;

use franz_panel::history::History;
use franz_record::{Home, Run, RunOptions, TurnLines};
use franz_secret::Secret;
use libfuzzer_sys::fuzz_target;

/// Separates the files in an input. UTF-8 never contains this byte.
const BETWEEN: u8 = 0xff;

const FILES: [&str; 4] = ["turns_0001_1000.jsonl", "state.json", "acting.jsonl", "verdicts.jsonl"];

fuzz_target!(|data: &[u8]| {
    let mut parts = data.split(|&byte| byte == BETWEEN);
    let files = FILES.map(|name| (name, parts.next().unwrap_or_default()));
    let needle = String::from_utf8_lossy(parts.next().unwrap_or_default());
    place::with(&files, |directory| look_at(directory, &needle));
});

fn look_at(directory: &Path, needle: &str) {
    let history = History::open(directory).expect("a directory");
    for summary in history.page(None, 20).expect("files that can be read") {
        let _ = history.turn(summary.turn);
    }
    let _ = history.search(needle, 20, &Secret::new(["sk-0123456789"]));
    let home = Home::claim(directory).expect("a directory of ours");
    let _ = TurnLines::open(&home).map(Iterator::count);
    if let Ok((run, resumed)) = Run::open(home, RunOptions::default()) {
        for image in resumed.last_turn.iter().filter_map(|line| line.image.as_ref()) {
            assert!(run.picture(image).is_none(), "there are no pictures: {image:?}");
        }
    }
}
