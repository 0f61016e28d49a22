//! Replies that all differ, so that whatever is done twice, or for another's sake, shows.

use franz_demo::{Demo, DemoHandle, DemoSettings, Script, ThinkingPace};

use crate::harness::reply;

/// Replies that a server has: more than a run asks for.
const REPLIES: u64 = 20_000;

/// A model server that gives the replies in order, some at once and some after a while.
pub(super) fn server() -> DemoHandle {
    let lines: Vec<String> = (1..=REPLIES).map(line).collect();
    let settings = DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        script: Some(Script::parse(&lines.join("\n")).unwrap()),
        ..DemoSettings::default()
    };
    Demo::spawn(settings).unwrap()
}

/// What the reply of this number draws, in order.
pub(super) fn drawn(number: u64) -> [String; 4] {
    let (x, y) = (number / 1000, number % 1000);
    [
        format!("drag({x}, {y}, 0, 0)"),
        format!("left_click({x}, {y})"),
        format!("drag({x}, {y}, 1000, 1000)"),
        format!("right_click({x}, {y})"),
    ]
}

/// The number of a reply.
pub(super) fn number(text: &str) -> u64 {
    let (_, number) = text.rsplit_once("Reply ").unwrap();
    number.parse().unwrap()
}

/// Acting takes some milliseconds, and so does thinking, so that kills come in both.
fn line(number: u64) -> String {
    let calls = drawn(number).join("\nwait(0.002)\n");
    let delay = (number % 7) as f64 / 1000.0;
    let reply = reply(&format!("```python\n{calls}\n```\nReply {number}"));
    reply.replacen('{', &format!("{{\"delay_s\": {delay}, "), 1)
}
