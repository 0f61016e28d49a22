//! An edit of each live key takes effect from the next turn on.

use serde_json::Value;

use crate::chat;
use crate::e2e::settings::{edit, start};
use crate::harness::{Running, Workplace};
use crate::puppet::Puppet;

/// A run whose requests all wait for the test, and the number of requests so far.
struct Live {
    place: Workplace,
    server: Puppet,
    running: Running,
    turn: u64,
}

impl Live {
    /// Starts a run that has sent its first request.
    fn new(more: &[&str]) -> (Live, Value) {
        let (place, mut server) = (Workplace::new(), Puppet::new());
        let running = start(&place, &server.url(), more);
        let first = server.chat();
        let turn = 1;
        (
            Live {
                place,
                server,
                running,
                turn,
            },
            first,
        )
    }

    fn edit<V: Into<toml::Value>>(&self, key: &str, value: V) {
        edit(&self.place, key, Some(value));
    }

    /// Answers the request, and returns the next one.
    fn then(&mut self, text: &str) -> Value {
        self.turn += 1;
        self.server.then(text)
    }

    /// Returns whether the previous turn's picture had marks.
    fn marked(&self) -> bool {
        let file = |kind: &str| std::fs::read(self.place.file(&format!("turn_{:04}.{kind}", self.turn - 1))).unwrap();
        file("png") != file("plain.png")
    }
}

const CLICK: &str = "```python\nleft_click(500, 500)\n```";

#[test]
fn each_mark_style_is_switched_separately() {
    let off = ["--set", "marks.classic=false", "--set", "marks.timestamp=false"];
    let (mut live, _) = Live::new(&off);
    live.then(CLICK);
    live.then(CLICK);
    assert!(!live.marked());
    for style in ["crosshair", "classic", "cursor", "timestamp"] {
        let key = format!("marks.{style}");
        live.edit(&key, true);
        live.then(CLICK);
        live.edit(&key, false);
        live.then(CLICK);
        assert!(live.marked(), "{style} is on");
        live.then(CLICK);
        assert!(!live.marked(), "{style} is off");
    }
    live.running.kill();

    // Marks are drawn only on the copy. The plain pictures are the same without any marks.
    let (mut without, _) = Live::new(&off);
    for _ in 1..live.turn {
        without.then(CLICK);
    }
    for turn in 1..live.turn {
        let plain = |place: &Workplace| std::fs::read(place.file(&format!("turn_{turn:04}.plain.png"))).unwrap();
        assert!(plain(&live.place) == plain(&without.place), "turn {turn}");
    }
    without.running.kill();
}

#[test]
fn sampling_and_pictures_follow_their_keys() {
    let (mut live, first) = Live::new(&[]);
    let sampling = |chat: &Value| ["temperature", "top_p", "max_tokens"].map(|name| chat[name].as_f64());
    assert_eq!(sampling(&first), [Some(0.7), Some(0.9), Some(900.0)]);
    live.edit("model.temperature", 0.125);
    live.edit("model.top_p", 0.5);
    live.edit("model.max_tokens", 77);
    live.edit("image.width", 96);
    live.edit("image.height", 54);
    let chat = live.then("I look.");
    assert_eq!(sampling(&chat), [Some(0.125), Some(0.5), Some(77.0)]);
    for key in ["model.temperature", "model.top_p", "model.max_tokens"] {
        // An edit of the file must not remove this limit, because replies could then be longer.
        edit(&live.place, key, None::<bool>);
    }
    let chat = live.then("I look.");
    assert_eq!(sampling(&chat), [None, None, Some(77.0)], "{chat}");
    let image = live.place.turns()[1].image.clone().unwrap();
    assert_eq!((image.width, image.height), (96, 54));
    live.running.kill();
}

#[test]
fn a_picture_is_kept_only_while_screen_and_settings_stay_the_same() {
    let off = ["--set", "marks.classic=false", "--set", "marks.timestamp=false"];
    let (mut live, _) = Live::new(&off);
    live.then("I look.");
    live.then("I look.");
    live.edit("image.width", 96);
    live.then("I look.");
    live.edit("image.width", 64);
    live.then(CLICK);
    live.then("I look.");
    live.then("I look.");
    let images: Vec<_> = live.place.turns().into_iter().filter_map(|turn| turn.image).collect();
    let [first, second, third, wide, dot, same] = images.as_slice() else {
        panic!("six turns are over, not {}", images.len());
    };
    let (look, size) = (&first.sha256, |image: &franz_record::Image| (image.width, image.height));
    assert_eq!((&second.sha256, &third.sha256), (look, look));
    assert_eq!((size(wide), size(dot)), ((96, 36), (64, 36)));
    assert_ne!(&dot.sha256, look);
    assert_eq!(same.sha256, dot.sha256);
    for turn in 1..live.turn {
        let seen = std::fs::read(live.place.file(&format!("turn_{turn:04}.png"))).unwrap();
        let image = &images[turn as usize - 1];
        assert_eq!(franz_record::digest::sha256_hex(&seen), image.sha256, "turn {turn}");
    }
    live.running.kill();
}

#[test]
fn a_disabled_tool_is_ignored_and_no_longer_offered() {
    let (mut live, first) = Live::new(&["--profile", "sketch"]);
    assert!(
        chat::system(&first).contains("drag(x1, y1, x2, y2)"),
        "{}",
        chat::system(&first)
    );
    let calls = "ACTIONS:\ndrag(1, 2, 3, 4)\nleft_click(5, 6)";
    let chat = live.then(calls);
    assert!(chat::feedback(&chat).contains(r#"executed=["drag(1, 2, 3, 4)", "left_click(5, 6)"]"#));
    // The reply is read when it arrives, and read again because of an edit in the meantime.
    live.edit("protocol.tools.drag", false);
    let chat = live.then(calls);
    let feedback = chat::feedback(&chat);
    assert!(feedback.contains(r#"executed=["left_click(5, 6)"]"#), "{feedback}");
    assert!(feedback.contains(r#"ignored=["drag(1, 2, 3, 4)"#), "{feedback}");
    assert!(!chat::system(&chat).contains("drag(x1"), "{}", chat::system(&chat));
    live.edit("protocol.tools.drag", true);
    let chat = live.then(calls);
    assert!(chat::feedback(&chat).contains(r#"executed=["drag(1, 2, 3, 4)""#));
    live.running.kill();
}

#[test]
fn disabled_functions_are_no_longer_offered() {
    let (mut live, first) = Live::new(&["--profile", "operator", "--set", "loop.stop_on_answer=false", "Draw."]);
    let names = |chat: &Value| -> Vec<String> {
        let tools = chat["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(names(&first).contains(&"drag".to_owned()));
    live.edit("protocol.tools.drag", false);
    let call = r#"<tool_call>{"name":"drag","arguments":{"x1":1,"y1":2,"x2":3,"y2":4}}</tool_call>"#;
    let chat = live.then(call);
    assert!(!names(&chat).contains(&"drag".to_owned()));
    let told = chat::messages(&chat)
        .iter()
        .find(|message| message["role"] == "tool")
        .unwrap();
    assert!(chat::text(told).contains("unknown_tool"), "{told}");
    // The model may end the run as soon as the setting allows it.
    let finish = r#"<tool_call>{"name":"finish","arguments":{"answer":"It is drawn."}}</tool_call>"#;
    live.then(finish);
    live.edit("loop.stop_on_answer", true);
    live.then("Not yet.");
    live.server.reply(finish);
    let finished = live.running.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("It is drawn."), "{}", finished.stdout);
}

#[test]
fn prompts_follow_their_keys() {
    let (mut live, _) = Live::new(&["--profile", "companion"]);
    live.edit("prompt.system", "Be kind. {tools}\n{goal}");
    live.edit("prompt.monitoring_goal", "Only look.");
    let chat = live.then("STATUS: executing\nGOAL: Help.");
    assert!(chat::system(&chat).starts_with("Be kind. "), "{}", chat::system(&chat));
    let chat = live.then("STATUS: monitoring");
    assert!(chat::feedback(&chat).starts_with("Current mode: monitoring\nYOUR GOAL NOW: Only look.\n"));
    assert!(
        chat::system(&chat).ends_with("\nnothing yet"),
        "{}",
        chat::system(&chat)
    );
    live.running.kill();
}

#[test]
fn delays_and_the_last_turn_follow_their_keys() {
    let (mut live, _) = Live::new(&["--profile", "companion", "Help."]);
    live.edit("loop.executing_delay_s", 0.06);
    live.then("I help.");
    live.edit("loop.executing_delay_s", 0.0);
    live.edit("loop.monitoring_delay_s", 0.07);
    live.then("STATUS: monitoring");
    live.edit("loop.max_turns", 3);
    live.server.reply("I rest.");
    let finished = live.running.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let turns = live.place.turns();
    assert_eq!(turns.len(), 3);
    assert!(turns[1].ms.settle.get() >= 60.0 && turns[2].ms.settle.get() >= 70.0);
}

/// Keys that take effect only at the next start are reported, and change nothing before that.
#[test]
fn other_keys_wait_for_the_next_start() {
    let (mut live, _) = Live::new(&["--max-turns", "4"]);
    live.edit("screen.width", 640);
    live.edit("model.max_total_tokens", 1);
    live.edit("protocol.kind", "lines");
    let chat = live.then(CLICK);
    assert_eq!(chat::feedback(&chat), "OK: 1 action executed.");
    live.then(CLICK);
    live.then(CLICK);
    live.server.reply(CLICK);
    let finished = live.running.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    for key in [
        "screen.width = 640",
        "model.max_total_tokens = 1",
        "protocol.kind = \"lines\"",
    ] {
        let words = format!("{key}: takes effect at the next start");
        assert_eq!(finished.stdout.matches(&words).count(), 1, "{}", finished.stdout);
    }
    assert_eq!(live.place.turns().len(), 4);
}
