//! A server that changes its model: the run says so once, and goes on as the new model speaks.

use franz_demo::DemoHandle;
use franz_record::{Status, TurnLine};
use serde_json::json;

use crate::e2e::settings::{resume, start};
use crate::harness::{Finished, Workplace, scripted, url, wait_until};
use crate::routes::{Route, Routes};

/// A reply in which the server calls its model so.
fn from(model: &str) -> String {
    json!({ "json": { "model": model, "choices": [{ "message": { "content": "I look." } }] } }).to_string()
}

fn run(server: &DemoHandle, turns: usize) -> (Workplace, Finished) {
    let place = Workplace::new();
    let turns = turns.to_string();
    let finished = start(&place, &url(server), &["--profile", "sketch", "--max-turns", &turns]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    (place, finished)
}

fn changes(finished: &Finished) -> Vec<&str> {
    let lines = finished.stdout.lines();
    lines.filter(|line| line.contains("changed its model")).collect()
}

fn families(place: &Workplace) -> Vec<String> {
    let family = |turn: TurnLine| turn.read_as.map_or("franz".to_owned(), |read_as| read_as.family);
    place.turns().into_iter().map(family).collect()
}

#[test]
fn a_reply_from_another_model_changes_the_family_from_the_next_turn_on() {
    let lines = ["org/a-1", "org/a-1", "qwen3-vl-8b"].map(from);
    let server = scripted(&lines.each_ref().map(String::as_str));
    let (place, finished) = run(&server, 5);
    let said = changes(&finished);
    assert_eq!(said.len(), 1, "{}", finished.stdout);
    let wanted = "changed its model from 'org/a-1' to 'qwen3-vl-8b'; 'qwen3-vl-8b' is of the family qwen3-vl";
    assert!(said[0].contains(wanted), "{said:?}");
    assert_eq!(families(&place), ["franz", "franz", "franz", "qwen3-vl", "qwen3-vl"]);
    // The server lists one model only, and is asked for that.
    let asked = server.requests().iter().all(|request| {
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        body["model"] == "franz-demo"
    });
    assert!(asked);
}

#[test]
fn an_alias_from_the_first_reply_on_is_no_change() {
    let path = from("/models/qwen3-vl-8b-2026-01-01.gguf");
    let (place, finished) = run(&scripted(&[&path]), 3);
    assert_eq!(changes(&finished), [""; 0]);
    assert_eq!(families(&place), ["franz"; 3]);
    // The same holds for a server that gives no name now and then.
    let nameless = json!({ "json": { "choices": [{ "message": { "content": "I look." } }] } }).to_string();
    let lines = [&from("a"), &nameless, &from("a"), &from(""), &from("a")];
    let (_, finished) = run(&scripted(&lines.map(String::as_str)), 5);
    assert_eq!(changes(&finished), [""; 0], "{}", finished.stdout);
}

#[test]
fn a_server_that_always_changes_is_not_followed_for_ever() {
    let lines: Vec<String> = (0..30).map(|turn| from(["a", "b"][turn % 2])).collect();
    let server = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (_, finished) = run(&server, 30);
    let said = changes(&finished);
    assert_eq!(said.len(), 9, "{}", finished.stdout);
    assert!(said[8].contains("no change is followed any more"), "{said:?}");
}

/// A server with one model, which it does not name in its replies.
fn serving(model: &str) -> Vec<Route> {
    vec![
        ("/v1/models", 200, json!({ "data": [{ "id": model }] }).to_string()),
        (
            "/v1/chat/completions",
            200,
            json!({ "choices": [{ "message": { "content": "I look." } }] }).to_string(),
        ),
    ]
}

/// The same, which refuses to answer as another model.
fn without(asked: &str, models: &[&str]) -> Vec<Route> {
    let models: Vec<_> = models.iter().map(|id| json!({ "id": id })).collect();
    let words = format!("The model `{asked}` does not exist.");
    vec![
        ("/v1/models", 200, json!({ "data": models }).to_string()),
        (
            "/v1/chat/completions",
            404,
            json!({ "error": { "message": words } }).to_string(),
        ),
    ]
}

#[test]
fn a_server_that_comes_back_with_another_model_is_recognised() {
    let (place, server) = (Workplace::new(), Routes::serve(serving("local")));
    let running = start(&place, &server.url, &["--profile", "sketch"]);
    place.wait_for_turn(2);
    server.change(vec![("/v1/chat/completions", 503, "loading".to_owned())]);
    let count = server.count("/v1/chat/completions");
    wait_until("a request that is not answered", || {
        (server.count("/v1/chat/completions") > count + 1).then_some(())
    });
    server.change(serving("qwen3-vl-8b"));
    let turns = wait_until("turns in the new family", || {
        let turns = place.wait_for_turn(2);
        turns.iter().any(|turn| turn.read_as.is_some()).then_some(turns)
    });
    let away = turns.iter().position(|turn| turn.attempts > 1).unwrap();
    assert!(turns[..=away].iter().all(|turn| turn.read_as.is_none()));
    assert_eq!(turns[away + 1].read_as.as_ref().unwrap().family, "qwen3-vl");
    assert_eq!(
        turns[away + 1].model.as_deref(),
        Some("qwen3-vl-8b"),
        "it is asked by its name"
    );
    running.kill();
}

#[test]
fn a_model_that_is_gone_is_replaced_by_the_only_one() {
    let (place, server) = (Workplace::new(), Routes::serve(serving("local")));
    let running = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "200"]);
    place.wait_for_turn(2);
    server.change(without("local", &["qwen3-vl-8b", "text-embedding-x"]));
    let lists = server.count("/v1/models");
    wait_until("another list", || (server.count("/v1/models") > lists).then_some(()));
    server.change(serving("qwen3-vl-8b"));
    let turns = wait_until("turns in the new family", || {
        let turns = place.wait_for_turn(2);
        turns.iter().any(|turn| turn.read_as.is_some()).then_some(turns)
    });
    let first = turns.iter().find(|turn| turn.read_as.is_some()).unwrap();
    assert_eq!(first.model.as_deref(), Some("qwen3-vl-8b"));
    running.kill();
}

#[test]
fn a_named_model_that_is_gone_is_reported_with_what_there_is() {
    for (models, words) in [
        (
            &["a", "b"][..],
            "'local' is not there; the server has: a, b; choose one with --model",
        ),
        (
            &["a"],
            "'local' is not there; the server has: a; choose one with --model",
        ),
        (&[], "'local' is not there; the server lists no models: load it"),
    ] {
        let (place, server) = (Workplace::new(), Routes::serve(without("local", models)));
        let finished = start(&place, &server.url, &["--model", "local", "--max-turns", "3"]).finish();
        assert_eq!(finished.code, Some(3), "{}", finished.stdout);
        assert_eq!(finished.stdout.matches(words).count(), 1, "{}", finished.stdout);
        assert_eq!(place.turns()[0].status, Status::Failed);
    }
}

#[test]
fn a_resumed_run_says_that_the_server_has_another_model() {
    let (place, server) = (Workplace::new(), Routes::serve(serving("local")));
    let begun = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "1"]).finish();
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    let again = resume(&place, &server.url, &["--max-turns", "1"]).finish();
    assert_eq!(changes(&again), [""; 0], "it is the same");
    server.change(serving("qwen3-vl-8b"));
    let resumed = resume(&place, &server.url, &["--max-turns", "2"]).finish();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(changes(&resumed).len(), 1, "{}", resumed.stdout);
    assert!(
        changes(&resumed)[0].contains("from 'local' to 'qwen3-vl-8b'"),
        "{}",
        resumed.stdout
    );
    assert_eq!(families(&place), ["franz", "franz", "qwen3-vl", "qwen3-vl"]);
    // Another server is no change of a server.
    let other = Routes::serve(serving("another"));
    let elsewhere = resume(&place, &other.url, &["--max-turns", "1"]).finish();
    assert_eq!(changes(&elsewhere), [""; 0], "{}", elsewhere.stdout);
}

#[test]
fn a_resumed_run_notices_another_name_in_the_first_reply() {
    let replying = |model: &str| {
        let body = json!({ "model": model, "choices": [{ "message": { "content": "I look." } }] });
        let mut routes = serving("local");
        routes[1].2 = body.to_string();
        routes
    };
    let (place, server) = (Workplace::new(), Routes::serve(replying("/models/a.gguf")));
    let begun = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "1"]).finish();
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    server.change(replying("/models/qwen3-vl-8b.gguf"));
    let resumed = resume(&place, &server.url, &["--max-turns", "2"]).finish();
    assert_eq!(changes(&resumed).len(), 1, "{}", resumed.stdout);
    assert_eq!(families(&place), ["franz", "franz", "qwen3-vl"]);
}
