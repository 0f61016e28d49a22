//! Corrections: a complete valid line at the end of the feedback on a reply that could not be read.
//!
//! A small model copies that line word for word. FRANZ therefore builds it from the model's own reply where possible,
//! and otherwise makes it harmless. The line never contains a place, a key or text that the model did not write.

use franz_action::{Action, Outcome, Point, Tool, ToolSet};

use crate::geometry::{Geometry, Spot};
use crate::own_form::OwnForm;
use crate::plan::{Intent, Plan};

/// The words before the line.
pub const WRITE: &str = "Write:\n";

/// Words next to a place's numbers that only say which number is which.
const AXES: [&str; 8] = ["x", "y", "x1", "y1", "x2", "y2", "at", "to"];

/// How to correct calls in a protocol.
pub(crate) struct Correction<'a> {
    pub(crate) form: OwnForm,
    pub(crate) tools: &'a ToolSet,
    pub(crate) geometry: &'a Geometry,
}

impl Correction<'_> {
    /// Returns the correction for the plan's first call that could not be read.
    pub(crate) fn of(&self, plan: &Plan) -> Option<String> {
        let faulty = |intent: &Intent| matches!(intent, Intent::Leave(Outcome::Malformed(_)));
        let step = plan.steps.iter().find(|step| faulty(&step.intent))?;
        Some(self.line(&step.text))
    }

    /// Returns the correction for a reply in which no call was found.
    pub(crate) fn of_nothing(&self) -> String {
        self.written(&self.harmless())
    }

    /// Returns the correction for a function call, given the action that it must have meant, if that is known.
    pub(crate) fn of_function(&self, meant: Option<Action>) -> String {
        self.written(&meant.unwrap_or_else(|| self.harmless()))
    }

    fn line(&self, words: &str) -> String {
        let meant = self.meant(words).filter(|action| self.tools.contains(action.tool()));
        self.written(&meant.unwrap_or_else(|| self.harmless()))
    }

    /// Returns the action that a call must have meant, provided that its tool takes only places and that the call
    /// contains nothing but their numbers.
    fn meant(&self, words: &str) -> Option<Action> {
        // Do not complete a call that was cut off.
        if !words.trim_end().ends_with([')', ']']) {
            return None;
        }
        let name_end = words.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
        let tool = Tool::named(words.get(..name_end)?)?;
        let (mut numbers, mut label) = (Vec::new(), None);
        let split = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
        for word in words.get(name_end..)?.split(split).filter(|word| !word.is_empty()) {
            if !AXES.contains(&word) {
                numbers.push(word.parse::<f64>().ok()?);
            } else if word.starts_with(['x', 'y']) {
                label = label.or(word.chars().next());
            }
        }
        let spot = |[a, b]: [f64; 2]| match label {
            Some('x') => Spot::Named([a, b]),
            Some(_) => Spot::Named([b, a]),
            None => Spot::Point([a, b]),
        };
        let (pairs, []) = numbers.as_chunks::<2>() else {
            return None;
        };
        let places: Vec<Point> = pairs
            .iter()
            .map(|pair| self.geometry.point(&spot(*pair)).ok())
            .collect::<Option<_>>()?;
        Action::at(tool.verb, &places)
    }

    /// Returns an action that does no harm if the model repeats it word for word.
    fn harmless(&self) -> Action {
        let looks = [self.form.look(), Action::Observe, Action::Screenshot];
        let on = looks.into_iter().find(|action| self.tools.contains(action.tool()));
        on.unwrap_or(Action::Wait(1.0))
    }

    fn written(&self, action: &Action) -> String {
        format!("{WRITE}{}", self.form.line(action, self.geometry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_reuses_the_models_words_or_is_harmless() {
        let tools = ToolSet::of(["left_click", "drag", "type", "screenshot"]);
        let correction = |form| Correction {
            form,
            tools: &tools,
            geometry: &Geometry::THOUSANDTHS,
        };
        let lines = correction(OwnForm::Lines);
        for (words, line) in [
            ("left_click((500, 300))", "left_click(500, 300)"),
            ("left_click((500, 300), 'left')", "screenshot()"),
            ("left_click(button 3, 500)", "screenshot()"),
            ("click[500 300]", "left_click(500, 300)"),
            ("drag(x1=1, y1=2 to x2=3, y2=4)", "drag(1, 2, 3, 4)"),
            ("drag(1, 2, 3)", "screenshot()"),
            ("drag(1, 2, 3, 4", "screenshot()"),
            ("left_click(500)", "screenshot()"),
            ("left_click(500, 1200)", "screenshot()"),
            ("left_click(500, 300, 2)", "screenshot()"),
            ("right_click(500; 300)", "screenshot()"),
            ("type(hello \"world\")", "screenshot()"),
            ("", "screenshot()"),
            ("...", "screenshot()"),
        ] {
            assert_eq!(lines.line(words), format!("{WRITE}{line}"), "{words}");
        }
        assert_eq!(
            correction(OwnForm::Sections).of_nothing(),
            "Write:\nACTION: screenshot()"
        );
        assert_eq!(
            correction(OwnForm::Python).of_nothing(),
            "Write:\n```python\nscreenshot()\n```"
        );
    }
}
