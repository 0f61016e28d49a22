//! Checks the properties of a run that was killed, using its records and the requests that the server got.

use std::collections::BTreeSet;
use std::path::Path;

use franz_demo::DemoHandle;
use franz_json::Story;
use franz_record::{
    Acted, Found, Home, Outcome, Phase, PictureName, Run, RunOptions, RunState, TurnLine, TurnLines, View,
};
use serde_json::Value;

use super::TURNS;
use super::victim::{Victim, mode};
use crate::reading::{RecordedReply, SKIPPED};

/// Checks a run that was killed at this checkpoint. Returns how many of its turns were interrupted while acting.
pub(super) fn of(victim: &Victim, run: &Path, server: &DemoHandle, at: u64) -> usize {
    let turns = turns_of(run);
    let numbers: Vec<u64> = turns.iter().map(|turn| turn.turn).collect();
    assert_eq!(numbers, (1..=turns.len() as u64).collect::<Vec<_>>(), "checkpoint {at}");
    assert!(turns.len() as u64 >= TURNS);
    let state: RunState = serde_json::from_slice(&std::fs::read(run.join("state.json")).unwrap()).unwrap();
    let interrupted = acting(run, &turns, at);
    pictures(run, &turns);
    match victim {
        Victim::Draw | Victim::Aiming => {}
        Victim::Companion => modes(&state, &turns, at),
        Victim::Operator => conversation(&state, &turns, server, at),
    }
    interrupted
}

/// Checks that no action was performed twice and that the feedback told the model the truth.
fn acting(run: &Path, turns: &[TurnLine], at: u64) -> usize {
    let journal = std::fs::read_to_string(run.join("canvas.jsonl")).unwrap();
    let drawn: Vec<(u64, String)> = journal.lines().map(drawn).collect();
    // No two replies draw the same line.
    let unique: BTreeSet<&String> = drawn.iter().map(|(_, action)| action).collect();
    let drawn_once = unique.len() == drawn.len();
    assert!(drawn_once, "checkpoint {at}: nothing is drawn twice: {journal}");

    let mut interrupted = 0;
    for turn in turns {
        let did = drawn.iter().filter(|(number, _)| *number == turn.turn);
        let did: Vec<&str> = did.map(|(_, action)| action.as_str()).collect();
        let (number, feedback) = (turn.turn, &turn.feedback);
        if is_taken_up_unread(turn) {
            let truth = format!("Interrupted: {} of ", did.len());
            assert!(feedback.contains(&truth), "checkpoint {at}, turn {number}: {feedback}");
            assert!(
                did.starts_with(&with(turn, &Outcome::DONE)),
                "checkpoint {at}, turn {number}"
            );
            interrupted += 1;
            continue;
        }
        assert_eq!(
            with(turn, &Outcome::DONE),
            did,
            "checkpoint {at}, turn {number}: {feedback}"
        );
        let broken_off = !with(turn, &Outcome::Interrupted).is_empty();
        let told = feedback.contains("FRANZ was interrupted");
        assert_eq!(told, broken_off, "checkpoint {at}, turn {number}: {feedback}");
        interrupted += usize::from(told);
    }
    interrupted
}

/// Returns the actions with this outcome. Actions on targets have the positions that were found.
fn with<'a>(turn: &'a TurnLine, outcome: &Outcome) -> Vec<&'a str> {
    let acted = turn.acted.iter().filter(|acted| acted.outcome.name() == outcome.name());
    acted.map(text).collect()
}

fn text(acted: &Acted) -> &str {
    let at_place = acted.found.as_ref().and_then(|found| found.action.as_ref());
    at_place.unwrap_or(&acted.action)
}

/// An action on a target during which a run was killed.
pub(super) struct Aimed {
    turn: u64,
    index: usize,
    found: Found,
    /// Whether the action was drawn.
    is_done: bool,
}

/// Returns the action on a target during which this run was killed, if there is one.
pub(super) fn aimed(run: &Path) -> Option<Aimed> {
    let (_, resumed) = Run::open(Home::claim(run).ok()?, RunOptions::default()).ok()?;
    let Phase::Acting {
        turn,
        started,
        found: Some(found),
        ..
    } = resumed.state.phase
    else {
        return None;
    };
    let journal = std::fs::read_to_string(run.join("canvas.jsonl")).unwrap();
    let is_done = journal
        .lines()
        .map(drawn)
        .any(|(_, action)| found.action == Some(action));
    Some(Aimed {
        turn,
        index: started - 1,
        found,
        is_done,
    })
}

impl Aimed {
    /// Checks that the turn contains the action with the position that was found and, if it was performed, that its
    /// mark is in the picture. Returns whether it was performed.
    pub(super) fn is_recorded(&self, run: &Path, at: u64) -> bool {
        let turns = turns_of(run);
        let turn = turns.iter().find(|turn| turn.turn == self.turn).unwrap();
        let acted = &turn.acted[self.index];
        assert_eq!(acted.found.as_ref(), Some(&self.found), "checkpoint {at}");
        assert_eq!(acted.performed().is_some(), self.is_done, "checkpoint {at}: {acted:?}");
        let shown = std::fs::read(run.join(&turn.image.as_ref().unwrap().file)).unwrap();
        let plain = std::fs::read(run.join(PictureName::plain(turn.turn).to_string())).unwrap();
        assert!(!self.is_done || shown != plain, "checkpoint {at}: there is no mark");
        self.is_done
    }
}

fn turns_of(run: &Path) -> Vec<TurnLine> {
    let lines = TurnLines::open(&View::open(run).unwrap()).unwrap();
    lines.map(Result::unwrap).collect()
}

fn drawn(line: &str) -> (u64, String) {
    let entry: Value = serde_json::from_str(line).unwrap();
    (
        entry["turn"].as_u64().unwrap(),
        entry["action"].as_str().unwrap().to_owned(),
    )
}

/// Checks that every picture is complete and that no other files were left behind.
fn pictures(run: &Path, turns: &[TurnLine]) {
    for turn in turns {
        let image = turn.image.as_ref().unwrap();
        let picture = std::fs::read(run.join(&image.file)).unwrap();
        assert_eq!(franz_record::digest::sha256_hex(&picture), image.sha256);
    }
    let mut files = std::fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    assert!(files.all(|path| path.extension().is_none_or(|suffix| suffix != "tmp")));
}

/// Checks that the mode and goal are always those of the last recorded reply, and that they decided the outcome of its
/// action.
fn modes(state: &RunState, turns: &[TurnLine], at: u64) {
    let first = &turns[0];
    let found = (first.mode.clone(), first.goal.clone());
    assert_eq!(
        found,
        (Some("executing".to_owned()), Some("Begin.".to_owned())),
        "checkpoint {at}"
    );
    let later = turns[1..].iter().map(|turn| (&turn.mode, &turn.goal, Some(turn)));
    let later = later.chain([(&state.mode, &state.goal, None)]);
    for (before, (given_mode, goal, turn)) in turns.iter().zip(later) {
        // If reading a reply never finished, the reply has no effect, except that its mode applies if it had been read
        // before.
        if turn.is_some_and(is_skipped) && (given_mode, goal) == (&before.mode, &before.goal) {
            continue;
        }
        let number = number(before);
        let wanted = (Some(mode(number).to_owned()), Some(format!("goal {number}")));
        let turn_before = before.turn;
        assert_eq!(
            (given_mode.clone(), goal.clone()),
            wanted,
            "checkpoint {at}, after turn {turn_before}"
        );
        let Some(turn) = turn else { continue };
        let heading = format!("Current mode: {}\nYOUR GOAL NOW: goal {number}", mode(number));
        let rest = turn.feedback.strip_prefix(&heading).unwrap_or_default();
        assert!(
            rest.starts_with('\n') || rest.starts_with(" (ASKED BY THE PERSON: reported done in turn "),
            "checkpoint {at}: {}",
            turn.feedback
        );
        assert_eq!(
            with(turn, &Outcome::BLOCKED).len(),
            usize::from(mode(number) == "monitoring" && !is_skipped(turn)),
            "checkpoint {at}: {:?}",
            turn.acted
        );
    }
}

/// Checks whether the reply before this turn was skipped because the process was killed while reading it.
fn is_skipped(turn: &TurnLine) -> bool {
    let skipped = turn.feedback.contains(SKIPPED);
    assert!(!skipped || turn.acted.is_empty(), "{:?}", turn.acted);
    skipped
}

/// Checks whether the process was killed while this turn acted, and again while reading the reply to find out which
/// actions had been performed. Then only their number is known.
fn is_taken_up_unread(turn: &TurnLine) -> bool {
    turn.feedback.contains("FRANZ was interrupted") && with(turn, &Outcome::Interrupted).is_empty()
}

/// Returns the number in this turn's reply.
fn number(turn: &TurnLine) -> u64 {
    let text = turn.reply.as_ref().unwrap().text();
    let (_, number) = text.rsplit_once("story ").unwrap();
    number.parse().unwrap()
}

/// Checks that the last request contains every recorded reply, with the results of its calls right after it.
fn conversation(state: &RunState, turns: &[TurnLine], server: &DemoHandle, at: u64) {
    let requests = server.requests();
    let last: Value = serde_json::from_slice(&requests.last().unwrap().body).unwrap();
    let mut messages = last["messages"].as_array().unwrap().iter();
    let mut next = |role: &str| {
        let message = messages.next().unwrap();
        assert_eq!(message["role"], role, "checkpoint {at}: {message}");
        message
    };
    next("system");
    next("user");
    let (_, before) = turns.split_last().unwrap();
    for turn in before {
        let kept: Value = serde_json::from_str(turn.tool_calls.as_ref().unwrap().get()).unwrap();
        let said = turn.reply.as_ref().map(Story::text).unwrap_or_default();
        let assistant = next("assistant");
        assert_eq!(assistant["content"], said, "checkpoint {at}, turn {}", turn.turn);
        // This also happens to a reply whose actions were performed before, because each process rereads the
        // conversation.
        if state.unreadable.contains(&RecordedReply::in_turn(turn).hash()) {
            assert!(assistant.get("tool_calls").is_none(), "checkpoint {at}: {assistant}");
            next("user");
            continue;
        }
        let sent = assistant["tool_calls"].as_array().unwrap();
        assert_eq!(sent.len(), kept.as_array().unwrap().len());
        assert_eq!(
            sent[0]["function"]["name"], kept[0]["function"]["name"],
            "checkpoint {at}"
        );
        for call in sent {
            let result = next("tool");
            assert_eq!(result["tool_call_id"], call["id"], "checkpoint {at}");
            let told: Value = serde_json::from_str(result["content"].as_str().unwrap()).unwrap();
            let kind = told["error"]["type"].as_str();
            assert!([None, Some("interrupted")].contains(&kind), "checkpoint {at}: {told}");
        }
        next("user");
    }
    assert!(messages.next().is_none(), "checkpoint {at}");
}
