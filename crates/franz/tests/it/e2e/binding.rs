//! Replies are held to a grammar where the server can do that, until it or the model turns out not to suit.

use serde_json::Value;

use crate::harness::{Finished, Workplace, spawn};
use crate::puppet::Puppet;

const READABLE: &str = "NARRATIVE: A line.\nACTIONS:\ndrag(1, 2, 3, 4)";
const OFF: &str = "model.constrain is off for this model on this server from now on";

/// Runs `sketch` for two turns, in which the server is asked as often as there are answers, and returns what it was asked.
fn run(place: &Workplace, server: &mut Puppet, more: &[&str], answers: &[Answer]) -> (Vec<Value>, Finished) {
    let url = server.url();
    let directory = format!("run{}", fastrand::u64(..));
    let mut arguments = vec!["run", "--run-dir", &directory, "--upstream", &url, "--max-turns", "2"];
    arguments.extend(["--profile", "sketch", "--set", "loop.executing_delay_s=0"]);
    arguments.extend(more);
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

/// Which of the requests were bound.
fn bound(asked: &[Value]) -> Vec<bool> {
    let grammar = |request: &Value| request["structured_outputs"]["grammar"].as_str().map(str::to_owned);
    let is_bound = |request: &Value| grammar(request).is_some_and(|grammar| grammar.starts_with("root ::= "));
    asked.iter().map(is_bound).collect()
}

#[test]
fn a_server_that_refuses_the_field_is_asked_without_it_from_then_on() {
    let (place, mut server) = (Workplace::new(), Puppet::owned_by("vllm"));
    let refuses = Refuses("structured_outputs: grammar is not supported by this backend");
    let (asked, finished) = run(&place, &mut server, &[], &[refuses, Says(READABLE), Says(READABLE)]);
    assert_eq!(bound(&asked), [true, false, false]);
    let told = &finished.stdout;
    assert_eq!(told.matches("trying model.constrain = \"off\"").count(), 1, "{told}");
    assert!(told.contains("that helped; it is remembered"), "{told}");

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
            "the server does not keep to the grammar",
        ),
        (thought, "the model thinks before it answers"),
    ] {
        let (place, mut server) = (Workplace::new(), Puppet::owned_by("vllm"));
        let (asked, finished) = run(&place, &mut server, &[], &[Says(reply), Says(READABLE)]);
        assert_eq!(bound(&asked), [true, false], "{reply}");
        let told = &finished.stdout;
        assert_eq!((told.matches(why).count(), told.matches(OFF).count()), (1, 1), "{told}");
        let (asked, _) = run(&place, &mut server, &[], &[Says(READABLE), Says(READABLE)]);
        assert_eq!(bound(&asked), [false, false], "{reply}");
    }
}

/// Its first reply shows whether it thinks.
#[test]
fn a_model_that_may_think_is_heard_before_it_is_bound() {
    for (reply, then) in [(READABLE, true), ("<think>A line.</think>\nNARRATIVE: A line.", false)] {
        let (place, mut server) = (Workplace::new(), Puppet::owned_by("vllm"));
        let family = ["--family", "qwen3-vl"];
        let (asked, _) = run(&place, &mut server, &family, &[Says(reply), Says("NARRATIVE: A line.")]);
        assert_eq!(bound(&asked), [false, then], "{reply}");
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
        let (place, mut server) = (Workplace::new(), Puppet::owned_by(owner));
        let (asked, _) = run(&place, &mut server, more, &says());
        assert_eq!(bound(&asked), [false, false], "{owner} {more:?}");
    }
}
