//! A server changes its model. The run reports this once, and continues in the new model's format.

use franz_demo::DemoHandle;
use franz_record::{Status, TurnLine};
use serde_json::json;

use crate::e2e::settings::{resume, start};
use crate::harness::{Finished, Workplace, scripted, url, wait_until};
use crate::routes::{Route, Routes};

/// Returns a reply in which the server gives its model this name.
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
    let wanted = "changed its model from 'org/a-1' to 'qwen3-vl-8b'; 'qwen3-vl-8b' belongs to the qwen3-vl family";
    assert!(said[0].contains(wanted), "{said:?}");
    assert_eq!(families(&place), ["franz", "franz", "franz", "qwen3-vl", "qwen3-vl"]);
    // The server lists only one model, and requests name that one.
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
    // The same is true for a server that sometimes gives no name.
    let nameless = json!({ "json": { "choices": [{ "message": { "content": "I look." } }] } }).to_string();
    let lines = [&from("a"), &nameless, &from("a"), &from(""), &from("a")];
    let (_, finished) = run(&scripted(&lines.map(String::as_str)), 5);
    assert_eq!(changes(&finished), [""; 0], "{}", finished.stdout);
}

#[test]
fn a_server_that_always_changes_is_not_followed_for_ever() {
    let replies = (0..30).map(|turn| reply(["qwen3-vl-8b", "qwen2.5-vl-7b"][turn % 2]));
    let server = Routes::serve(std::iter::once(listing(&["local"])).chain(replies).collect());
    let finished = start(
        &Workplace::new(),
        &server.url,
        &["--profile", "sketch", "--max-turns", "30"],
    )
    .finish();
    let said = changes(&finished);
    assert_eq!(said.len(), 9, "{}", finished.stdout);
    assert!(
        said[8].contains("it changes too often, so further changes are ignored"),
        "{said:?}"
    );
    assert_eq!(
        server.count("/v1/models"),
        10,
        "one at the start, and one for each notice"
    );
}

#[test]
fn an_alias_changes_no_family() {
    let server = Routes::serve(vec![
        listing(&["qwen2.5-vl-7b"]),
        reply("qwen2.5-vl-7b"),
        reply("default"),
    ]);
    let place = Workplace::new();
    let finished = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "4"]).finish();
    assert_eq!(changes(&finished), [""; 0], "{}", finished.stdout);
    assert_eq!(families(&place), ["qwen2.5-vl"; 4]);
}

#[test]
fn what_is_known_of_a_server_holds_for_its_new_model() {
    let listed = json!({ "data": [{ "id": "local", "max_model_len": 900 }] }).to_string();
    let server = Routes::serve(vec![
        ("/v1/models", 200, listed),
        reply("org/a-1"),
        reply("qwen3-vl-8b"),
    ]);
    let place = Workplace::new();
    let few = [
        "--profile",
        "sketch",
        "--set",
        "model.max_tokens=800",
        "--max-turns",
        "4",
    ];
    let finished = start(&place, &server.url, &few).finish();
    assert_eq!(changes(&finished).len(), 1, "{}", finished.stdout);
    assert_eq!(families(&place), ["franz", "franz", "qwen3-vl", "qwen3-vl"]);
    for turn in place.turns() {
        let sampling = serde_json::to_value(&turn.sampling).unwrap();
        assert_eq!(sampling["max_tokens"], 512, "it fits into the context");
    }
}

/// Returns the answers of a server with one model, which it does not name in its replies.
fn serving(model: &str) -> Vec<Route> {
    vec![
        listing(&[model, "text-embedding-x"]),
        (
            "/v1/chat/completions",
            200,
            json!({ "choices": [{ "message": { "content": "I look." } }] }).to_string(),
        ),
    ]
}

fn listing(models: &[&str]) -> Route {
    let models: Vec<_> = models.iter().map(|id| json!({ "id": id })).collect();
    ("/v1/models", 200, json!({ "data": models }).to_string())
}

/// Returns a reply that names this model.
fn reply(model: &str) -> Route {
    let body = json!({ "model": model, "choices": [{ "message": { "content": "I look." } }] });
    ("/v1/chat/completions", 200, body.to_string())
}

fn refusal(status: u16, words: &str) -> Route {
    let body = json!({ "error": { "message": words } });
    ("/v1/chat/completions", status, body.to_string())
}

/// Returns the answers of a server with these models, which refuses requests for the model `asked`.
fn without(asked: &str, models: &[&str]) -> Vec<Route> {
    vec![
        listing(models),
        refusal(404, &format!("The model `{asked}` does not exist.")),
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
    let running = start(&place, &server.url, &["--profile", "sketch"]);
    place.wait_for_turn(2);
    let refused = without("local", &["qwen3-vl-8b", "text-embedding-x"]);
    // Only the next request is refused: it still names the model that is gone.
    server.change([refused, serving("qwen3-vl-8b")].concat());
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
            "'local' is not on the server; the server has: a, b; choose one with --model",
        ),
        (
            &["a"],
            "'local' is not on the server; the server has: a; choose one with --model",
        ),
        (
            &[],
            "'local' is not on the server; the server lists no models: load one",
        ),
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
    // Using another server does not count as a change.
    let other = Routes::serve(serving("another"));
    let elsewhere = resume(&place, &other.url, &["--max-turns", "1"]).finish();
    assert_eq!(changes(&elsewhere), [""; 0], "{}", elsewhere.stdout);
}

#[test]
fn a_resumed_run_notices_another_name_in_the_first_reply() {
    let replying = |model: &str| vec![listing(&["local"]), reply(model)];
    let (place, server) = (Workplace::new(), Routes::serve(replying("/models/a.gguf")));
    let begun = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "1"]).finish();
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    server.change(replying("/models/qwen3-vl-8b.gguf"));
    let resumed = resume(&place, &server.url, &["--max-turns", "2"]).finish();
    assert_eq!(changes(&resumed).len(), 1, "{}", resumed.stdout);
    assert_eq!(families(&place), ["franz", "franz", "qwen3-vl"]);
}

#[test]
fn a_resumed_run_goes_on_as_the_model_that_a_reply_named() {
    for named in [&[][..], &["--model", "local"]] {
        for turns in ["2", "3"] {
            let server = Routes::serve(vec![listing(&["local"]), reply("org/a-1"), reply("qwen3-vl-8b")]);
            let place = Workplace::new();
            let begun = [&["--profile", "sketch", "--max-turns", turns], named].concat();
            let begun = start(&place, &server.url, &begun).finish();
            assert_eq!(begun.code, Some(0), "{}", begun.stderr);
            let resumed = resume(&place, &server.url, &[&["--max-turns", "2"], named].concat()).finish();
            assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
            assert_eq!(changes(&resumed), [""; 0], "{}", resumed.stdout);
            assert_eq!(
                families(&place)[2..]
                    .iter()
                    .filter(|family| *family == "qwen3-vl")
                    .count(),
                place.turns().len() - 2
            );
        }
    }
}

#[test]
fn a_resumed_run_still_notices_a_change_after_the_one_it_followed() {
    let server = Routes::serve(vec![
        listing(&["local"]),
        reply("org/a-1"),
        reply("qwen3-vl-8b"),
        reply("qwen3-vl-8b"),
        reply("qwen2.5-vl-7b"),
    ]);
    let place = Workplace::new();
    let begun = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "3"]).finish();
    assert_eq!(changes(&begun).len(), 1, "{}", begun.stdout);
    let resumed = resume(&place, &server.url, &["--max-turns", "2"]).finish();
    let said = changes(&resumed);
    assert_eq!(said.len(), 1, "{}", resumed.stdout);
    assert!(said[0].contains("from 'qwen3-vl-8b' to 'qwen2.5-vl-7b'"), "{said:?}");
    assert_eq!(families(&place)[3..], ["qwen3-vl", "qwen2.5-vl"]);
}

#[test]
fn a_missing_model_is_looked_for_in_each_turn() {
    let missing = "The model `local` does not exist.";
    let server = Routes::serve(vec![
        listing(&["local"]),
        listing(&["a", "b"]),
        listing(&["qwen3-vl-8b"]),
        reply("local"),
        refusal(404, missing),
        refusal(404, missing),
        reply("qwen3-vl-8b"),
    ]);
    let place = Workplace::new();
    let finished = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "3"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stdout);
    let turns = place.turns();
    assert_eq!(turns[1].status, Status::Failed);
    assert_eq!(turns[2].model.as_deref(), Some("qwen3-vl-8b"));
}

#[test]
fn a_missing_model_is_looked_for_on_each_server() {
    let missing = "The model `local` does not exist.";
    let first = Routes::serve(vec![
        listing(&["local"]),
        listing(&["other"]),
        reply("local"),
        refusal(404, missing),
        refusal(503, "loading"),
    ]);
    let second = Routes::serve(vec![
        listing(&["local"]),
        listing(&["qwen3-vl-8b"]),
        refusal(404, missing),
        reply("qwen3-vl-8b"),
    ]);
    let place = Workplace::new();
    let fallback = format!("model.fallback=[\"{}\"]", second.url);
    let more = ["--profile", "sketch", "--max-turns", "2", "--set", &fallback];
    let finished = start(&place, &first.url, &more).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stdout);
    assert_eq!(
        place.turns()[1].model.as_deref(),
        Some("qwen3-vl-8b"),
        "{}",
        finished.stdout
    );
}

#[test]
fn what_was_tried_with_one_model_is_not_remembered_for_another() {
    let server = Routes::serve(vec![
        listing(&["local"]),
        listing(&["qwen3-vl-8b"]),
        reply("local"),
        refusal(
            400,
            "Conversation roles must alternate user/assistant/user/assistant/...",
        ),
        refusal(404, "The model `local` does not exist."),
        reply("qwen3-vl-8b"),
    ]);
    let place = Workplace::new();
    let finished = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "2"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stdout);
    assert!(
        finished
            .stdout
            .contains("the server refuses this form of request; trying"),
        "{}",
        finished.stdout
    );
    assert!(!finished.stdout.contains("that worked"), "{}", finished.stdout);
}

/// The settings that a model needs are remembered for that model only, and apply as soon as the server switches to it.
#[test]
fn what_is_remembered_of_the_second_model_applies_to_it() {
    let strict = "Conversation roles must alternate user/assistant/user/assistant/...";
    let server = Routes::serve(vec![
        listing(&["qwen3-vl-8b"]),
        refusal(400, strict),
        reply("qwen3-vl-8b"),
    ]);
    let place = Workplace::new();
    let one = ["--profile", "sketch", "--max-turns", "1"];
    let learned = start(&place, &server.url, &one).finish();
    assert!(
        learned.stdout.contains("that worked; FRANZ remembers it"),
        "{}",
        learned.stdout
    );
    server.change(vec![listing(&["local"]), reply("org/a-1"), reply("qwen3-vl-8b")]);
    std::fs::remove_dir_all(place.file("")).unwrap();
    let finished = start(&place, &server.url, &["--profile", "sketch", "--max-turns", "3"]).finish();
    assert_eq!(changes(&finished).len(), 1, "{}", finished.stdout);
    let log = std::fs::read_to_string(place.file("exchange.log")).unwrap();
    let requests = log.lines().filter(|line| line.contains(r#""request":{"#));
    let messages: Vec<usize> = requests.map(|line| line.matches(r#""role":"#).count()).collect();
    assert_eq!(messages, [3, 3, 2], "the story is merged into the other message");
}
