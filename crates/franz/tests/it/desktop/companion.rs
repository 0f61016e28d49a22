//! The companion on a desktop. While it watches, it touches nothing until a note tells it to.

use franz_frame::{Difference, Frame, png};

use crate::chat;
use crate::desktop::painted::Painted;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::Stage;
use crate::dice::Dice;
use crate::harness::{Workplace, scripted, url, wait_until};
use crate::puppet::Puppet;

const COMPANION: [&str; 2] = ["--profile", "companion"];

#[test]
fn monitoring_sends_no_input_to_the_x_server() {
    let mut dice = Dice(11);
    let lines: Vec<_> = (0..120).map(|_| dice.line()).collect();
    let server = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (stage, place) = (Stage::new(), Workplace::new());
    let (events, pointer) = (stage.events(), stage.client.pointer());
    let more = [&COMPANION[..], &["--max-turns", "121"]].concat();
    let finished = start(&stage, &place, &url(&server), Care::Alone, &more).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(events.count(), 0);
    assert_eq!(stage.client.pointer(), pointer);
    let turns = place.turns();
    let blocked = turns
        .iter()
        .filter(|turn| turn.feedback.contains("while monitoring you only look"));
    assert!(blocked.count() > 30);
}

#[test]
fn a_note_makes_it_act_before_it_monitors_again() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let note = place.path("note.txt");
    std::fs::write(&note, "").unwrap();
    stage.edit(&note);
    let (person, events) = (stage.person(), stage.events());
    let more = [
        "--set",
        "image.width=512",
        "--set",
        "image.height=288",
        "--set",
        "loop.monitoring_delay_s=0.2",
    ];
    let more = [&COMPANION[..], &more].concat();
    let running = start(&stage, &place, &server.url(), Care::Panel, &more);
    let chat = server.chat();
    assert!(
        chat::feedback(&chat).starts_with("Current mode: monitoring\n"),
        "{}",
        chat::feedback(&chat)
    );
    server.then("STATUS: monitoring\nACTION: observe()\nSTORY: An empty editor.");
    server.then("STATUS: monitoring\nACTION: left_click(500, 500)\nSTORY: What does this do?");

    person.write("franz please write hello below\n");
    person.press_ctrl_s();
    let written = || std::fs::read_to_string(&note).unwrap();
    wait_until("the note", || written().contains("below\n").then_some(()));
    server.then("STATUS: monitoring\nACTION: observe()\nSTORY: Nothing yet.");
    let seen = place.wait_for_turn(3).pop().unwrap();
    assert_eq!(seen.mode.as_deref(), Some("monitoring"));
    assert_eq!(events.count(), 0, "it has only watched");

    let reply =
        "STATUS: executing\nGOAL: Write hello below the note.\nACTION: type(\"hello\\n\")\nSTORY: A note asks for it.";
    let chat = server.then(reply);
    let feedback = chat::feedback(&chat);
    assert!(
        feedback.starts_with("Current mode: executing\nYOUR GOAL NOW: Write hello below the note.\n"),
        "{feedback}"
    );
    assert!(feedback.contains("-> done"), "{feedback}");
    assert!(events.count() > 0);
    let chat = server.then("STATUS: executing\nGOAL: same\nACTION: press(\"ctrl+s\")\nSTORY: I save it.");
    assert!(chat::feedback(&chat).contains("-> done"), "{}", chat::feedback(&chat));
    wait_until("the answer", || written().contains("below\nhello\n").then_some(()));
    assert_eq!(written(), "franz please write hello below\nhello\n");

    let chat = server.then("STATUS: monitoring\nACTION: observe()\nSTORY: It is done.");
    assert!(
        chat::feedback(&chat).starts_with("Current mode: monitoring\n"),
        "{}",
        chat::feedback(&chat)
    );
    events.count();
    let chat = server.then("STATUS: monitoring\nACTION: type(\"more\")\nSTORY: One thing more.");
    assert!(
        chat::feedback(&chat).contains("while monitoring you only look"),
        "{}",
        chat::feedback(&chat)
    );
    assert_eq!(events.count(), 0);
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
    stage.assert_nothing_is_held(&place);
}

/// The reply of a model that goes on watching.
const WATCHING: &str = "STATUS: monitoring\nACTION: observe()\nSTORY: I watch.";

fn picture(place: &Workplace, turn: u64) -> Frame {
    let file = place.file(&format!("turn_{turn:04}.plain.png"));
    png::decode(&std::fs::read(file).unwrap()).unwrap()
}

/// Watches for at most this many seconds at a time, in pictures of a usual size.
fn watching(watch_s: &str) -> [&str; 8] {
    let [option, companion] = COMPANION;
    let (width, height) = ("image.width=1000", "image.height=700");
    [option, companion, "--set", width, "--set", height, "--set", watch_s]
}

#[test]
fn a_model_that_watches_is_asked_when_something_has_changed() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let window = Painted::open(&mut stage, "");
    let running = start(
        &stage,
        &place,
        &server.url(),
        Care::Alone,
        &watching("loop.watch_s=3600"),
    );
    server.asked();
    server.reply(WATCHING);
    for turn in 1..=2 {
        place.wait_for_turn(turn);
        window.does(&format!(".c create rectangle {}00 100 {0}80 200 -fill blue", turn * 2));
        // Within an hour, only the change brings this question.
        server.asked();
        server.reply(WATCHING);
        place.wait_for_turn(turn + 1);
        let difference = Difference::between(&picture(&place, turn), &picture(&place, turn + 1));
        assert!(difference.largest().is_some(), "it was asked before the change");
    }
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn a_model_that_watches_is_also_asked_when_the_time_is_up() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    Painted::open(&mut stage, "");
    let running = start(&stage, &place, &server.url(), Care::Alone, &watching("loop.watch_s=1"));
    server.asked();
    server.then(WATCHING);
    server.then(WATCHING);
    server.reply(WATCHING);
    let turns = place.wait_for_turn(3);
    for turn in &turns[1..] {
        assert_eq!(turn.change.unwrap().area, None, "nothing has changed");
        assert!(turn.ms.settle.get() >= 1000.0, "{:?}", turn.ms);
    }
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}
