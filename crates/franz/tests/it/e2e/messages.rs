//! The person's messages to the model. FRANZ passes them on immediately, in the person's own words, and repeats them
//! until the model has replied.

use crate::chat;
use crate::e2e::settings::{SMALL, edit, resume, start};
use crate::harness::{Workplace, artist, spawn, url, wait_until};
use crate::puppet::Puppet;
use franz_record::Outcome;

fn say(place: &Workplace, words: &[&str]) {
    let said = place.franz(&[&["say"], words].concat()).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
}

const MESSAGE: &str = "MESSAGE FROM THE PERSON: the invoice\n  is in Downloads";

#[test]
fn a_message_breaks_off_a_request_and_is_told_until_a_reply_came() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &["--profile", "draw"]);
    let first = server.chat();
    let before = chat::feedback(&first).to_owned();
    say(&place, &["run", "the invoice\nis in Downloads"]);
    let told = server.chat();
    assert_eq!(chat::feedback(&told), format!("{before}\n\n{MESSAGE}"));
    assert_eq!(
        chat::system(&told),
        chat::system(&first),
        "the instructions stay as they are"
    );
    // The model has not replied, so the message is sent again, even by the next process.
    running.kill();
    let running = resume(&place, &server.url(), &[]);
    assert!(chat::feedback(&server.chat()).ends_with(MESSAGE));
    let after = server.then("I look there.");
    assert!(
        !chat::feedback(&after).contains("MESSAGE"),
        "{}",
        chat::feedback(&after)
    );
    running.kill();
    assert_eq!(place.turns().len(), 1, "a question that was broken off is no turn");
}

#[test]
fn a_message_goes_to_the_live_run_and_one_that_has_ended_keeps_its_own() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &["--profile", "draw"]);
    server.chat();
    let model = artist();
    let address = url(&model);
    let later = ["run", "--run-dir", "later", "--upstream", &address, "--max-turns", "1"];
    assert_eq!(spawn(place.franz(&later)).finish().code, Some(0));
    let said = |words: &[&str]| {
        let said = place.franz(&[&["say"], words].concat()).output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).unwrap()
    };
    let sent = said(&["hello"]);
    assert!(sent.starts_with("sent; the model of "), "{sent}");
    assert!(chat::feedback(&server.chat()).ends_with("MESSAGE FROM THE PERSON: hello"));
    running.kill();
    assert_eq!(
        said(&["later", "good night"]),
        "kept; later has ended, and its model gets this when you resume it: franz run --resume later\n"
    );
}

#[test]
fn a_message_prefers_a_live_run_of_this_project() {
    let (mut server, mut other, place) = (Puppet::new(), Puppet::new(), Workplace::new());
    let upstream = server.url();
    let own = [
        "run",
        "--run-dir",
        "runs/own",
        "--upstream",
        &upstream,
        "--screen",
        "canvas",
    ];
    let own = spawn(place.franz(&[&own, &SMALL[..], &["--profile", "draw"]].concat()));
    server.chat();
    let elsewhere = start(&place, &other.url(), &["--profile", "draw"]);
    other.chat();
    let sent = place.franz(&["say", "hello"]).output().unwrap();
    let sent = String::from_utf8(sent.stdout).unwrap();
    assert!(sent.starts_with("sent; ") && sent.contains("own"), "{sent}");
    assert!(chat::feedback(&server.chat()).ends_with("MESSAGE FROM THE PERSON: hello"));
    own.kill();
    elsewhere.kill();
}

/// All of this happens within one turn, because each message interrupts the request.
#[test]
fn a_message_that_repeats_an_earlier_one_is_told_again() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &["--profile", "draw"]);
    server.chat();
    let words = ["use Firefox", "use Chrome", "use Firefox"];
    let told = words.map(|words| {
        say(&place, &["run", words]);
        chat::feedback(&server.chat()).to_owned()
    });
    for (told, words) in told.iter().zip(words) {
        assert!(told.ends_with(&format!("MESSAGE FROM THE PERSON: {words}")), "{told}");
    }
    assert_eq!(told[2].matches("use Firefox").count(), 2, "{}", told[2]);
    running.kill();
}

#[test]
fn a_message_ends_the_wait_between_two_looks() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let an_hour = ["--profile", "companion", "--set", "loop.monitoring_delay_s=3600"];
    let running = start(&place, &server.url(), &an_hour);
    server.chat();
    server.reply("STATUS: monitoring");
    wait_until("the first turn", || place.turns().first().cloned());
    say(&place, &["run", "look now"]);
    let told = server.chat();
    assert!(chat::feedback(&told).ends_with("MESSAGE FROM THE PERSON: look now"));
    running.kill();
}

#[test]
fn a_message_to_a_run_that_rests_withdraws_what_it_was_about_to_do() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let reply = "```python\ndrag(1, 2, 3, 4)\n```";
    let running = start(&place, &server.url(), &["--profile", "draw", "--max-turns", "1"]);
    server.chat();
    server.reply(reply);
    assert_eq!(running.finish().code, Some(0));
    say(&place, &["run", "not there"]);
    say(&place, &["run", "\"further left\""]);
    let running = resume(&place, &server.url(), &["--max-turns", "9"]);
    assert_eq!(
        chat::feedback(&server.chat()),
        "Withdrawn: 0 of 1 actions were performed.\n\nNOTICE: your last actions were not performed, because the person has a \
         message for you. Look at the new picture.\nMESSAGE FROM THE PERSON: not there\nMESSAGE FROM THE PERSON: \"further left\""
    );
    server.then("I see.");
    running.kill();
    let acted = place.turns()[1].acted.clone();
    assert!(
        matches!(&acted[0].outcome, Outcome::Withdrawn(why) if why.contains("message")),
        "{acted:?}"
    );
}

#[test]
fn a_message_that_is_kept_is_added_to_the_goal() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &["--profile", "draw", "Draw a house."]);
    server.chat();
    say(&place, &["run", "--keep", "with a chimney"]);
    let told = wait_until("the goal is told", || {
        let told = server.chat();
        chat::system(&told)
            .contains("Draw a house.\nwith a chimney")
            .then_some(told)
    });
    assert!(chat::feedback(&told).ends_with("MESSAGE FROM THE PERSON: with a chimney"));
    running.kill();
}

#[test]
fn an_edited_goal_breaks_off_a_request_too() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &["--profile", "companion", "Draw a cat."]);
    server.chat();
    edit(&place, "image.width", Some(80));
    edit(&place, "prompt.goal", Some("Draw a house."));
    let feedback = chat::feedback(&server.chat()).to_owned();
    assert_eq!(feedback.matches("YOUR GOAL NOW: ").count(), 1, "{feedback}");
    assert!(
        feedback.starts_with("Current mode: executing\nYOUR GOAL NOW: Draw a house.\n"),
        "{feedback}"
    );
    running.kill();
}

/// A conversation's first message contains the person's messages from turns that have been forgotten.
#[test]
fn a_conversation_remembers_what_was_said_in_forgotten_turns() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let few = ["--profile", "operator", "--set", "memory.keep_turns=2", "Draw a cat."];
    let running = start(&place, &server.url(), &few);
    server.chat();
    say(&place, &["run", "a black one"]);
    server.chat();
    for _ in 0..6 {
        server.then("<tool_call>{\"name\":\"observe_screen\",\"arguments\":{}}</tool_call>");
    }
    let last = server.then("<tool_call>{\"name\":\"observe_screen\",\"arguments\":{}}</tool_call>");
    running.kill();
    let all = last.to_string();
    let told = "Draw a cat.\\n\\nMESSAGE FROM THE PERSON (turn 1): a black one";
    assert_eq!(all.matches("a black one").count(), 1, "{all}");
    assert!(all.contains(told), "{all}");
}

#[test]
fn what_cannot_be_said_is_refused_with_a_reason() {
    let place = Workplace::new();
    let long = "a".repeat(20_000);
    let server = Puppet::new();
    let running = start(&place, &server.url(), &[]);
    crate::harness::wait_until("the run is there", || place.file("state.json").exists().then_some(()));
    for (words, why) in [
        (vec!["run", " "], "the message is empty"),
        (vec!["run", &long], "bytes long; shorten it to 16384 or fewer"),
        (
            vec!["hurry", "up"],
            "there is no run hurry; name its directory, or use last (franz runs lists all runs); put a message of several \
             words in quotes: franz say \"Stop now\"\n",
        ),
    ] {
        let said = place.franz(&[&["say"], &words[..]].concat()).output().unwrap();
        let told = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.code() == Some(2) && told.contains(why), "{told}");
    }
    running.kill();
    assert!(!place.file("messages.jsonl").exists());
}
