//! An action waits for the person, in a run with a panel.

use std::time::Instant;

use franz_record::Outcome;

use super::{Dashboard, agent_of, lives, replace_agent};
use crate::chat;
use crate::e2e::settings::{resume, run};
use crate::harness::{Running, Workplace, spawn, wait_until};
use crate::puppet::Puppet;

const REPLY: &str = "```python\ndrag(1, 2, 3, 4)\ndrag(5, 6, 7, 8)\n```";

/// Starts a run whose agent asks before it acts. Open a page before taking its first request, because nobody counts as
/// present until the agent knows of a page.
fn start(place: &Workplace, server: &Puppet) -> Running {
    start_with(place, server, &[])
}

fn start_with(place: &Workplace, server: &Puppet, more: &[&str]) -> Running {
    let asking = [
        "--profile",
        "draw",
        "--gate",
        "ask",
        "--no-open",
        "--dashboard",
        "127.0.0.1:0",
    ];
    spawn(run(place, &server.url(), &[&asking, more].concat()))
}

fn told(server: &mut Puppet) -> String {
    chat::feedback(&server.chat()).to_owned()
}

#[test]
fn the_first_decision_counts_and_others_are_told() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server);
    let dashboard = Dashboard::of(&place);
    let _page = dashboard.open_page();
    server.chat();
    server.reply(REPLY);
    let (nonce, action) = dashboard.question("");
    assert_eq!(action, "drag(1, 2, 3, 4)");
    for (what, nonce, value, status, words) in [
        ("approve", "another", "", 409, "no longer open"),
        ("edit", nonce.as_str(), "drag(1, 2, 3, 4000)", 400, "is not an action"),
        ("approve", &nonce, "", 200, "ok"),
        ("refuse", &nonce, "no", 409, "already approved in the page"),
    ] {
        let (got, body) = dashboard.decide(what, nonce, value);
        assert!(got == status && body.contains(words), "{what}: {got} {body}");
    }
    let (nonce, action) = dashboard.question(&nonce);
    assert_eq!(action, "drag(5, 6, 7, 8)");
    assert_eq!(dashboard.decide("refuse", &nonce, "not there").0, 200);
    let told = told(&mut server);
    assert!(
        told.contains("drag(5, 6, 7, 8): refused by the person: \"not there\""),
        "{told}"
    );
    server.reply("I rest.");
    let acted = place.wait_for_turn(2)[1].acted.clone();
    running.kill();
    let outcomes: Vec<_> = acted.iter().map(|acted| acted.outcome.clone()).collect();
    assert_eq!(outcomes, [Outcome::DONE, Outcome::Refused("not there".to_owned())]);
    let decided: Vec<_> = acted.iter().map(|acted| acted.decided.clone().unwrap().what).collect();
    assert_eq!(decided, ["approved", "refused"]);
}

/// Whichever process is killed, an approved action is performed once, and a waiting one is not performed.
#[test]
fn what_waited_when_a_process_was_killed_is_not_done() {
    for kills_agent in [true, false] {
        let (mut server, place) = (Puppet::new(), Workplace::new());
        let running = start(&place, &server);
        let dashboard = Dashboard::of(&place);
        let page = dashboard.open_page();
        server.chat();
        server.reply(REPLY);
        let (nonce, _) = dashboard.question("");
        assert_eq!(dashboard.decide("approve", &nonce, "").0, 200);
        dashboard.question(&nonce);
        let running = if kills_agent {
            replace_agent(&running);
            running
        } else {
            let agent = agent_of(&running);
            drop(page);
            running.kill();
            wait_until("the agent is gone, too", || (!lives(agent)).then_some(()));
            resume(&place, &server.url(), &[])
        };
        let told = told(&mut server);
        let wanted = "Withdrawn: 1 of 2 actions were performed.\n\nNOTICE: the rest of your last actions were not performed, \
                      because FRANZ was stopped while one of them waited for the person.";
        assert!(told.starts_with(wanted), "{told}");
        server.reply("I rest.");
        let acted = place.wait_for_turn(2)[1].acted.clone();
        running.kill();
        assert_eq!(acted[0].outcome, Outcome::DONE);
        assert!(matches!(acted[1].outcome, Outcome::Withdrawn(_)), "{acted:?}");
    }
}

/// The story is the person's, and the verdict says so. The panel does not believe an agent that merely claims this.
#[test]
fn a_person_replies_in_place_of_the_model() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server);
    let dashboard = Dashboard::of(&place);
    let _page = dashboard.open_page();
    server.chat();
    // The model is thinking.
    let reply = "```python\ndrag(7, 8, 9, 10)\n``` \"quoted\" é";
    assert_eq!(dashboard.decide("reply", "", " ").0, 400);
    assert_eq!(dashboard.decide("reply", "", reply).0, 200);
    let chat = server.chat();
    assert!(chat.to_string().contains("quoted"), "{chat}");
    server.reply("I rest.");
    let turns = place.wait_for_turn(2);
    assert_eq!(turns[0].by.as_deref(), Some("person"));
    assert_eq!(turns[0].reply.as_ref().unwrap().text(), reply);
    assert_eq!(turns[1].acted[0].outcome, Outcome::DONE);
    let kinds = wait_until("the verdicts", || {
        let kinds = super::kinds(&place);
        (kinds.len() == 2).then_some(kinds)
    });
    running.kill();
    // The aborted request might be judged after the next one.
    let by_person = kinds.iter().filter(|kind| *kind == "by_person").count();
    let first = kinds.iter().filter(|kind| *kind == "first").count();
    assert_eq!((by_person, first), (1, 1), "{kinds:?}");
}

#[test]
fn a_run_in_which_only_the_person_replied_has_succeeded() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start_with(&place, &server, &["--max-turns", "1"]);
    let dashboard = Dashboard::of(&place);
    server.chat();
    assert_eq!(dashboard.decide("reply", "", "I rest.").0, 200);
    let finished = running.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(place.turns()[0].by.as_deref(), Some("person"));
}

#[test]
fn a_question_of_the_model_is_answered_in_the_page() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let asking = ["--set", "protocol.tools.ask=true"];
    let running = start_with(&place, &server, &asking);
    let dashboard = Dashboard::of(&place);
    let _page = dashboard.open_page();
    server.chat();
    server.reply("```python\nask('Which hat?')\ndrag(1, 2, 3, 4)\n```");
    let (nonce, _) = dashboard.question("");
    assert_eq!(dashboard.json("/api/state")["question"]["question"], "Which hat?");
    for (what, value, status, words) in [
        ("approve", "", 400, "the model asks for an answer"),
        ("answer", "  ", 400, "the answer is empty"),
        ("answer", "a red one", 200, "ok"),
        ("answer", "a blue one", 409, "already answered in the page"),
    ] {
        let (got, body) = dashboard.decide(what, &nonce, value);
        assert!(got == status && body.contains(words), "{what}: {got} {body}");
    }
    let told = told(&mut server);
    assert!(
        told.contains(r#"NOTICE: ask("Which hat?") -> the person answered: "a red one""#),
        "{told}"
    );
    server.reply("I rest.");
    let acted = place.wait_for_turn(2)[1].acted.clone();
    running.kill();
    assert_eq!(acted[0].outcome, Outcome::read("a red one"));
    assert_eq!(acted[0].decided.as_ref().unwrap().what, "answered");
    assert!(matches!(acted[1].outcome, Outcome::Withdrawn(_)), "{acted:?}");
}

#[test]
fn a_message_from_the_page_reaches_the_model() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server);
    server.chat();
    let dashboard = Dashboard::of(&place);
    assert_eq!(dashboard.decide("say", "", "draw a hat, too").0, 200);
    let told = told(&mut server);
    assert!(told.ends_with("MESSAGE FROM THE PERSON: draw a hat, too"), "{told}");
    let (status, body) = dashboard.decide("say", "", &"a".repeat(20_000));
    assert!(status == 400 && body.contains("shorten it to 16384"), "{status} {body}");
    running.kill();
}

#[test]
fn nobody_is_asked_where_nobody_is() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server);
    server.chat();
    server.reply(REPLY);
    let told = told(&mut server);
    assert!(
        told.contains("drag(1, 2, 3, 4): refused: nobody was there to give permission"),
        "{told}"
    );
    running.kill();
    wait_until("nothing is drawn", || {
        (!place.file("canvas.jsonl").exists() || std::fs::read(place.file("canvas.jsonl")).unwrap().is_empty())
            .then_some(())
    });
}

#[test]
fn a_stop_while_an_action_waits_ends_the_run() {
    let mut took = Vec::new();
    for _ in 0..5 {
        let (mut server, place) = (Puppet::new(), Workplace::new());
        let running = start(&place, &server);
        let dashboard = Dashboard::of(&place);
        let _page = dashboard.open_page();
        server.chat();
        server.reply(REPLY);
        dashboard.question("");
        let agent = agent_of(&running);
        let began = Instant::now();
        dashboard.command("stop");
        wait_until("the agent has ended", || (!lives(agent)).then_some(()));
        took.push(began.elapsed());
        assert_eq!(running.finish().code, Some(130));
    }
    took.sort();
    println!(
        "a stop while an action waits takes {:?}, at most {:?} of 5",
        took[2], took[4]
    );
}
