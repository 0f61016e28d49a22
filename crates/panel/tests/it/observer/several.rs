//! Tests of several agents that share a panel. Each run and each conversation has its own directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use franz_panel::observer::ObserverOptions;
use franz_panel::runs::Runs;
use franz_panel::{Hub, Verdict, VerdictKind};
use franz_record::digest::sha256_hex;
use franz_record::{TurnLine, TurnLines};
use franz_relay::{Copied, Exchange};
use franz_secret::Secret;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::observer::{exchanges, observe, observe_copies, options, read, sent};
use crate::wire::{Ask, quote};

fn several(directory: &Path) -> ObserverOptions {
    let runs = Runs::below(
        &franz_home::View::open(directory).unwrap(),
        Hub::default(),
        Secret::new(["sk-a-secret-key"]),
    );
    ObserverOptions {
        record_turns: Some(franz_record::RunOptions::default()),
        runs: Some(Arc::new(runs)),
        secret: Secret::new(["sk-a-secret-key"]),
        ..options(directory)
    }
}

fn directories(panel: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(panel.join("runs")).unwrap();
    let mut directories: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    directories.sort();
    directories
}

fn lines(directory: &Path) -> Vec<TurnLine> {
    TurnLines::open(&franz_home::View::open(directory).unwrap())
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn kinds(directory: &Path) -> Vec<VerdictKind> {
    let verdicts = read(directory, "verdicts.jsonl");
    let verdicts = verdicts
        .lines()
        .map(|line| serde_json::from_str::<Verdict>(line).unwrap());
    verdicts.map(|verdict| verdict.verdict).collect()
}

/// Returns a picture with one pixel of this colour, as base64.
fn picture(shade: u8) -> String {
    let mut png = Vec::new();
    let mut header = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU".to_vec();
    png.append(&mut header);
    // Nothing but the size is read, so the rest of the file can be anything.
    png.extend([shade; 30]);
    base64(&png)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let pieces = bytes.chunks(3).map(|piece| {
        let bits = piece.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - piece.len()));
        let digits = (0..4).map(|place| {
            if place > piece.len() {
                '='
            } else {
                char::from(DIGITS[(bits >> (18 - 6 * place) & 63) as usize])
            }
        });
        digits.collect::<String>()
    });
    pieces.collect()
}

fn told(story: &str, shade: u8) -> Ask {
    let body = format!(
        r#"{{"messages":[{{"role":"system","content":"s"}},{{"role":"user","content":{}}},{{"role":"user","content":[{{"type":"text","text":"f{shade}"}},{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{}"}}}}]}}]}}"#,
        quote(story),
        picture(shade)
    );
    Ask::new("\"\"").body(body)
}

/// Checks that every picture named in a line exists and has the right contents.
fn pictures_match(directory: &Path) {
    for line in lines(directory) {
        let image = line
            .image
            .unwrap_or_else(|| panic!("turn {} has its picture", line.turn));
        let bytes = std::fs::read(directory.join(&image.file)).unwrap();
        assert_eq!(sha256_hex(&bytes), image.sha256, "{}", directory.display());
    }
}

#[test]
fn simultaneous_and_later_runs_stay_separate() {
    let place = tempfile::tempdir().unwrap();
    let panel = place.path();
    let names = ["run_a", "run_b", "../../run_c", "run_d", "run_e"];
    let ask = |run: usize, turn: u8| {
        let story = if turn == 1 {
            String::new()
        } else {
            format!("{run} {}", turn - 1)
        };
        let shade = run as u8 * 10 + turn;
        told(&story, shade)
            .run(names[run], turn.into())
            .connection(u64::from(turn) * 10 + run as u64)
            .reply(&quote(&format!("{run} {turn}")))
    };
    let mut asks = Vec::new();
    for turn in 1..=3 {
        asks.extend((0..3).map(|run| ask(run, turn)));
    }
    for run in 3..5 {
        asks.extend((1..=3).map(|turn| ask(run, turn)));
    }
    observe(several(panel), asks);
    let found = directories(panel);
    let file_names: Vec<_> = found
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(
        file_names,
        ["0001-run_a", "0002-run_b", "0003-run_c", "0004-run_d", "0005-run_e"]
    );
    for (run, directory) in found.iter().enumerate() {
        let lines = lines(directory);
        let said: Vec<_> = lines.iter().map(|line| (line.turn, line.feedback.clone())).collect();
        let expected: Vec<_> = (1..=3)
            .map(|turn| (turn, format!("f{}", run as u64 * 10 + turn)))
            .collect();
        assert_eq!(said, expected);
        assert_eq!(
            kinds(directory),
            [VerdictKind::First, VerdictKind::Match, VerdictKind::Match]
        );
        pictures_match(directory);
    }
    assert!(!panel.join("verdicts.jsonl").exists(), "the panel itself has none");
}

#[test]
fn a_second_run_of_the_same_name_overwrites_nothing() {
    let place = tempfile::tempdir().unwrap();
    let turn = |number: u64, story: &str, shade: u8, reply: &str| {
        told(story, shade)
            .run("run", number)
            .connection(shade.into())
            .reply(&quote(reply))
    };
    observe(
        several(place.path()),
        vec![
            turn(1, "", 1, "one"),
            turn(2, "one", 2, "two"),
            turn(1, "", 3, "uno"),
            turn(2, "uno", 4, "due"),
            turn(3, "two", 5, "three"),
            // Sending the same turn's request again records one more turn.
            turn(3, "two", 6, "three again"),
        ],
    );
    let found = directories(place.path());
    let turns: Vec<Vec<_>> = found
        .iter()
        .map(|directory| {
            lines(directory)
                .iter()
                .map(|line| (line.turn, line.feedback.clone()))
                .collect()
        })
        .collect();
    let expected = |turns: &[(u64, &str)]| {
        turns
            .iter()
            .map(|(turn, told)| (*turn, (*told).to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(turns[0], expected(&[(1, "f1"), (2, "f2"), (3, "f5"), (4, "f6")]));
    assert_eq!(turns[1], expected(&[(1, "f3"), (2, "f4")]));
    for directory in &found {
        pictures_match(directory);
    }
}

/// Returns the messages of a conversation with calls. All of them are sent every time.
fn talk(task: &str, calls: usize) -> Vec<String> {
    let mut messages = vec![
        r#"{"role":"system","content":"s"}"#.to_owned(),
        format!(r#"{{"role":"user","content":{}}}"#, quote(task)),
    ];
    for call in 1..=calls {
        let id = quote(&format!("{task} {call}"));
        messages.push(format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":{id},"type":"function","function":{{"name":"look","arguments":"{{}}"}}}}]}}"#
        ));
        messages.push(format!(r#"{{"role":"tool","tool_call_id":{id},"content":"seen"}}"#));
    }
    messages
}

fn asked(task: &str, calls: usize) -> Ask {
    let id = quote(&format!("{task} {}", calls + 1));
    let answer = format!(
        r#"{{"choices":[{{"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":{id},"type":"function","function":{{"name":"look","arguments":"{{}}"}}}}]}}}}]}}"#
    );
    Ask::new("\"\"")
        .body(format!(r#"{{"messages":[{}]}}"#, talk(task, calls).join(",")))
        .answer("application/json", answer)
}

#[test]
fn foreign_conversations_continue_after_a_panel_restart() {
    let place = tempfile::tempdir().unwrap();
    let first = vec![
        asked("paint", 0).connection(1),
        asked("write", 0).connection(2),
        told("", 1).connection(3).reply("\"a story\""),
        asked("paint", 1).connection(4),
        asked("write", 1).connection(1),
    ];
    observe(several(place.path()), first);
    let second = vec![
        told("a story", 2).connection(1).reply("\"another\""),
        asked("write", 2).connection(2),
        asked("paint", 2).connection(2),
        asked("sing", 0).connection(2),
    ];
    observe(several(place.path()), second);
    let counts: Vec<_> = directories(place.path())
        .iter()
        .map(|directory| lines(directory).len())
        .collect();
    assert_eq!(counts, [3, 3, 2, 1]);
    let story = &directories(place.path())[2];
    assert_eq!(kinds(story), [VerdictKind::First, VerdictKind::Match]);
    for directory in directories(place.path()) {
        let numbers: Vec<_> = lines(&directory).iter().map(|line| line.turn).collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
        franz_record::resume::check_is_run(&franz_home::View::open(&directory).unwrap()).unwrap();
    }
}

#[test]
fn stored_conversations_do_not_contain_the_key() {
    let place = tempfile::tempdir().unwrap();
    observe(
        several(place.path()),
        vec![asked("my key is sk-a-secret-key, really", 0)],
    );
    let kept = read(&directories(place.path())[0], "conversation.json");
    assert!(
        kept.contains("my key is") && !kept.contains("sk-a-secret-key"),
        "{kept}"
    );
}

/// Returns copies of exchanges. With `ahead`, each request is also copied as soon as it is sent, even before another
/// client's exchange is over.
fn overlapping(exchanges: Vec<Exchange>, clients: &[usize], ahead: bool) -> Vec<Copied> {
    let mut copies = Vec::new();
    let mut under_way: Option<Exchange> = None;
    for (number, exchange) in exchanges.into_iter().enumerate() {
        let waits = under_way.take().map(Copied::Exchange);
        if !ahead {
            copies.push(Copied::Exchange(exchange));
            continue;
        }
        let request = Copied::Request(sent(&exchange));
        if clients[number.saturating_sub(1)] == clients[number] {
            copies.extend(waits.into_iter().chain([request]));
        } else {
            copies.extend([request].into_iter().chain(waits));
        }
        under_way = Some(exchange);
    }
    copies.extend(under_way.map(Copied::Exchange));
    copies
}

fn requests(directory: &Path) -> Vec<String> {
    let log = read(directory, "exchange.log");
    let requests = log.lines().filter(|line| line.contains("\"request\":"));
    requests.map(str::to_owned).collect()
}

#[test]
fn an_unanswered_request_is_kept_across_a_restart() {
    let place = tempfile::tempdir().unwrap();
    let ask = || asked("task", 0);
    let exchange = ask().exchange(1, 1_000);
    observe_copies(several(place.path()), [Copied::Request(sent(&exchange))]);
    let [directory] = &directories(place.path())[..] else {
        panic!("one conversation")
    };
    let kept = requests(directory);
    assert!(kept.len() == 1 && kept[0].contains("task"), "{kept:?}");
    assert!(lines(directory).is_empty());
    // The agent sends its request again.
    let again = ask().connection(2).exchange(1, 5_000);
    observe_copies(
        several(place.path()),
        [Copied::Request(sent(&again)), Copied::Exchange(again)],
    );
    assert_eq!(directories(place.path()).len(), 1);
    assert_eq!((requests(directory).len(), lines(directory).len()), (2, 1));
}

#[test]
fn two_runs_of_one_name_starting_together_stay_separate() {
    for turned in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let begin = |id: u64| {
            let ask = asked(&format!("task {id}"), 0).connection(id).run("twin", 1);
            ask.exchange(id, 1_000)
        };
        let mut both = [begin(1), begin(2)];
        let requests = both.each_ref().map(|one| Copied::Request(sent(one)));
        if turned {
            both.reverse();
        }
        let copies = requests.into_iter().chain(both.map(Copied::Exchange));
        observe_copies(several(place.path()), copies);
        let counts: Vec<_> = directories(place.path()).iter().map(|one| lines(one).len()).collect();
        assert_eq!(counts, [1, 1]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Lets clients take turns in any order on a few connections. Some of their requests fail and are sent again.
    #[test]
    fn every_turn_is_recorded_once_in_its_own_conversation_in_order(
        steps in prop::collection::vec((0..5_usize, 1..4_u64, prop::bool::weighted(0.2)), 1..40), ahead: bool,
    ) {
        let place = tempfile::tempdir().unwrap();
        let mut calls = [0; 5];
        let mut expected: Vec<Vec<String>> = vec![Vec::new(); 5];
        let asks: Vec<_> = steps.iter().map(|&(client, connection, fails)| {
            let task = format!("task {client}");
            let ask = asked(&task, calls[client]).connection(connection);
            expected[client].push(format!("{task}: {}", calls[client]));
            if fails {
                ask.unanswered(franz_relay::Ended::ServerGone("it went".to_owned()))
            } else {
                calls[client] += 1;
                ask
            }
        }).collect();
        let clients: Vec<usize> = steps.iter().map(|(client, ..)| *client).collect();
        observe_copies(several(place.path()), overlapping(exchanges(asks), &clients, ahead));
        let mut seen = BTreeSet::new();
        for directory in directories(place.path()) {
            let log = read(&directory, "exchange.log");
            let client = (0..5).find(|client| log.contains(&format!("\"task {client}\""))).unwrap();
            prop_assert!(seen.insert(client), "client {client} has one directory");
            prop_assert_eq!((0..5).filter(|other| log.contains(&format!("\"task {other}\""))).count(), 1);
            let lines = lines(&directory);
            prop_assert_eq!(lines.len(), expected[client].len());
            let numbers: Vec<_> = lines.iter().map(|line| line.turn).collect();
            prop_assert_eq!(numbers, (1..=lines.len() as u64).collect::<Vec<_>>());
        }
        let total: usize = directories(place.path()).iter().map(|directory| lines(directory).len()).sum();
        prop_assert_eq!(total, steps.len());
    }
}

/// Returns a request in another API, with its answer.
fn elsewhere(target: &'static str, request: &Value, answer: &Value) -> Ask {
    let ask = Ask::new("\"\"").body(request.to_string());
    Ask { target, ..ask }.answer("application/json", answer.to_string())
}

#[test]
fn other_apis_are_recorded_like_chats_and_logged_as_they_were() {
    let place = tempfile::tempdir().unwrap();
    let answered = |id: &str, text: &str| {
        let content = json!([{ "type": "output_text", "text": text }]);
        json!({ "id": id, "output": [{ "type": "message", "content": content }] })
    };
    let png = format!("data:image/png;base64,{}", picture(7));
    let look = json!([{ "type": "input_text", "text": "look" }, { "type": "input_image", "image_url": png }]);
    let call = json!([{ "type": "tool_use", "id": "c", "name": "f", "input": { "x": 1 } }]);
    let shot = "iVBORw0K".repeat(300);
    let source = json!({ "type": "base64", "media_type": "image/png", "data": shot });
    let seen = json!([{ "type": "text", "text": "seen" }, { "type": "image", "source": source }]);
    let result = json!([{ "type": "tool_result", "tool_use_id": "c", "content": seen }]);
    let hello = json!({ "role": "user", "content": "hello" });
    let asks = vec![
        elsewhere(
            "/v1/responses",
            &json!({ "model": "m", "input": [{ "role": "user", "content": look }] }),
            &answered("resp_1", "a cat"),
        ),
        elsewhere(
            "/v1/messages",
            &json!({ "max_tokens": 9, "messages": [hello] }),
            &json!({ "content": call, "stop_reason": "tool_use" }),
        ),
        elsewhere(
            "/v1/responses",
            &json!({ "previous_response_id": "resp_1", "input": "where?" }),
            &answered("resp_2", "there"),
        ),
        elsewhere(
            "/v1/messages",
            &json!({ "max_tokens": 9, "messages": [
                hello, { "role": "assistant", "content": call }, { "role": "user", "content": result },
            ] }),
            &json!({ "content": [{ "type": "text", "text": "bye" }], "stop_reason": "end_turn" }),
        ),
        elsewhere(
            "/v1/completions",
            &json!({ "prompt": "Once" }),
            &json!({ "choices": [{ "text": " upon", "finish_reason": "stop" }] }),
        ),
        elsewhere(
            "/v1/completions",
            &json!({ "prompt": ["a", "b"] }),
            &json!({ "choices": [{ "text": "c", "finish_reason": "stop" }] }),
        ),
        elsewhere(
            "/v1/completions",
            &json!({ "prompt": ["d", "e"] }),
            &json!({ "choices": [{ "text": "f", "finish_reason": "stop" }] }),
        ),
        elsewhere("/v1/embeddings", &json!({ "input": "x" }), &json!({ "data": [] })),
    ];
    observe(several(place.path()), asks);
    let found: Vec<Vec<(String, String)>> = directories(place.path())
        .iter()
        .map(|directory| {
            let lines = lines(directory);
            let text = |line: &TurnLine| line.reply.as_ref().map(franz_json::Story::text).unwrap_or_default();
            lines.iter().map(|line| (line.feedback.clone(), text(line))).collect()
        })
        .collect();
    let of = |turns: &[(&str, &str)]| -> Vec<(String, String)> {
        let turns = turns.iter();
        turns
            .map(|(asked, said)| ((*asked).to_owned(), (*said).to_owned()))
            .collect()
    };
    assert_eq!(
        found,
        [
            of(&[("look", "a cat"), ("where?", "there")]),
            of(&[("hello", ""), ("seen", "bye")]),
            of(&[("Once", " upon")]),
            of(&[("a\nb", "c")]),
            of(&[("d\ne", "f")]),
        ]
    );
    let all = directories(place.path());
    assert!(lines(&all[0])[0].image.is_some());
    assert!(lines(&all[1])[0].tool_calls.as_ref().unwrap().get().contains("\"f\""));
    for (directory, raw) in [
        (&all[0], r#""previous_response_id":"resp_1""#),
        (&all[0], r#""type":"output_text""#),
        (&all[1], r#""tool_use_id":"c""#),
        (&all[2], r#""prompt":"Once""#),
    ] {
        assert!(read(directory, "exchange.log").contains(raw), "{raw}");
    }
    for directory in &all {
        let log = read(directory, "exchange.log");
        assert!(!log.contains(&png) && !log.contains(&shot), "pictures are files: {log}");
        assert!(!kinds(directory).contains(&VerdictKind::Violation), "{directory:?}");
    }
}
