//! A conversation of any length. Requests do not grow beyond their limit and stay valid, and a resumed run sends the
//! same ones.

use std::collections::HashSet;

use franz_demo::DemoHandle;
use franz_record::Status;
use serde_json::{Value, json};

use crate::chat;
use crate::e2e::settings::{resume, start};
use crate::harness::{Running, Workplace, scripted, url, wait_until};

const OPERATOR: [&str; 6] = [
    "--profile",
    "operator",
    "--set",
    "loop.stop_on_answer=false",
    "--set",
    "model.attempts=1",
];
/// A task with characters that JSON escapes.
const TASK: &str = "Open \"the\" file\u{1f600}\\n.";
const PADDED: usize = 160;

fn operator<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&OPERATOR[..], &[TASK], more].concat()
}

fn call(id: &Value, name: &str, arguments: &Value) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

/// Returns a reply's text, which always has the same length.
fn said(turn: usize, text: &str) -> String {
    let text = format!("{turn:04} {text}");
    format!("{text}{}", ".".repeat(PADDED.saturating_sub(text.len())))
}

/// Returns one script line of a conversation in which every oddity occurs every ten turns: IDs are missing, or are used
/// again.
fn line(turn: usize) -> String {
    let text = |text: &str| json!(said(turn, text));
    let id = |n: usize| json!(format!("id-{turn:04}-{n}"));
    let click = json!(r#"{"label":"OK","box":[500,300]}"#);
    let drag = json!({ "x1": turn % 7 * 100, "y1": 100, "x2": 900, "y2": turn % 5 * 200 });
    let thought = |text: &str| said(turn, &format!("<think>\nI think of {turn:04}.\n</think>\n{text}"));
    let line = match turn % 10 {
        0 => json!({ "text": text("I look."), "tool_calls": [call(&id(1), "observe_screen", &json!(""))] }),
        1 => json!({ "text": thought("I click."), "tool_calls": [call(&json!(""), "click_element", &click)] }),
        2 => json!({ "content": null, "tool_calls": [call(&json!(null), "drag", &drag)] }),
        3 => json!({ "text": text("Two."), "tool_calls": [
            call(&json!("same"), "type_text", &json!({ "text": "a" })),
            call(&json!("same"), "press_key", &json!({ "key": "ctrl+s" })),
        ] }),
        4 => json!({ "text": text("Broken."), "tool_calls": [call(&id(1), "click_element", &json!("{\"label\": "))] }),
        5 => json!({ "text": thought("No such."), "tool_calls": [call(&id(1), "fly_away", &json!({}))] }),
        6 => json!({ "text": said(turn, "<tool_call>{\"name\":\"move\",\"arguments\":{\"box\":[1,2]}}</tool_call>") }),
        7 => json!({ "text": text("I only talk.") }),
        8 => json!({ "text": thought("Three."), "tool_calls": [
            call(&json!("x \"y\" \n"), "wait", &json!({ "seconds": 0 })), 17, call(&id(3), "drag", &json!([])),
        ] }),
        _ => json!({ "content": "", "tool_calls": [call(&id(1), "right_click", &json!({ "box": [[1, 2], [3, 4]] }))] }),
    };
    line.to_string()
}

fn server(lines: &[String]) -> DemoHandle {
    scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the number of pictures in one of our messages.
fn pictures(message: &Value) -> usize {
    let parts = message["content"].as_array();
    parts.map_or(0, |parts| {
        parts.iter().filter(|part| part["type"] == "image_url").count()
    })
}

/// Checks that servers accept the messages: the roles are in a valid order, and each call is followed by its result.
fn check_order(chat: &Value) {
    let mut messages = chat::messages(chat).iter().peekable();
    assert_eq!(messages.next().unwrap()["role"], "system");
    assert_eq!(messages.next().unwrap()["role"], "user");
    let mut ids = HashSet::new();
    while let Some(assistant) = messages.next() {
        assert_eq!(assistant["role"], "assistant");
        assert!(assistant["content"].is_string(), "{assistant}");
        for call in assistant["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().unwrap();
            assert!(
                !id.is_empty() && ids.insert(id.to_owned()),
                "each id is there once: {id}"
            );
            let arguments = call["function"]["arguments"].as_str().unwrap();
            let arguments: Value = serde_json::from_str(arguments).unwrap();
            assert!(arguments.is_object(), "{arguments}");
            let result = messages.next().unwrap();
            assert_eq!((&result["role"], &result["tool_call_id"]), (&json!("tool"), &json!(id)));
            let told: Value = serde_json::from_str(result["content"].as_str().unwrap()).unwrap();
            assert!(told["ok"].is_boolean() && told["error"]["type"] != "not_run", "{told}");
        }
        let user = messages.next().unwrap();
        assert_eq!(user["role"], "user");
        assert!(!user["content"].as_array().unwrap().is_empty());
    }
}

#[test]
fn requests_stay_legal_and_bounded_over_300_turns() {
    let lines: Vec<String> = (1..=300).map(line).collect();
    let (place, server) = (Workplace::new(), server(&lines));
    let more = operator(&["--max-turns", "300", "--set", "record.exchange_log=false"]);
    let finished = start(&place, &url(&server), &more).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);

    let chats = chat::all(&server);
    assert_eq!(chats.len(), 300);
    for (turn, chat) in (1..).zip(&chats) {
        check_order(chat);
        let messages = chat::messages(chat);
        let shown: usize = messages.iter().map(pictures).sum();
        assert!((1..=7).contains(&shown), "turn {turn}: {shown} pictures");
        assert_eq!(pictures(messages.last().unwrap()), 1);
        assert_eq!(chat::text(&messages[1]), TASK);
        // The first picture is removed by the first pruning.
        if turn > 8 {
            assert_eq!(messages[1], chat::messages(&chats[7])[1], "turn {turn}");
        }
        let replies = messages.iter().filter(|message| message["role"] == "assistant").count();
        let kept = if turn <= 41 { turn - 1..=turn - 1 } else { 28..=40 };
        assert!(kept.contains(&replies), "turn {turn}: {replies} replies");
    }
    let sizes: Vec<usize> = server.requests().iter().map(|request| request.body.len()).collect();
    let largest = |sizes: &[usize]| *sizes.iter().max().unwrap();
    let (early, late) = (largest(&sizes[..100]), largest(&sizes[100..]));
    assert!(
        late * 10 <= early * 12,
        "{late} bytes, and {early} in the first 100 turns"
    );
}

#[test]
fn the_newest_thoughts_stay() {
    let lines: Vec<String> = (1..=30).map(line).collect();
    let (place, server) = (Workplace::new(), server(&lines));
    start(&place, &url(&server), &operator(&["--max-turns", "30"])).finish();
    let body = String::from_utf8(server.requests()[29].body.to_vec()).unwrap();
    // Replies contain thoughts in turns that end in 1, 5 and 8.
    let kept: Vec<usize> = (1..30)
        .filter(|turn| body.contains(&format!("I think of {turn:04}.")))
        .collect();
    assert_eq!(kept, [25, 28]);
}

/// A reply with the model's thinking before it, which servers put into a field of this name.
fn thinking(name: &str, turn: usize) -> String {
    let message = json!({ "role": "assistant", "content": said(turn, "I look."), name: format!("Thought {turn}.") });
    json!({ "json": { "choices": [{ "message": message }] } }).to_string()
}

#[test]
fn reasoning_goes_back_under_its_name_to_the_families_that_are_shown_it() {
    for (name, family, keeps) in [
        ("reasoning_content", "qwen3-vl", true),
        ("reasoning", "qwen3-vl", true),
        ("reasoning", "franz", false),
    ] {
        let lines: Vec<String> = (1..=5).map(|turn| thinking(name, turn)).collect();
        let run = |stops: &[&str]| {
            let (place, server) = (Workplace::new(), server(&lines));
            let first = operator(&["--family", family, "--max-turns", stops[0]]);
            assert_eq!(start(&place, &url(&server), &first).finish().code, Some(0));
            for turns in &stops[1..] {
                let resumed = resume(&place, &url(&server), &["--max-turns", turns]).finish();
                assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
            }
            assert_eq!(place.turns()[1].reasoning.as_deref(), Some("Thought 2."));
            bodies(&server)
        };
        let whole = run(&["3"]);
        let sent = whole[2].matches("Thought 1.\"").count();
        assert_eq!(sent, usize::from(keeps), "{family}: {}", whole[2]);
        let named = whole[2].contains(&format!("\"{name}\":\"Thought 1.\""));
        assert_eq!(named, keeps, "{family}: {}", whole[2]);
        assert_same(&run(&["2", "1"]), &whole, family);
    }
}

/// Returns all requests of a run that is not interrupted.
fn uninterrupted(lines: &[String], turns: usize, more: &[&str]) -> Vec<String> {
    let (place, server) = (Workplace::new(), server(lines));
    let turns = turns.to_string();
    let finished = start(
        &place,
        &url(&server),
        &operator(&[&["--max-turns", &turns], more].concat()),
    )
    .finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    bodies(&server)
}

fn bodies(server: &DemoHandle) -> Vec<String> {
    let requests = server.requests();
    requests
        .iter()
        .map(|request| String::from_utf8(request.body.to_vec()).unwrap())
        .collect()
}

fn assert_same(ours: &[String], wanted: &[String], what: &str) {
    assert_eq!(ours.len(), wanted.len(), "{what}");
    for (number, (ours, wanted)) in ours.iter().zip(wanted).enumerate() {
        if ours != wanted {
            let at = ours.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
            let around = |text: &str| {
                let bytes = &text.as_bytes()[at.saturating_sub(120).min(text.len())..(at + 120).min(text.len())];
                String::from_utf8_lossy(bytes).into_owned()
            };
            panic!(
                "{what}, request {number}, byte {at}:\n{}\nwanted:\n{}",
                around(ours),
                around(wanted)
            );
        }
    }
}

const WINDOW: [&str; 2] = ["--set", "memory.keep_turns=12"];
const TURNS: usize = 45;

/// Stops a run after `stop` turns and continues it for three more. Its requests must be `wanted`.
fn stop_and_go_on(lines: &[String], stop: usize, window: &[&str], wanted: &[String]) -> Workplace {
    let (place, server) = (Workplace::new(), server(lines));
    let first = stop.to_string();
    let arguments = operator(&[&["--max-turns", &first], window].concat());
    assert_eq!(start(&place, &url(&server), &arguments).finish().code, Some(0));
    let finished = resume(&place, &url(&server), &["--max-turns", "3"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let why = format!("stopped after turn {stop}");
    assert_same(&bodies(&server), &wanted[..stop + 3], &why);
    place
}

#[test]
fn a_resumed_conversation_sends_what_an_uninterrupted_one_would() {
    let lines: Vec<String> = (1..=TURNS).map(line).collect();
    let wanted = uninterrupted(&lines, TURNS, &WINDOW);
    for stop in [1, 4, 11, 12, 13, 14, 31] {
        stop_and_go_on(&lines, stop, &WINDOW, &wanted);
    }
}

#[test]
fn a_killed_conversation_resumes_unchanged() {
    let lines: Vec<String> = (1..=TURNS).map(line).collect();
    let wanted = uninterrupted(&lines, TURNS, &WINDOW);
    for stop in [1, 5, 13, 27] {
        let hanging = [&lines[..stop], &[r#"{"text": "too late", "delay_s": 3600}"#.to_owned()]].concat();
        let (place, first) = (Workplace::new(), server(&hanging));
        let running: Running = start(&place, &url(&first), &operator(&WINDOW));
        wait_until("the request that is not answered", || {
            (first.requests().len() > stop).then_some(())
        });
        running.kill();
        let second = server(&lines[stop..]);
        let finished = resume(&place, &url(&second), &["--max-turns", "3"]).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_same(
            &bodies(&second),
            &wanted[stop..stop + 3],
            &format!("killed after turn {stop}"),
        );
    }
}

/// Failed turns are not part of a conversation. Their feedback is sent in the next turn.
#[test]
fn failed_turns_do_not_change_a_resumed_conversation() {
    let mut lines: Vec<String> = Vec::new();
    for turn in 1..=30 {
        lines.push(line(turn));
        if turn % 3 == 0 {
            lines.push(r#"{"raw": "{"}"#.to_owned());
        }
    }
    // Three of every four turns are answered, so a window of 4 begins right after a failed turn.
    for window in [WINDOW, ["--set", "memory.keep_turns=4"]] {
        let wanted = uninterrupted(&lines, 40, &window);
        for stop in [4, 5, 9, 10, 16, 28, 29, 30] {
            let place = stop_and_go_on(&lines, stop, &window, &wanted);
            assert!(place.turns().iter().any(|turn| turn.status == Status::Failed));
        }
    }
}

/// A conversation keeps its own first picture even if no server was up at first.
#[test]
fn a_conversation_resumes_after_a_failed_first_turn() {
    let lines: Vec<String> = [r#"{"raw": "{"}"#.to_owned()]
        .into_iter()
        .chain((1..=9).map(line))
        .collect();
    let run = |stops: &[&str]| {
        let (place, server) = (Workplace::new(), server(&lines));
        assert_eq!(start(&place, &url(&server), &operator(&[])).finish().code, Some(3));
        for turns in stops {
            let finished = resume(&place, &url(&server), &["--max-turns", turns]).finish();
            assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        }
        bodies(&server)
    };
    assert_same(&run(&["1", "3"]), &run(&["4"]), "stopped after turn 2");
}
