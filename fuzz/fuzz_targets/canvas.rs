//! A canvas on disk in any state. The input is its journal and, after the first byte 0xff, its snapshot.
#![no_main]

#[path = "../shared/place.rs"]
mod place;

use franz_home::Home;
use franz_screen::Canvas;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |&byte| byte == 0xff);
    let files = ["canvas.jsonl", "canvas.png"].map(|name| (name, parts.next().unwrap_or_default()));
    place::with(&files, |directory| {
        let home = Home::claim(directory).expect("a directory of ours");
        let _ = Canvas::open(&home, 64, 36);
    });
});
