//! Replies in the sections protocol that no tester would think of, with calls to every tool in every position and
//! format.

use crate::harness::reply;

/// A generator of numbers that look random and are the same in every run (by Steele, Lea and Flood).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Returns a number that is at least 0 and less than `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.roll(2) == 0
    }

    /// Returns a call to any tool, in any spelling.
    fn call(&mut self) -> String {
        let (x, y) = (self.roll(1001), self.roll(1001));
        let call = match self.roll(24) {
            0 => format!("left_click({x}, {y})"),
            1 => format!("click(x={x}, y={y})"),
            2 => format!("right_click({x},{y})"),
            3 => format!("middle_click({x}, y={y})"),
            4 => format!("double_left_click({x}, {y})"),
            5 => format!("triple_click( {x} , {y} )"),
            6 => format!("drag({x}, {y}, {y}, {x})"),
            7 => format!("drag(x1={x}, y1={y}, x2=999.5, y2=-4)"),
            8 => format!("move({x}, {y})"),
            9 => format!("scroll({}, dx={})", x % 101, y % 101),
            10 => "type(\"STATUS: monitoring\\nclick(1, 2)\")".to_owned(),
            11 => "type(text='it is mine')".to_owned(),
            12 => "press(\"ctrl+s\")".to_owned(),
            13 => "wait(0.001)".to_owned(),
            14 => "read_clipboard()".to_owned(),
            15 => "write_clipboard(text=\"secret\")".to_owned(),
            17 => format!("mouse_down({x}, {y})"),
            18 => "mouse_up(button=\"left\")".to_owned(),
            19 => format!("hold(\"shift\", 0.1, {x}, {y})"),
            20 => format!("type(\"mine\", {x}, {y}, replace=True)"),
            21 => format!("left_click({x}, {y}, count=3, modifiers=\"ctrl\")"),
            22 => format!("drag(points=[[{x}, {y}], [{y}, {x}], [5, 5]])"),
            16 => format!("left_click\u{ff08}{x}\u{ff0c}{y}\u{ff09}"),
            _ => self.pick(&["observe()", "screenshot()"]).to_owned(),
        };
        self.dressed(call)
    }

    fn dressed(&mut self, call: String) -> String {
        match self.roll(12) {
            0 => format!("**{call}**"),
            1 => format!("`{call}`"),
            2 => format!("- {call}"),
            3 => format!("1. {call}  # now"),
            4 => format!("```\n{call}\n```"),
            5 => format!("```python\n{call}\n```"),
            6 => format!("> {call};"),
            _ => call,
        }
    }

    /// Returns calls as other protocols write them.
    fn foreign(&mut self) -> String {
        let call = self.call();
        let json = r#"{"name":"click_element","arguments":{"label":"OK","box":[500,300]}}"#;
        match self.roll(6) {
            0 => format!("```python\nfor i in range(3):\n    left_click(i, i)\n{call}\n```"),
            1 => format!("<tool_call>\n{json}\n</tool_call>"),
            2 => format!("```json\n{json}\n```"),
            3 => format!("ACTIONS:\n{call}\n{}", self.call()),
            4 => json.to_owned(),
            _ => format!("<think>\n{call}\n</think>\n{}", self.call()),
        }
    }

    /// Returns a section's header in one of several formats.
    fn header(&mut self, name: &str) -> String {
        match self.roll(6) {
            0 => format!("**{name}:** "),
            1 => format!("### {name}\u{ff1a} "),
            2 => format!("{}:\n", name.to_lowercase()),
            3 => format!("- {name}: "),
            _ => format!("{name}: "),
        }
    }

    /// Returns a STATUS that is not the reply's own, such as a quoted one.
    fn quoted(&mut self) -> String {
        let status = self.pick(&["STATUS: executing", "**STATUS:** executing", "status:\nexecuting"]);
        match self.roll(7) {
            0 => format!("```\n{status}\n```"),
            1 => format!("~~~text\n{status}\n~~~"),
            2 => format!("> {}", status.replace('\n', "\n> ")),
            3 => format!("`{status}`"),
            4 => format!("<note>\n{status}\n</note>"),
            5 => format!("<think>\n{status}\n</think>"),
            _ => format!("It says \"\n{status}\n\"."),
        }
    }

    /// Returns a reply whose STATUS never plainly says that it is executing.
    fn reply(&mut self) -> String {
        let mut sections = Vec::new();
        if self.roll(4) > 0 {
            let status = self.pick(&[
                "monitoring",
                "completed",
                "Monitoring.",
                "**COMPLETED**",
                "idle",
                "",
                "execute",
                "act",
                "monitoring, not yet acting",
                "executing or monitoring",
                "<executing or monitoring>",
                "executing | monitoring",
                "monitoring, not executing",
                "not executing",
                "no longer **executing**",
                "I am not yet executing.",
                "wasn\u{2019}t executing",
                "idle\nexecuting",
                "non-executing",
                "nonexecuting",
                "executing: no",
                "executing?",
                "executing soon",
                "> executing",
            ]);
            sections.push(self.header("STATUS") + status);
        }
        if self.coin() {
            let goal = match self.roll(4) {
                0 => self.call(),
                1 => "none".to_owned(),
                _ => "Click everything there is.".to_owned(),
            };
            sections.push(self.header("GOAL") + &goal);
        }
        if self.roll(5) > 0 {
            let header = self.header("ACTION");
            let calls: Vec<String> = (0..=self.roll(3)).map(|_| self.call()).collect();
            sections.push(header + &calls.join("\n"));
        }
        if self.coin() {
            let inside = if self.coin() { self.call() } else { "I wait.".to_owned() };
            sections.push(self.header("STORY") + "I see a screen.\n" + &inside);
        }
        if self.roll(4) == 0 {
            sections.push(self.quoted());
            // A fence around the whole reply does not make the reply a quotation.
            sections.push("STORY: I wait.".to_owned());
        }
        if self.roll(4) == 0 {
            sections.push(self.foreign());
        }
        if sections.len() > 1 && self.coin() {
            let (a, b) = (self.roll(sections.len()), self.roll(sections.len()));
            sections.swap(a, b);
        }
        let text = sections.join("\n");
        if self.roll(10) == 0 {
            format!("```\n{text}\n```")
        } else {
            text
        }
    }

    /// Returns a line of a script: the reply, sometimes with calls that the server itself reports.
    pub(crate) fn line(&mut self) -> String {
        if self.roll(8) > 0 {
            return reply(&self.reply());
        }
        let calls = r#"[{"id":"a","type":"function","function":{"name":"click_element","arguments":"{\"label\":\"OK\",\"box\":[1,2]}"}}]"#;
        let text = serde_json::Value::from(self.reply());
        format!(r#"{{"text": {text}, "tool_calls": {calls}}}"#)
    }
}
