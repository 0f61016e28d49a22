//! A run's tokens are counted, and a token budget ends the run.

use franz_record::{RunState, Tokens};

use crate::e2e::settings::{resume, start};
use crate::harness::{Workplace, scripted, url};

const REPLY: &str = r#"{"choices":[{"message":{"content":"I look."},"finish_reason":"stop"}]"#;

/// Returns the script line of a reply with this `usage`.
fn costing(usage: &str) -> String {
    format!(r#"{{"json": {REPLY},"usage":{usage}}}}}"#)
}

fn tokens(place: &Workplace) -> Tokens {
    let state: RunState = serde_json::from_slice(&std::fs::read(place.file("state.json")).unwrap()).unwrap();
    state.tokens
}

#[test]
fn the_state_counts_the_tokens_used() {
    let lines = [
        costing(r#"{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}"#),
        format!(r#"{{"json": {REPLY}}}}}"#),
        costing(r#"{"prompt_tokens":7,"prompt_tokens_details":{"cached_tokens":5},"completion_tokens":1}"#),
        costing(r#"{"prompt_tokens":"many","completion_tokens":-3,"total_tokens":null}"#),
    ];
    let (place, server) = (Workplace::new(), scripted(&lines.each_ref().map(String::as_str)));
    let finished = start(&place, &url(&server), &["--max-turns", "4"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let wanted = Tokens {
        prompt: 107,
        cached: 5,
        completion: 21,
        total: 128,
    };
    assert_eq!(tokens(&place), wanted);
}

/// A server that counts far fewer tokens than it was sent might have cut the request. This is reported once.
#[test]
fn a_server_that_counts_too_few_tokens_is_reported_once() {
    for (prompt, told) in [(100, 1), (700, 0)] {
        let line = costing(&format!(r#"{{"prompt_tokens":{prompt},"completion_tokens":10}}"#));
        let (place, server) = (Workplace::new(), scripted(&[&line]));
        let finished = start(&place, &url(&server), &["--max-turns", "3"]).finish();
        let words = format!("note: the server counted only {prompt} of about ");
        assert_eq!(finished.stdout.matches(&words).count(), told, "{}", finished.stdout);
    }
}

/// Returns the script line of a call that only looks, and costs this many tokens.
fn looking(count: u64) -> String {
    let call = r#"{"id":"a","type":"function","function":{"name":"observe_screen","arguments":"{}"}}"#;
    let message = format!(r#"{{"content":"I look.","tool_calls":[{call}]}}"#);
    let usage = format!(r#"{{"prompt_tokens":{count},"completion_tokens":10}}"#);
    format!(r#"{{"json": {{"choices":[{{"message":{message}}}],"usage":{usage}}}}}"#)
}

#[test]
fn a_server_whose_counts_leave_no_room_for_earlier_steps_is_reported_once() {
    for (most, told) in [(512, 1), (16_384, 0)] {
        let line = looking(3000);
        let (place, server) = (Workplace::new(), scripted(&[&line, &line, &line, &line]));
        let most = format!("memory.most_tokens={most}");
        let more = ["--profile", "operator", "--set", &most, "--max-turns", "4", "Look"];
        let finished = start(&place, &url(&server), &more).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let words = "the model sees only its last step: with more, a request exceeds 512 tokens";
        assert_eq!(finished.stdout.matches(words).count(), told, "{}", finished.stdout);
    }
}

/// A conversation only grows until FRANZ forgets something, so a falling count shows that the server itself dropped
/// something.
#[test]
fn a_server_that_counts_fewer_tokens_of_a_longer_conversation_is_reported_once() {
    let same = ["--profile", "operator"];
    let forgetful = [&same[..], &["--set", "memory.most_screenshots=1"]].concat();
    for (more, counts, told) in [
        (&same[..], [4000, 4100, 4096, 4090], 1),
        (&same, [4000, 4100, 4100, 4200], 0),
        (&forgetful, [4000, 4100, 4096, 4090], 0),
    ] {
        let lines = counts.map(looking);
        let (place, server) = (Workplace::new(), scripted(&lines.each_ref().map(String::as_str)));
        let finished = start(&place, &url(&server), &[more, &["--max-turns", "4", "Look"]].concat()).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let words = "note: the server counted only 4096 of about ";
        assert_eq!(finished.stdout.matches(words).count(), told, "{}", finished.stdout);
        assert_eq!(
            finished.stdout.matches("counted only").count(),
            told,
            "{}",
            finished.stdout
        );
    }
}

/// A story that is sent back is longer or shorter each time, so a count that stays the same is the server's limit.
#[test]
fn a_server_that_counts_the_same_tokens_of_a_longer_story_is_reported_once() {
    let (short, long) = ("I look.".to_owned(), "I look at it once more. ".repeat(40));
    for (replies, counts, told) in [
        ([&short, &long, &long], [2000, 2048, 2048], 1),
        ([&short, &long, &long], [2000, 2048, 2250], 0),
        ([&short, &short, &short], [2000, 2048, 2048], 0),
    ] {
        let line = |(text, count): (&String, u64)| {
            let usage = format!(r#"{{"prompt_tokens":{count},"completion_tokens":10}}"#);
            format!(r#"{{"json": {{"choices":[{{"message":{{"content":"{text}"}}}}],"usage":{usage}}}}}"#)
        };
        let lines: Vec<String> = replies.into_iter().zip(counts).map(line).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (place, server) = (Workplace::new(), scripted(&lines));
        let finished = start(&place, &url(&server), &["--max-turns", "3"]).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let words = "note: the server counted only 2048 of about ";
        assert_eq!(finished.stdout.matches(words).count(), told, "{}", finished.stdout);
    }
}

#[test]
fn a_used_up_budget_ends_the_run_and_can_be_raised() {
    let line = costing(r#"{"prompt_tokens":90,"completion_tokens":10,"total_tokens":100}"#);
    let (place, server) = (Workplace::new(), scripted(&[&line]));
    let finished = start(&place, &url(&server), &["--set", "model.max_total_tokens=250"]).finish();
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let words = "the token budget is used up: 300 of 250; raise model.max_total_tokens to continue";
    assert!(finished.stdout.contains(words), "{}", finished.stdout);
    assert_eq!((place.turns().len(), tokens(&place).total), (3, 300));

    // Continuing without a larger budget sends no request.
    let finished = resume(&place, &url(&server), &[]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains(words), "{}", finished.stdout);
    assert_eq!(server.requests().len(), 3);

    let raised = ["--set", "model.max_total_tokens=500"];
    let finished = resume(&place, &url(&server), &raised).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("500 of 500"), "{}", finished.stdout);
    assert_eq!(place.turns().len(), 5);
}

#[test]
fn a_server_without_token_counts_never_uses_up_the_budget() {
    let (place, server) = (Workplace::new(), scripted(&[&format!(r#"{{"json": {REPLY}}}}}"#)]));
    let more = ["--max-turns", "6", "--set", "model.max_total_tokens=1"];
    let finished = start(&place, &url(&server), &more).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!((place.turns().len(), tokens(&place)), (6, Tokens::default()));
}
