//! The runs that are killed: one for each kind of memory, both with and without modes.

use franz_demo::{Demo, DemoHandle, DemoSettings, Script, ThinkingPace};
use serde_json::{Value, json};

/// How many replies a server has, which is more than all processes of a test request together.
const REPLIES: u64 = 50;

/// A kind of run. Every reply in a run has its own number, so that an action performed twice shows up.
pub(super) enum Victim {
    /// Several actions per turn.
    Draw,
    /// Each reply sets a goal and a mode. The mode is executing if the reply's number is odd.
    Companion,
    /// Function calls.
    Operator,
    /// Clicks on targets that a grounder finds.
    Aiming,
}

impl Victim {
    pub(super) const ALL: [Victim; 3] = [Victim::Draw, Victim::Companion, Victim::Operator];

    pub(super) fn arguments(&self) -> &[&str] {
        match self {
            Victim::Draw | Victim::Aiming => &[],
            Victim::Companion => &["--profile", "companion", "Begin."],
            Victim::Operator => &["--profile", "operator", "Draw."],
        }
    }

    pub(super) fn server(&self) -> DemoHandle {
        saying(|number| self.line(number))
    }

    fn line(&self, n: u64) -> Value {
        match self {
            Victim::Draw => json!({ "text": format!(
                "```python\ndrag({n}, 1, {n}, 900)\nscreenshot()\nleft_click({n}, 500)\ntype('reply {n}')\n```"
            ) }),
            Victim::Aiming => json!({ "text": format!(
                "```python\nscreenshot()\nleft_click(target='box {n}')\n```"
            ) }),
            Victim::Companion => json!({ "text": format!(
                "STATUS: {}\nGOAL: goal {n}\nACTION: drag({n}, 1, {n}, 900)\nSTORY: story {n}",
                mode(n)
            ) }),
            // Every other reply has no text, and every third one has a second call.
            Victim::Operator => {
                let call = |id: String, top: u64| {
                    let arguments = json!({ "x1": n, "y1": top, "x2": n, "y2": 900 });
                    json!({ "id": id, "type": "function", "function": { "name": "drag", "arguments": arguments } })
                };
                let calls = [
                    Some(call(format!("id-{n}"), 1)),
                    n.is_multiple_of(3).then(|| call(String::new(), 2)),
                ];
                let content = (n % 2 == 1).then(|| format!("I draw {n}."));
                json!({ "content": content, "tool_calls": calls.into_iter().flatten().collect::<Vec<_>>() })
            }
        }
    }
}

/// Starts a grounder that points at a new position each time.
pub(super) fn grounder() -> DemoHandle {
    saying(|number| json!({ "text": format!("Action: click(start_box='({number},17)')") }))
}

/// Starts a server with these replies.
fn saying(line: impl Fn(u64) -> Value) -> DemoHandle {
    let lines: Vec<String> = (1..REPLIES).map(|number| line(number).to_string()).collect();
    Demo::spawn(DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        script: Some(Script::parse(&lines.join("\n")).unwrap()),
        keep_requests: true,
        ..DemoSettings::default()
    })
    .unwrap()
}

/// Returns the mode that the companion's reply with this number sets.
pub(super) fn mode(number: u64) -> &'static str {
    if number % 2 == 1 { "executing" } else { "monitoring" }
}
