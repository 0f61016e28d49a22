//! Remembers the state of a run's directory, and checks what must stay true of it from then on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use franz_record::digest::sha256_hex;
use franz_record::{Acted, Outcome, StoredStory, TurnLine};
use serde_json::Value;

use super::life::Life;
use super::replies::{drawn, number};
use super::tally::Tally;
use crate::e2e::watched;
use crate::harness::{Workplace, wait_until};

/// Files whose complete lines never change.
const KEPT: [&str; 3] = ["turns_0001_1000.jsonl", "canvas.jsonl", "verdicts.jsonl"];
/// The end of every complete PNG.
const LAST_CHUNK: &[u8] = b"\0\0\0\0IEND\xaeB`\x82";

/// Remembers every complete line that it has seen.
#[derive(Default)]
pub(super) struct Witness {
    lines: BTreeMap<&'static str, Vec<u8>>,
    /// Turns during which all processes were killed, each with the number of actions performed by then.
    broken_off: Vec<(u64, usize)>,
}

/// A line of `canvas.jsonl`.
struct Stroke {
    turn: u64,
    index: u64,
    action: String,
}

impl Witness {
    /// Waits until more turns are recorded than have been seen.
    pub(super) fn wait_for_another_turn(&mut self, place: &Workplace, life: &mut Life) {
        let before = self.lines.get(KEPT[0]).map_or(0, |lines| count(lines));
        wait_until("another turn", || {
            life.must_go_on();
            (count(&whole_lines(&place.file(KEPT[0]))) > before).then_some(())
        });
        life.was_of_use();
    }

    /// Checks that everything seen so far is still there, byte for byte, and that no file is half written.
    pub(super) fn look(&mut self, place: &Workplace) {
        for name in KEPT {
            let now = whole_lines(&place.file(name));
            let seen = self.lines.entry(name).or_default();
            let kept = now.starts_with(seen);
            assert!(
                kept,
                "{name} had {} bytes of whole lines, which were lost or changed",
                seen.len()
            );
            *seen = now;
        }
        let Ok(entries) = fs::read_dir(place.file("")) else {
            return;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            // A file that is being replaced is still there, but one that has been renamed is not.
            if let Ok(bytes) = fs::read(&path) {
                whole(&path, &bytes);
            }
        }
    }

    /// Notes that all processes are dead. The reply whose actions were being performed, if any, is never acted on
    /// again.
    pub(super) fn everybody_is_dead(&mut self) {
        let strokes = strokes(&self.lines[KEPT[1]]);
        if let Some(last) = strokes.last() {
            self.broken_off.push((last.turn, done_in(last.turn, &strokes).len()));
        }
    }

    /// Checks the run after its end: the turns are complete, no action was repeated, and the stories are the replies.
    pub(super) fn look_at_the_end(&self, place: &Workplace, watched: bool, tally: &mut Tally) {
        let names = watched::listing(&place.file(""));
        assert!(
            !names
                .iter()
                .any(|name| Path::new(name).extension().is_some_and(|suffix| suffix == "tmp")),
            "{names:?}"
        );
        let turns = place.turns();
        let numbers: Vec<u64> = turns.iter().map(|turn| turn.turn).collect();
        assert_eq!(numbers, (1..=turns.len() as u64).collect::<Vec<_>>());
        assert_eq!(turns.len(), count(&self.lines[KEPT[0]]));
        stories(&turns);
        pictures(place, &turns);
        let strokes = strokes(&self.lines[KEPT[1]]);
        in_order(&strokes);
        for &(turn, done) in &self.broken_off {
            let now = done_in(turn, &strokes);
            assert_eq!(
                now.len(),
                done,
                "turn {turn} went on acting after its agent was killed: {now:?}"
            );
        }
        for (before, turn) in turns.iter().zip(&turns[1..]) {
            tally.interrupted += u64::from(acted(before, turn, &strokes));
        }
        tally.runs += 1;
        tally.turns += turns.len() as u64;
        tally.actions += strokes.len() as u64;
        for kind in watched::kinds(place) {
            assert!(["first", "match", "retry"].contains(&kind.as_str()), "{kind}");
            *tally.verdicts.entry(kind).or_default() += 1;
        }
        assert!(!watched || !self.lines[KEPT[2]].is_empty(), "what is watched is judged");
    }
}

/// Checks that each action was performed at most once, and in order.
fn in_order(strokes: &[Stroke]) {
    for (before, stroke) in strokes.iter().zip(strokes.iter().skip(1)) {
        let places = [(before.turn, before.index), (stroke.turn, stroke.index)];
        assert!(places[0] < places[1], "{places:?}: {}", stroke.action);
    }
}

/// Checks that the turn performed the previous reply's actions, as far as it got, and that the model was told so.
/// Returns whether the turn was interrupted.
fn acted(before: &TurnLine, turn: &TurnLine, strokes: &[Stroke]) -> bool {
    let wanted = drawn(number_of(before));
    let did = done_in(turn.turn, strokes);
    let context = || format!("turn {} did {did:?} of {wanted:?}: {}", turn.turn, turn.feedback);
    assert!(did.len() <= wanted.len() && did == wanted[..did.len()], "{}", context());
    let done = |acted: &&Acted| acted.outcome.is_done() && !acted.action.starts_with("wait");
    let done: Vec<&str> = turn
        .acted
        .iter()
        .filter(done)
        .map(|acted| acted.action.as_str())
        .collect();
    let interrupted = turn.feedback.contains("FRANZ was interrupted");
    // The process was killed while it acted, and again while it read the reply to report the performed actions. The
    // last action is then not listed.
    let is_unread = interrupted && turn.acted.iter().all(|acted| acted.outcome != Outcome::Interrupted);
    let listed = did.starts_with(&done) && did.len() <= done.len() + usize::from(is_unread);
    assert!(listed, "{}", context());
    // The process was killed while it read the reply, which is then skipped.
    let skipped = turn.feedback.contains("your last reply could not be read");
    assert!(!skipped || did.is_empty(), "{}", context());
    assert!(interrupted || skipped || did.len() == wanted.len(), "{}", context());
    interrupted
}

fn done_in(turn: u64, strokes: &[Stroke]) -> Vec<&str> {
    let did = strokes.iter().filter(|stroke| stroke.turn == turn);
    did.map(|stroke| stroke.action.as_str()).collect()
}

/// Checks that each turn sent the previous reply, byte for byte.
fn stories(turns: &[TurnLine]) {
    for (before, turn) in turns.iter().zip(&turns[1..]) {
        let reply = before.reply.as_ref().expect("the server always replies");
        let same = match &turn.story {
            StoredStory::Full(story) => story == reply,
            StoredStory::PreviousReply { sha256 } => *sha256 == sha256_hex(reply.raw().as_bytes()),
        };
        assert!(same, "the story of turn {} is not the reply before it", turn.turn);
    }
}

fn pictures(place: &Workplace, turns: &[TurnLine]) {
    for turn in turns {
        let image = turn.image.as_ref().expect("a canvas can always be captured");
        let picture = fs::read(place.file(&image.file)).unwrap();
        assert_eq!(sha256_hex(&picture), image.sha256, "the picture of turn {}", turn.turn);
    }
}

fn number_of(turn: &TurnLine) -> u64 {
    let reply = turn.reply.as_ref().expect("the server always replies");
    number(&reply.text())
}

fn strokes(lines: &[u8]) -> Vec<Stroke> {
    let lines = std::str::from_utf8(lines).unwrap().lines();
    let stroke = |line| {
        let entry: Value = serde_json::from_str(line).unwrap();
        Stroke {
            turn: entry["turn"].as_u64().unwrap(),
            index: entry["index"].as_u64().unwrap(),
            action: entry["action"].as_str().unwrap().to_owned(),
        }
    };
    lines.map(stroke).collect()
}

/// Fails if a file that has its final name is incomplete. In a file that grows, only the last line may be incomplete.
fn whole(path: &Path, bytes: &[u8]) {
    let is_json = |text: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
    let fine = match path.extension().and_then(|suffix| suffix.to_str()) {
        Some("png") => bytes.ends_with(LAST_CHUNK),
        Some("json") => is_json(bytes),
        Some("toml") => std::str::from_utf8(bytes).is_ok_and(|text| text.parse::<toml::Table>().is_ok()),
        Some("jsonl") => bytes
            .split_inclusive(|&byte| byte == b'\n')
            .all(|line| !line.ends_with(b"\n") || is_json(line)),
        _ => true,
    };
    assert!(
        fine,
        "{} is not whole: {:?}",
        path.display(),
        String::from_utf8_lossy(bytes)
    );
}

fn whole_lines(path: &Path) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap_or_default();
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    bytes.truncate(end);
    bytes
}

fn count(lines: &[u8]) -> usize {
    lines.split(|&byte| byte == b'\n').count() - 1
}
