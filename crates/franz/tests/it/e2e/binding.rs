//! Replies are bound to a grammar or a schema if the server supports that, until the server or the model turns out to
//! be unsuitable.

use serde_json::{Value, json};

use crate::harness::{Finished, Workplace, spawn};
use crate::puppet::{LM_STUDIO, OLLAMA, Program, Puppet, VLLM};

const READABLE: &str = "NARRATIVE: A line.\nACTIONS:\ndrag(1, 2, 3, 4)";
const OFF: &str = "model.constrain is off for this model on this server from now on";

/// Runs `sketch`, or the profile named in `more`, for two turns. The server gets one request for each of `answers`.
/// Returns these requests.
fn run(place: &Workplace, server: &mut Puppet, more: &[&str], answers: &[Answer]) -> (Vec<Value>, Finished) {
    let url = server.url();
    let directory = format!("run{}", fastrand::u64(..));
    let mut arguments = vec!["run", "--run-dir", &directory, "--upstream", &url, "--max-turns", "2"];
    if !more.contains(&"--profile") {
        arguments.extend(["--profile", "sketch"]);
    }
    if !more.contains(&"--family") {
        // A model that uses FRANZ's own calls and never thinks.
        arguments.extend(["--family", "internvl"]);
    }
    arguments.extend(["--screen", "canvas", "--set", "loop.executing_delay_s=0"]);
    arguments.extend(more);
    arguments.push("Draw");
    let running = spawn(place.franz(&arguments));
    let asked = answers.iter().map(|answer| {
        let request = server.chat();
        match answer {
            Answer::Says(text) => server.reply(text),
            Answer::Refuses(words) => server.refuse(words),
        }
        request
    });
    let asked = asked.collect();
    let finished = running.finish();
    assert_eq!(finished.code, Some(0), "{}\n{}", finished.stdout, finished.stderr);
    (asked, finished)
}

enum Answer {
    Says(&'static str),
    Refuses(&'static str),
}
use Answer::{Refuses, Says};

/// Returns which of the requests were bound.
fn bound(asked: &[Value]) -> Vec<bool> {
    let grammar = |request: &Value| request["structured_outputs"]["grammar"].as_str().map(str::to_owned);
    let is_bound = |request: &Value| grammar(request).is_some_and(|grammar| grammar.starts_with("root ::= "));
    asked.iter().map(is_bound).collect()
}

#[test]
fn a_server_that_refuses_the_field_is_asked_without_it_from_then_on() {
    let (place, mut server) = (Workplace::new(), Puppet::of(VLLM));
    let refuses = Refuses("structured_outputs: grammar is not supported by this backend");
    let (asked, finished) = run(&place, &mut server, &[], &[refuses, Says(READABLE), Says(READABLE)]);
    assert_eq!(bound(&asked), [true, false, false]);
    let told = &finished.stdout;
    assert_eq!(told.matches("trying model.constrain = \"off\"").count(), 1, "{told}");
    assert!(told.contains("that worked; FRANZ remembers it"), "{told}");

    let (asked, finished) = run(&place, &mut server, &[], &[Says(READABLE), Says(READABLE)]);
    assert_eq!(bound(&asked), [false, false]);
    assert!(!finished.stdout.contains("trying"), "{}", finished.stdout);

    assert_eq!(spawn(place.franz(&["models", "--forget"])).finish().code, Some(0));
    let (asked, finished) = run(&place, &mut server, &[], &[Says(READABLE), Says(READABLE)]);
    assert_eq!(bound(&asked), [true, true]);
    assert!(!finished.stdout.contains("constrain"), "{}", finished.stdout);
}

#[test]
fn a_server_that_ignores_the_grammar_and_a_model_that_thinks_are_left_alone() {
    let thought = "<think>A line is missing.</think>\nNARRATIVE: A line.\nACTIONS:\ndrag(1, 2, 3, 4)";
    for (reply, why) in [
        (
            "drag(1, 2, 3, 4), and then more",
            "the server accepts the grammar but does not enforce it",
        ),
        (thought, "the model thinks before it answers"),
    ] {
        let (place, mut server) = (Workplace::new(), Puppet::of(VLLM));
        let (asked, finished) = run(&place, &mut server, &[], &[Says(reply), Says(READABLE)]);
        assert_eq!(bound(&asked), [true, false], "{reply}");
        let told = &finished.stdout;
        assert_eq!((told.matches(why).count(), told.matches(OFF).count()), (1, 1), "{told}");
        let (asked, _) = run(&place, &mut server, &[], &[Says(READABLE), Says(READABLE)]);
        assert_eq!(bound(&asked), [false, false], "{reply}");
    }
}

/// The model's first reply shows whether it thinks.
#[test]
fn a_model_that_may_think_is_heard_before_it_is_bound() {
    for (reply, then) in [(READABLE, true), ("<think>A line.</think>\nNARRATIVE: A line.", false)] {
        // The model's own name fits no family.
        for family in ["qwen3-vl", "auto"] {
            let (place, mut server) = (Workplace::new(), Puppet::of(VLLM));
            let family = ["--family", family];
            let (asked, _) = run(&place, &mut server, &family, &[Says(reply), Says("NARRATIVE: A line.")]);
            assert_eq!(bound(&asked), [false, then], "{family:?} {reply}");
        }
    }
}

const JSON: &str = r#"{"note": "", "thought": "A button.", "action": {"action": "click_element", "element": "the button", "x": 30, "y": 40}}"#;
/// A profile and a family that write the whole reply as JSON.
const WHOLE: [&str; 4] = ["--profile", "operator", "--family", "holo1"];

/// Returns which of the requests ask for JSON that follows a schema.
fn held_to_json(asked: &[Value]) -> Vec<bool> {
    let is_held = |request: &Value| {
        let format = &request["response_format"];
        let Some(format) = format.as_object() else { return false };
        let named = &format["json_schema"];
        assert_eq!(
            (&format["type"], &named["strict"]),
            (&json!("json_schema"), &json!(true))
        );
        assert!(
            named["name"].is_string() && named["schema"]["type"] == "object",
            "{format:?}"
        );
        true
    };
    asked.iter().map(is_held).collect()
}

#[test]
fn a_server_without_grammars_is_sent_a_schema_until_it_refuses_or_ignores_it() {
    for program in [LM_STUDIO, OLLAMA] {
        let (place, mut server) = (Workplace::new(), Puppet::of(program));
        let (asked, finished) = run(&place, &mut server, &WHOLE, &[Says(JSON), Says(JSON)]);
        assert_eq!(held_to_json(&asked), [true, true]);
        assert!(!finished.stdout.contains("constrain"), "{}", finished.stdout);

        let crash = "The model has crashed without additional information. (Exit code: 11)";
        for words in ["'response_format.type' must be 'text'", "Invalid JSON schema", crash] {
            let (place, mut server) = (Workplace::new(), Puppet::of(program));
            let answers = [Refuses(words), Says(JSON), Says(JSON)];
            let (asked, finished) = run(&place, &mut server, &WHOLE, &answers);
            assert_eq!(held_to_json(&asked), [true, false, false], "{words}");
            let told = &finished.stdout;
            assert_eq!(told.matches("trying model.constrain = \"off\"").count(), 1, "{told}");
            assert!(told.contains("that worked; FRANZ remembers it"), "{told}");
            let (asked, _) = run(&place, &mut server, &WHOLE, &[Says(JSON), Says(JSON)]);
            assert_eq!(held_to_json(&asked), [false, false], "{words}");
        }

        let (place, mut server) = (Workplace::new(), Puppet::of(program));
        let (asked, finished) = run(&place, &mut server, &WHOLE, &[Says("I click."), Says(JSON)]);
        assert_eq!(held_to_json(&asked), [true, false]);
        let told = &finished.stdout;
        let why = "the server accepts the grammar but does not enforce it";
        assert_eq!((told.matches(why).count(), told.matches(OFF).count()), (1, 1), "{told}");
    }
}

/// Words, thoughts and the person's own settings take precedence over a schema.
#[test]
fn no_schema_is_sent_where_it_would_cost_something() {
    let plain = r#"{"note": null, "thought": "", "tool_call": {"tool_name": "screenshot"}}"#;
    let thinks = r#"<think>A line.</think>{"note": null, "thought": "", "tool_call": {"tool_name": "screenshot"}}"#;
    let operator = |family: &'static str| ["--profile", "operator", "--family", family];
    let in_text = [&operator("franz")[..], &["--set", "model.calls=text"]].concat();
    let off = [&WHOLE[..], &["--set", "model.constrain=off"]].concat();
    let cases: [(&[&str], &'static str, [bool; 2]); 6] = [
        (&["--family", "holo1"], READABLE, [false, false]),
        (&in_text, READABLE, [false, false]),
        (&operator("qwen2.5-vl"), READABLE, [false, false]),
        (&off, JSON, [false, false]),
        // These models might think, so their first reply is not bound.
        (&operator("holo2"), plain, [false, true]),
        (&operator("holo2"), thinks, [false, false]),
    ];
    for (more, reply, held) in cases {
        let (place, mut server) = (Workplace::new(), Puppet::of(LM_STUDIO));
        let (asked, _) = run(&place, &mut server, more, &[Says(reply), Says(reply)]);
        assert_eq!(held_to_json(&asked), held, "{more:?} {reply}");
    }
}

#[test]
fn nothing_is_sent_that_nobody_asked_for() {
    let says = || [Says(READABLE), Says(READABLE)];
    let own = "model.extra={ grammar = \"root ::= 'a'\" }";
    let cases: [(&str, &[&str]); 4] = [
        ("vllm", &["--set", "model.constrain=off"]),
        ("vllm", &["--set", own]),
        ("vllm", &["--set", "protocol.kind=python"]),
        ("organization_owner", &[]),
    ];
    for (owner, more) in cases {
        let (place, mut server) = (Workplace::new(), Puppet::of(Program::owning(owner)));
        let (asked, _) = run(&place, &mut server, more, &says());
        assert_eq!(bound(&asked), [false, false], "{owner} {more:?}");
    }
}
