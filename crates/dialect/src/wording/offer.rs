//! The verbs that a prompt offers, one per line as the dialect writes them, each with a description.

use franz_action::tool::TOOLS;
use franz_action::{Action, Point, Tool, ToolSet, Verb};

use super::{Call, Writer};
use crate::manner::ScrollUnit;
use crate::meaning::{Means, Wheel};

impl Writer<'_> {
    /// Lists the verbs of the tools that are switched on.
    pub(crate) fn offered(&self, tools: &ToolSet) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for action in self.samples(tools) {
            if let Some(line) = self.inside(&action) {
                let offer = format!("{line} -- {}", self.does(&action));
                if !lines.contains(&offer) {
                    lines.push(offer);
                }
            }
        }
        lines
    }

    /// Returns the verbs that are used to write actions.
    pub(crate) fn verbs(&self) -> Vec<String> {
        let mut verbs: Vec<String> = Vec::new();
        for action in self.samples(&ToolSet::all()) {
            for Call { verb, .. } in self.calls(&action).into_iter().flatten() {
                if !verbs.contains(&verb) {
                    verbs.push(verb);
                }
            }
        }
        verbs
    }

    /// Writes an action without its envelope if the envelope is long and the same for every call. The example shows it.
    fn inside(&self, action: &Action) -> Option<String> {
        let line = self.line(action)?;
        let long = [
            "{\"note\": null, \"thought\": \"\", ",
            "{\"note\": \"\", \"thought\": \"\", ",
        ];
        let inside = long
            .iter()
            .find_map(|before| line.strip_prefix(before)?.strip_suffix('}'));
        Some(inside.unwrap_or(&line).to_owned())
    }

    /// Returns one action for each tool that is switched on and that the family has a call for.
    pub(super) fn samples(&self, tools: &ToolSet) -> Vec<Action> {
        let on = TOOLS.iter().filter(|tool| tools.contains(tool));
        on.filter_map(|tool| self.sample(tool)).collect()
    }

    /// Checks whether the family has a call for a tool.
    pub(crate) fn has(&self, tool: &Tool) -> bool {
        self.sample(tool).is_some_and(|action| self.calls(&action).is_some())
    }

    /// Returns an action of this tool that the family can write.
    fn sample(&self, tool: &Tool) -> Option<Action> {
        let at = Point::clamped(500, 500);
        Some(match tool.verb {
            Verb::LeftClick => Action::left_click(at),
            Verb::RightClick => Action::right_click(at),
            Verb::MiddleClick => Action::middle_click(at),
            Verb::DoubleLeftClick => Action::double_click(at),
            Verb::TripleClick => Action::triple_click(at),
            Verb::Drag => Action::drag(at, Point::clamped(600, 600)),
            Verb::Move => Action::Move(at),
            Verb::Scroll => Action::Scroll {
                dy: Wheel::USUAL,
                dx: 0,
                at: Some(at),
            },
            Verb::Type => Action::typing("...".to_owned()),
            Verb::Press => {
                let keys = ["ctrl+s", "enter"].into_iter().filter_map(|keys| keys.parse().ok());
                let mut presses = keys.map(Action::Press);
                presses.find(|press| self.call(press).is_some())?
            }
            Verb::Wait => Action::Wait(self.usual_wait()?),
            // Both only look, so one call is enough.
            Verb::Screenshot | Verb::Observe => Action::Screenshot,
            Verb::MouseDown
            | Verb::MouseUp
            | Verb::Hold
            | Verb::ReadClipboard
            | Verb::WriteClipboard
            | Verb::Watch
            | Verb::Zoom
            | Verb::Windows
            | Verb::Focus
            | Verb::Open => return None,
            Verb::Ask => Action::Ask("...".to_owned()),
        })
    }

    /// Returns the length, in seconds, of a wait that the family can write.
    pub(super) fn usual_wait(&self) -> Option<f64> {
        let tenths = |means: &Means| match means {
            Means::Wait(tenths) => Some(f64::from(*tenths) / 10.0),
            _ => None,
        };
        let usual = self.dialect.rows.iter().find_map(|row| tenths(&row.means));
        if self.wording.seconds.is_some() {
            Some(2.0)
        } else {
            usual
        }
    }

    /// Describes what an action does, in words for a small model.
    pub(super) fn does(&self, action: &Action) -> String {
        let word = match action {
            Action::Click(click) => match click.verb() {
                Verb::RightClick => "click with the right button",
                Verb::MiddleClick => "click with the middle button",
                Verb::DoubleLeftClick => "double-click",
                Verb::TripleClick => "click three times, to select a line",
                _ => "click with the left button",
            },
            Action::Drag(_) => "hold the left button from the first place to the second",
            Action::Move(_) => "move the pointer without a click",
            Action::Type(_) => "type this text where the cursor is",
            Action::Press(keys) if keys.chords().iter().all(|chord| chord.modifiers.is_empty()) => {
                "press the enter key"
            }
            Action::Press(_) => "press a key, or keys together",
            Action::Screenshot => "look again, and do nothing",
            Action::Wait(seconds) if self.wording.seconds.is_none() => return format!("wait {seconds} seconds"),
            Action::Wait(_) => "wait this many seconds",
            Action::Scroll { .. } => return self.scroll_does(),
            Action::MouseDown(..)
            | Action::MouseUp(..)
            | Action::Hold(_)
            | Action::Observe
            | Action::ReadClipboard
            | Action::WriteClipboard(_)
            | Action::Watch(_)
            | Action::Zoom(..)
            | Action::Windows
            | Action::Focus(_)
            | Action::Open(_)
            | Action::Ask(_)
            | Action::Aimed(..) => action.tool().doc,
        };
        word.to_owned()
    }

    fn scroll_does(&self) -> String {
        let mut rows = self.dialect.rows.iter().filter(|row| self.spelled(row).is_some());
        let means = rows.find_map(|row| match row.means {
            Means::Scroll(_) | Means::Swipe => Some(row.means),
            _ => None,
        });
        let unit = match self.manner.scroll {
            ScrollUnit::Notches => "notches of the wheel",
            ScrollUnit::Pixels => "pixels",
        };
        match means {
            Some(Means::Scroll(Wheel::Up | Wheel::UpNotches)) => {
                format!("scroll, in {unit}: negative is down, positive is up")
            }
            Some(Means::Swipe) => "swipe up, down, left or right".to_owned(),
            _ => "scroll down, up, left or right".to_owned(),
        }
    }
}
