//! Servers that are not running, are still loading or are overloaded. One turn is held for them, and the person is told
//! until when.

use franz_record::{Status, TurnLine};

use super::faults::GOOD;
use super::server::{Act, Server, answer};
use super::start;
use crate::harness::{Finished, Workplace};

/// A server's behaviour, and its effect on the run.
struct Case {
    name: &'static str,
    acts: Vec<Act>,
    /// Whether the port is closed after the last act.
    leaves: bool,
    /// Further arguments.
    more: &'static [&'static str],
    code: i32,
    /// The message to the person.
    told: &'static [&'static str],
    /// The number of recorded turns, and how the last one ended.
    turns: (usize, Status),
}

fn good() -> Act {
    Act::Send(answer("200 OK", "", GOOD))
}

fn loading() -> Act {
    let words = r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#;
    Act::Send(answer("503 Service Unavailable", "", words))
}

fn too_many() -> Act {
    Act::Send(answer(
        "429 Too Many Requests",
        "",
        r#"{"error":{"message":"slow down"}}"#,
    ))
}

fn broken() -> Act {
    Act::Send(answer("500 Oops", "", r#"{"error":{"message":"out of memory"}}"#))
}

fn useless() -> Act {
    Act::Send(answer("200 OK", "", "{"))
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "a llama.cpp that loads",
            acts: vec![loading(), loading(), good()],
            leaves: false,
            more: &["--max-turns", "1"],
            code: 0,
            told: &["returned 503: Loading model", "waiting since ", "next try in "],
            turns: (1, Status::Ok),
        },
        Case {
            name: "one that loads for too long",
            acts: vec![loading(); 100],
            leaves: false,
            more: &["--max-turns", "9", "--set", "model.wait_s=1"],
            code: 3,
            told: &["returned 503: Loading model", "gave up after 1 s (model.wait_s)"],
            turns: (1, Status::Failed),
        },
        Case {
            name: "one that goes for good",
            acts: vec![good(), good()],
            leaves: true,
            more: &["--max-turns", "9", "--set", "model.wait_s=1"],
            code: 3,
            told: &["no model server answers at ", "Connection refused", "gave up after 1 s"],
            turns: (3, Status::Failed),
        },
        Case {
            name: "a storm of 429",
            acts: [vec![good()], vec![too_many(); 100]].concat(),
            leaves: false,
            more: &["--max-turns", "9", "--set", "model.wait_s=2"],
            code: 3,
            told: &["returned 429: slow down", "gave up after 2 s"],
            turns: (2, Status::Failed),
        },
        Case {
            name: "a storm of 500",
            acts: [vec![good()], vec![broken(); 100]].concat(),
            leaves: false,
            more: &["--max-turns", "9", "--set", "model.wait_s=2"],
            code: 3,
            told: &["returned 500: out of memory", "gave up after 2 s"],
            turns: (2, Status::Failed),
        },
        Case {
            name: "a run in which no turn succeeds",
            acts: vec![useless(); 100],
            leaves: false,
            more: &["--max-turns", "1"],
            code: 3,
            told: &["it is not valid JSON"],
            turns: (1, Status::Failed),
        },
        Case {
            name: "answers of no use, which fail a turn each",
            acts: [vec![good()], vec![useless(); 4], vec![good()]].concat(),
            leaves: false,
            more: &["--max-turns", "4"],
            code: 0,
            told: &["it is not valid JSON"],
            turns: (4, Status::Ok),
        },
    ]
}

#[test]
fn a_turn_waits_for_the_server_without_a_panel() {
    all_cases(false);
}

#[test]
fn a_turn_waits_for_the_server_through_the_relay() {
    all_cases(true);
}

fn all_cases(watched: bool) {
    std::thread::scope(|scope| {
        for case in cases() {
            scope.spawn(move || holds(&case, watched));
        }
    });
}

fn holds(case: &Case, watched: bool) {
    let (name, place) = (case.name, Workplace::new());
    let server = Server::performing(case.acts.clone(), case.leaves);
    let finished = start(&place, &server.url(), case.more, watched).finish();
    let said = format!("{}\n{}", finished.stdout, finished.stderr);
    assert_eq!(finished.code, Some(case.code), "{name}: {said}");
    assert!(case.told.iter().all(|words| said.contains(words)), "{name}: {said}");
    let turns = place.turns();
    let last = turns.last().unwrap();
    assert_eq!((turns.len(), last.status), case.turns, "{name}: {said}");
    // FRANZ retries a held turn again and again, but never in quick succession.
    assert!(turns.iter().all(|turn| turn.attempts < 12), "{name}: {said}");
    assert!(
        turns.iter().all(|turn| turn.errors.len() <= 1),
        "{name}: {:?}",
        last.errors
    );
}

#[test]
fn an_absent_server_before_the_first_reply_ends_the_run() {
    for watched in [false, true] {
        // If the model is named, no request is sent before the first turn.
        for more in [&[][..], &["--model", "chaos"]] {
            let url = format!("http://127.0.0.1:{}", closed_port());
            let place = Workplace::new();
            let finished: Finished = start(&place, &url, more, watched).finish();
            assert_eq!(finished.code, Some(3), "{}", finished.stderr);
            let told = format!("no model server answers at {url} (");
            assert!(finished.stderr.contains(&told), "{}", finished.stderr);
            assert!(finished.stderr.contains("refused"), "{}", finished.stderr);
            assert!(finished.stderr.contains("--upstream demo"), "{}", finished.stderr);
            let attempts = |turn: &TurnLine| turn.attempts;
            let made: u32 = if more.is_empty() {
                0
            } else {
                place.turns().iter().map(attempts).sum()
            };
            assert_eq!(made, u32::from(!more.is_empty()));
        }
    }
}

/// Returns a port on which nobody listens.
fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
