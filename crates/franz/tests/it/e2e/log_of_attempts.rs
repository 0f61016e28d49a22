//! `exchange.log` contains every attempt with its response, but no secrets and no pictures.

use std::fs;

use serde_json::{Value, json};

use crate::chat;
use crate::e2e::settings::{SMALL, start};
use crate::harness::{Workplace, reply, scripted, spawn, url, wait_until};

/// Returns the lines of the log.
fn log(place: &Workplace) -> Vec<Value> {
    let log = fs::read_to_string(place.file("exchange.log")).unwrap();
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the entries of the log, each with its kind and its body.
fn entries(place: &Workplace) -> Vec<(String, String)> {
    let log = fs::read_to_string(place.file("exchange.log")).unwrap();
    let entry = |line: &str| {
        let names = ["request", "response", "text", "error"];
        let [request, response, text, error] = franz_json::members(line, names).unwrap();
        let title = if request.is_some() { "request" } else { "response" };
        let other = text.or(error).and_then(franz_json::text);
        let body = other.unwrap_or_else(|| request.or(response).unwrap().get().to_owned());
        (title.to_owned(), body.trim_end().to_owned())
    };
    log.lines().map(entry).collect()
}

/// Returns the text without any whitespace.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn every_attempt_is_logged_with_its_response() {
    let key = "sk-secret-0123456";
    let error = json!({ "error": { "message": format!("the key {key} and \u{2028} more") } }).to_string();
    let lines = [
        reply("first"),
        json!({ "status": 500, "raw": "<html>it broke</html>" }).to_string(),
        json!({ "raw": "{\"choices\": [ nonsense" }).to_string(),
        json!({ "raw": error }).to_string(),
        json!({ "text": "too late", "delay_s": 3600 }).to_string(),
        json!({ "text": "never whole", "close": "before" }).to_string(),
        json!({ "status": 429, "raw": "" }).to_string(),
        reply(&format!("the key was {key}")),
    ];
    let (place, server) = (Workplace::new(), scripted(&lines.each_ref().map(String::as_str)));
    let upstream = url(&server);
    let arguments = ["run", "--run-dir", "run", "--upstream", &upstream, "--max-turns", "4"];
    let quick = ["--set", "model.attempts=1", "--set", "model.timeout_s=5"];
    let mut command = place.franz(&[&arguments, &SMALL[..], &quick].concat());
    command.env("FRANZ_API_KEY", key);
    let finished = spawn(command).finish();
    // The run fails because two turns in a row end with an answer that repeats the key.
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);

    let requests = server.requests();
    let entries = entries(&place);
    assert_eq!((requests.len(), entries.len()), (8, 16));
    let came = [
        "\"first\"",
        "<html>it broke</html>",
        "{\"choices\": [ nonsense",
        "the response repeated the API key",
        "within 5 s",
        "broke",
        "429",
        "the response repeated the API key",
    ];
    for ((pair, request), came) in entries.chunks(2).zip(&requests).zip(came) {
        let [(sent, body), (answered, back)] = pair else {
            panic!()
        };
        assert_eq!((sent.as_str(), answered.as_str()), ("request", "response"));
        let sent = String::from_utf8(request.body.to_vec()).unwrap();
        let (before, picture) = sent.split_once("base64,").unwrap();
        let (_, behind) = picture.split_once('"').unwrap();
        assert!(squeezed(body).starts_with(&squeezed(before)), "{body}");
        assert!(squeezed(body).ends_with(&squeezed(behind)), "{body}");
        assert!(squeezed(back).contains(&squeezed(came)), "{came}: {back}");
    }
    assert!(!fs::read_to_string(place.file("exchange.log")).unwrap().contains(key));
}

/// The log is also complete with a relay in between, which does not wait for the log.
#[test]
fn a_request_is_logged_before_its_response_arrives() {
    for watched in [false, true] {
        let server = scripted(&[&reply("first"), r#"{"text": "too late", "delay_s": 3600}"#]);
        let place = Workplace::new();
        let upstream = url(&server);
        let arguments = ["run", "--run-dir", "run", "--upstream", &upstream];
        let command = if watched {
            place.program(&[&arguments[..], &SMALL[..], &["--dashboard", "127.0.0.1:0", "--no-open"]].concat())
        } else {
            place.franz(&[&arguments[..], &SMALL[..]].concat())
        };
        let running = spawn(command);
        let print = || {
            let finished = spawn(place.program(&["runs", "show", "run", "--exchange", "2"])).finish();
            (finished.code == Some(0)).then_some(finished.stdout)
        };
        let shown = wait_until("the second request", print);
        assert!(
            shown.contains("REQUEST TO MODEL:") && shown.contains("no response"),
            "{shown}"
        );
        running.kill();
        let log = log(&place);
        let members: Vec<_> = log
            .iter()
            .map(|line| (line["turn"].as_u64(), line["request"].is_object()))
            .collect();
        assert_eq!(members, [(Some(1), true), (Some(1), false), (Some(2), true)]);
        assert_eq!(print().unwrap(), shown);
    }
}

/// Retries of a turn are logged as pairs, too.
#[test]
fn a_retry_is_logged_as_its_own_pair() {
    let trouble = r#"{"status": 503, "raw": "I am loading"}"#;
    let (place, server) = (Workplace::new(), scripted(&[trouble, &reply("here")]));
    let finished = start(&place, &url(&server), &["--max-turns", "1"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let entries = entries(&place);
    let titles: Vec<&str> = entries.iter().map(|(title, _)| title.as_str()).collect();
    let pair = ["request", "response"];
    assert_eq!(titles, [pair, pair].concat());
    assert_eq!(entries[0], entries[2]);
    assert_eq!(entries[1].1, "I am loading");
    let log = log(&place);
    let member = |name: &str| -> Vec<&Value> { log.iter().map(|line| &line[name]).collect() };
    assert_eq!(member("turn"), [1; 4]);
    assert_eq!(member("status"), [&json!(null), &json!(503), &json!(null), &json!(200)]);
    let ids = member("id");
    assert!(ids[0] == ids[1] && ids[1] != ids[2] && ids[2] == ids[3], "{ids:?}");
}

/// A request to a server that is down is logged as a pair before the next server is asked.
#[test]
fn a_fallback_request_is_logged_as_its_own_pair() {
    let (first, second) = (
        scripted(&[r#"{"close": "mid", "raw": "half of it"}"#]),
        scripted(&[&reply("here")]),
    );
    let fallback = format!("model.fallback={:?}", [url(&second)]);
    let place = Workplace::new();
    let more = ["--max-turns", "1", "--set", "model.attempts=1", "--set", &fallback];
    let finished = start(&place, &url(&first), &more).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let entries = entries(&place);
    let [(_, asked), (_, broken), (_, again), (_, answered)] = &entries[..] else {
        panic!("{entries:?}")
    };
    assert_eq!(asked, again);
    assert_eq!(broken, "half");
    assert!(answered.contains("\"here\""), "{answered}");
}

#[test]
fn each_picture_of_a_conversation_is_replaced_by_its_own_hash() {
    let drag = |turn: u32| json!({ "x1": turn * 100, "y1": 0, "x2": 900, "y2": 900 });
    let lines: Vec<String> = (1..=5)
        .map(|turn| {
            let function = json!({ "name": "drag", "arguments": drag(turn) });
            json!({ "text": "I draw.", "tool_calls": [{ "id": turn.to_string(), "function": function }] }).to_string()
        })
        .collect();
    let (place, server) = (
        Workplace::new(),
        scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>()),
    );
    let more = [
        "--profile",
        "operator",
        "--max-turns",
        "5",
        "--set",
        "memory.keep_screenshots=3",
        "--set",
        "memory.most_screenshots=3",
        "Draw.",
    ];
    let finished = start(&place, &url(&server), &more).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let hashes: Vec<String> = place
        .turns()
        .into_iter()
        .map(|turn| turn.image.unwrap().sha256)
        .collect();
    let entries = entries(&place);
    let requests = entries.iter().filter(|(title, _)| title == "request");
    let chats = chat::all(&server);
    for (turn, ((_, body), chat)) in (1..).zip(requests.zip(&chats)) {
        let sent: Vec<&str> = pictures(chat).collect();
        let logged: serde_json::Value = serde_json::from_str(body).unwrap();
        let logged: Vec<&str> = pictures(&logged).collect();
        let wanted: Vec<String> = hashes[usize::saturating_sub(turn, 3)..turn]
            .iter()
            .zip(&sent)
            .map(|(hash, sent)| format!("[b64 sha={} len={}]", &hash[..12], sent.len()))
            .collect();
        assert_eq!(logged, wanted, "turn {turn}");
    }
    let distinct: std::collections::HashSet<&String> = hashes.iter().collect();
    assert_eq!(distinct.len(), 5, "the pictures differ");
}

/// Returns the Base64 of every picture in a request, or the text that replaces it.
fn pictures(chat: &serde_json::Value) -> impl Iterator<Item = &str> {
    let parts = chat::messages(chat)
        .iter()
        .filter_map(|message| message["content"].as_array());
    let urls = parts.flatten().filter_map(|part| part["image_url"]["url"].as_str());
    urls.map(|url| url.strip_prefix("data:image/png;base64,").unwrap())
}
