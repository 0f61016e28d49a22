//! Replies that all differ, so that an action performed twice or for another reply is noticed.

use franz_demo::{Demo, DemoHandle, DemoSettings, Script, ThinkingPace};

use crate::harness::reply;

/// The number of replies that a server has, which is more than a run asks for.
const REPLIES: u64 = 20_000;

/// Starts a model server that gives the replies in order, some immediately and some after a while.
pub(super) fn server() -> DemoHandle {
    let lines: Vec<String> = (1..=REPLIES).map(line).collect();
    let settings = DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        script: Some(Script::parse(&lines.join("\n")).unwrap()),
        ..DemoSettings::default()
    };
    Demo::spawn(settings).unwrap()
}

/// Returns the strokes that the reply with this number draws, in order.
pub(super) fn drawn(number: u64) -> [String; 4] {
    let (x, y) = (number / 1000, number % 1000);
    [
        format!("drag({x}, {y}, 0, 0)"),
        format!("left_click({x}, {y})"),
        format!("drag({x}, {y}, 1000, 1000)"),
        format!("right_click({x}, {y})"),
    ]
}

/// Returns a reply's number.
pub(super) fn number(text: &str) -> u64 {
    let (_, number) = text.rsplit_once("Reply ").unwrap();
    number.parse().unwrap()
}

/// Returns the script line of a reply. Acting and thinking each take some milliseconds, so that kills hit both.
fn line(number: u64) -> String {
    let calls = drawn(number).join("\nwait(0.002)\n");
    let delay = (number % 7) as f64 / 1000.0;
    let reply = reply(&format!("```python\n{calls}\n```\nReply {number}"));
    reply.replacen('{', &format!("{{\"delay_s\": {delay}, "), 1)
}
