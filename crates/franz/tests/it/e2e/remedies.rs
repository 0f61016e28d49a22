//! Servers that refuse some part of a request: FRANZ sends it in another form, and remembers the form that helped.

use serde_json::{Value, json};

use crate::harness::{Running, Workplace, scripted, spawn, url};
use crate::puppet::Puppet;

/// Runs a profile for some turns.
fn run(place: &Workplace, url: &str, directory: &str, profile: &str, turns: &str) -> Running {
    let mut arguments = vec![
        "run",
        "--run-dir",
        directory,
        "--profile",
        profile,
        "--max-turns",
        turns,
    ];
    arguments.extend([
        "--screen",
        "canvas",
        "--set",
        "loop.executing_delay_s=0",
        "--upstream",
        url,
        "Look",
    ]);
    spawn(place.franz(&arguments))
}

fn pictures(request: &Value) -> usize {
    request.to_string().matches("data:image/png").count()
}

#[test]
fn a_server_that_refuses_several_pictures_gets_fewer_from_then_on() {
    let zoom = r#"{"name": "zoom", "parameters": {"from": [0, 0], "to": [300, 300]}}"#;
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let running = run(&place, &server.url(), "run", "operator", "2");
    assert_eq!(pictures(&server.chat()), 1);
    assert_eq!(pictures(&server.then(zoom)), 3, "the first one, the part and the whole");
    server.refuse("At most 1 image(s) may be provided in one request.");
    let again = server.chat();
    assert_eq!(pictures(&again), 1);
    assert!(again.to_string().contains("only the whole screen is shown"), "{again}");
    server.reply("I look.");
    let finished = running.finish();
    let told = &finished.stdout;
    assert_eq!(finished.code, Some(0), "{told}\n{}", finished.stderr);
    assert_eq!(told.matches("trying memory.most_screenshots = 1").count(), 1, "{told}");
    assert!(told.contains("that worked; FRANZ remembers it"), "{told}");

    let running = run(&place, &server.url(), "again", "operator", "2");
    assert_eq!(pictures(&server.chat()), 1);
    assert_eq!(pictures(&server.then(zoom)), 1);
    server.reply("I look.");
    assert_eq!(running.finish().code, Some(0));
}

#[test]
fn a_server_that_refuses_an_empty_message_gets_words_from_then_on() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let running = run(&place, &server.url(), "run", "sketch", "1");
    assert_eq!(server.chat()["messages"][1]["content"], "");
    server.refuse("messages.1: content must not be empty");
    assert_eq!(server.chat()["messages"][1]["content"], "(nothing yet)");
    server.reply("I look.");
    let finished = running.finish();
    let told = &finished.stdout;
    assert_eq!(finished.code, Some(0), "{told}\n{}", finished.stderr);
    assert_eq!(told.matches("trying memory.empty_story = ").count(), 1, "{told}");
    assert!(told.contains("that worked; FRANZ remembers it"), "{told}");

    let running = run(&place, &server.url(), "again", "sketch", "1");
    assert_eq!(server.chat()["messages"][1]["content"], "(nothing yet)");
    server.reply("I look.");
    assert_eq!(running.finish().code, Some(0));
}

#[test]
fn a_server_that_refuses_fields_gets_newer_ones_or_none_from_then_on() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let running = run(&place, &server.url(), "run", "sketch", "1");
    let first = server.chat();
    assert!(first["max_tokens"].is_u64() && first["temperature"].is_f64(), "{first}");
    server.refuse("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.");
    let second = server.chat();
    assert_eq!(second["max_completion_tokens"], first["max_tokens"]);
    assert!(second["max_tokens"].is_null(), "{second}");
    server.refuse("Unsupported value: 'temperature' does not support 0.3 with this model.");
    let third = server.chat();
    assert!(third["temperature"].is_null() && third["top_p"].is_null(), "{third}");
    server.reply("I look.");
    let finished = running.finish();
    let told = &finished.stdout;
    assert_eq!(finished.code, Some(0), "{told}\n{}", finished.stderr);
    assert!(told.contains("that worked; FRANZ remembers it"), "{told}");

    let running = run(&place, &server.url(), "again", "sketch", "1");
    let again = server.chat();
    assert_eq!(again["max_completion_tokens"], first["max_tokens"]);
    assert!(again["temperature"].is_null(), "{again}");
    server.reply("I look.");
    assert_eq!(running.finish().code, Some(0));
}

/// For each request, one line says what it gives up. A request that cannot be shortened further is not sent again.
#[test]
fn a_context_that_fits_nothing_ends_the_run_with_the_reason() {
    let unknown = "the request exceeds the available context size";
    let known = "request (9000 tokens) exceeds the available context size (300 tokens)";
    for (words, most) in [(unknown, 9), (known, 2)] {
        let refusal = json!({ "status": 400, "raw": json!({ "error": { "message": words } }).to_string() });
        let (place, server) = (Workplace::new(), scripted(&[&refusal.to_string()]));
        let finished = run(&place, &url(&server), "run", "companion", "3").finish();
        let told = &finished.stdout;
        assert_eq!(finished.code, Some(3), "{told}\n{}", finished.stderr);
        let asked = server.requests();
        assert!((2..=most).contains(&asked.len()), "{told}");
        assert!(
            asked.windows(2).all(|pair| pair[1].body.len() < pair[0].body.len()),
            "{told}"
        );
        let again = "asking again with a shorter one: ";
        assert_eq!(told.matches(again).count(), asked.len() - 1, "{told}");
        let mut notes = told.lines().filter(|line| line.starts_with("note: "));
        assert!(
            notes.all(|note| !note.contains("make the picture and the reply smaller")),
            "{told}"
        );
        let first = format!("{again}a reply gets at most 512 tokens, the picture is ");
        assert!(told.contains(&first) && !told.contains("is short: "), "{told}");
        let reason = format!("a request this long (400: {words}); start it with a longer context");
        assert!(finished.stderr.contains(&reason), "{}", finished.stderr);
    }
}
