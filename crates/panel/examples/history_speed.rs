//! Measures how long it takes to open and search a recorded run of 10,000 turns:
//! `cargo run --release -p franz-panel --example history_speed [-- TURNS]`.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use franz_json::{Raw, Story};
use franz_panel::history::History;
use franz_record::digest::sha256_hex;
use franz_record::{Acted, Batch, Image, Outcome, PictureName, StoredStory, TurnLine};
use franz_secret::Secret;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let turns = std::env::args().nth(1).map_or(Ok(10_000), |turns| turns.parse())?;
    let directory = tempfile::tempdir()?;
    record(directory.path(), turns)?;

    let before = resident_kb();
    let history = measured("open", || History::open(directory.path()))?;
    println!("memory  {:9} KB more resident", resident_kb() - before);

    let (secret, key) = (Secret::default(), Secret::new(["sk-0123456789abcdef"]));
    let words = [
        "turn 17.",
        "nowhere to be found",
        "left",
        "eeee",
        "猫",
        "ÄÖ",
        "status",
        "\"",
        "/",
    ];
    for (name, secret) in [("", &secret), (", with a secret", &key)] {
        for word in words {
            measured(&format!("search for {word}{name}"), || {
                history.search(word, 100, secret)
            })?;
        }
    }
    measured("page of 1000", || history.page(None, 1000))?;
    measured("turn", || history.turn(turns / 2))?;
    measured("overview", || history.overview());
    Ok(())
}

/// Writes a run as an agent would, with lines of about 5 KB. Each line has a story of 2 KB that contains escapes, and
/// everything else that belongs to a turn.
fn record(directory: &Path, turns: u64) -> std::io::Result<()> {
    let mut reply: Option<Story> = None;
    let mut files: Option<(Batch, BufWriter<File>)> = None;
    for turn in 1..=turns {
        let first = (turn - 1) / 1000 * 1000 + 1;
        let batch = Batch {
            first,
            last: first + 999,
        };
        if files.as_ref().is_none_or(|(open, _)| *open != batch) {
            files = Some((batch, BufWriter::new(File::create(directory.join(batch.to_string()))?)));
        }
        let line = line(turn, reply.as_ref());
        if let Some((_, file)) = &mut files {
            serde_json::to_writer(&mut *file, &line)?;
            file.write_all(b"\n")?;
        }
        reply = line.reply;
    }
    Ok(())
}

fn line(turn: u64, previous: Option<&Story>) -> TurnLine {
    let sentence =
        "I see the canvas with some strokes of my cat, and I go on with the left ear, which is still missing.\n";
    let story = Raw::string(&format!("turn {turn}. \u{e4}\u{f6} {}", sentence.repeat(20)));
    let story = Story::try_from(story).unwrap_or_default();
    let acted = |step: u64| {
        let action = format!("drag({}, {}, 500, 500)", step * 10, turn % 1000);
        Acted::new(action, Outcome::DONE)
    };
    TurnLine {
        acted: (0..12).map(acted).collect(),
        feedback: "OK: 12 actions executed. ".repeat(40),
        goal: Some("Draw a large cat.".to_owned()),
        // Store half of the stories in full, as after failed turns, so that lines are as long as they can get.
        story: match previous.filter(|_| turn.is_multiple_of(2)) {
            Some(reply) => StoredStory::shortened(reply, Some(reply)),
            None => StoredStory::Full(story.clone()),
        },
        reply: Some(story),
        image: Some(Image {
            file: PictureName::seen(turn).to_string(),
            sha256: sha256_hex(&turn.to_le_bytes()),
            width: 1536,
            height: 864,
            bytes: 100_000,
        }),
        usage: Raw::parse(r#"{"prompt_tokens":1000,"completion_tokens":300,"total_tokens":1300}"#).ok(),
        model: Some("a model".to_owned()),
        ..TurnLine::new(turn, "2026-01-01T00:00:00.123456789Z")
    }
}

/// Prints how long `work` took, and how much of that was spent computing. The rest was used by other programs.
fn measured<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (start, computed) = (Instant::now(), computing());
    let outcome = work();
    let (took, computed) = (
        start.elapsed().as_secs_f64(),
        computing().saturating_sub(computed).as_secs_f64(),
    );
    println!("{:9.3} ms, {:9.3} ms computing: {name}", took * 1e3, computed * 1e3);
    outcome
}

/// Returns how long this thread has been computing; 0 if the system does not say.
fn computing() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = told.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

/// Returns how many kilobytes of memory this process is using; 0 if the system does not say.
fn resident_kb() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}
