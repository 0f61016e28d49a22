//! The system prompt: a profile's text, completed with the parts that depend on the run and the model.
//!
//! | place | stands for |
//! |---|---|
//! | `{goal}` | the goal |
//! | `{tools}` | one line for each call that can be written |
//! | `{functions}` | the same with a heading, if the server is not told about functions |
//! | `{coordinates}` | the unit of coordinates |
//! | `{call C}` | the call `C`, given as in `left_click(500, 300)`, as this model should write it |
//! | `{with C}` | the same after `with`, if calls are written in the text |
//! | `{step}` | the number of calls in a step, and what follows them |
//! | `{finish}`, `{finished A}` | how to end the work, and the end of an example with the answer `A` |
//! | `{own T}` | the text `T`, if calls are FRANZ's own |
//! | `{placed T}` | the same, unless calls name targets instead of coordinates |

use franz_action::{Action, AimedAt, Tool, ToolSet, Verb};
use franz_dialect::{Axes, Examples, Geometry, OwnForm, Space, bind, tools};

use super::{Channel, Idiom};

/// The target in examples.
const TARGET: &str = "the search field at the top";
/// How long a model that is only looking waits, in seconds.
const WAIT: f64 = 5.0;
/// How to end the work by calling a function.
const FINISH: &str = "call finish: the answer says what you did and found, success says whether the task is done";
/// How to end the work in a dialect. The prompt's example shows the call.
const FINISH_OTHERWISE: &str = "finish with your whole answer: what you did and found";

/// The names of all placeholders.
pub(super) const PLACES: [&str; 11] = [
    "goal",
    "tools",
    "functions",
    "coordinates",
    "call",
    "with",
    "step",
    "finish",
    "finished",
    "own",
    "placed",
];

/// Fills the placeholders of a prompt.
pub(super) struct Places<'a> {
    pub(super) idiom: &'a Idiom,
    pub(super) geometry: Geometry,
    pub(super) channel: Channel,
    pub(super) tools: ToolSet,
    /// Whether the model gets a list of elements.
    pub(super) elements: bool,
    pub(super) form: OwnForm,
    /// The maximum number of calls in a reply, if calls are functions.
    pub(super) calls: usize,
    pub(super) goal: &'a str,
}

impl Places<'_> {
    /// Replaces every placeholder in the text. Inserted text is not searched again, so a goal that contains a
    /// placeholder's name keeps it.
    pub(super) fn fill(&self, text: &str) -> String {
        let lines = text.split('\n').filter_map(|line| {
            let filled = self.fill_line(line);
            // If the sentence at the start of a list item has been left out, the space after it must be removed as
            // well.
            let filled = match filled.strip_prefix("-  ") {
                Some(rest) if !line.starts_with("-  ") => format!("- {rest}"),
                _ => filled,
            };
            // Drop a list item that contained nothing but an empty placeholder.
            let empty = filled.trim_end() == "-" && filled != line;
            (!empty).then_some(filled)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn fill_line(&self, text: &str) -> String {
        let mut pieces = text.split('{');
        let mut filled = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            match piece
                .split_once('}')
                .and_then(|(place, rest)| Some((self.place(place)?, rest)))
            {
                Some((shown, rest)) => filled.extend([shown.as_str(), rest]),
                None => filled.extend(["{", piece]),
            }
        }
        filled
    }

    /// Returns the text for this placeholder; `None` if it is not one.
    fn place(&self, place: &str) -> Option<String> {
        let (name, rest) = place.split_once(' ').unwrap_or((place, ""));
        let is_own = matches!(self.channel, Channel::Own | Channel::OwnText);
        Some(match name {
            "goal" => self.goal.to_owned(),
            "tools" => self.listed(),
            "coordinates" => self.places(),
            "placed" if is_own && self.aiming().is_none() => rest.to_owned(),
            "call" => self.written(&rest.parse().ok()?),
            "with" if self.channel.is_text() => format!(" with {}", self.written(&rest.parse().ok()?)),
            "own" if is_own => rest.to_owned(),
            "functions" if self.channel.is_text() => format!("\nCALLS\n{}\n", self.listed()),
            "with" | "own" | "functions" | "placed" => String::new(),
            "step" => self.step(),
            "finish" if is_own => FINISH.to_owned(),
            "finish" => FINISH_OTHERWISE.to_owned(),
            "finished" => self.finished(rest),
            _ => return None,
        })
    }

    /// Explains how many calls a step can have. Models that write their own family's calls were trained to write a
    /// single one.
    fn step(&self) -> String {
        if self.calls == 1 || matches!(self.channel, Channel::Text) {
            return "make exactly one call. Its result and a fresh picture follow".to_owned();
        }
        format!(
            "make one call, or up to {} at once if you need not look in between, such as a click into a field and the text for it. They are done in order; if one fails, the rest are not done. Their results and a fresh picture follow",
            self.calls
        )
    }

    /// Explains targets, if calls can name them, and the unit of coordinates.
    fn places(&self) -> String {
        let counted = coordinates(&self.geometry);
        let counted = format!("{counted}{}", self.about_elements());
        let counted = counted.trim_start().to_owned();
        let Some(tool) = self.aiming() else { return counted };
        let (what, example) = match self.form {
            OwnForm::Tools => ("label", format!("\"{TARGET}\"")),
            _ => (
                "target",
                Action::Aimed(tool.verb, AimedAt::Named(TARGET.to_owned())).to_string(),
            ),
        };
        let told = format!(
            "A {what} names one thing in a few words that match nothing else on the screen, as in {example}; it is found for you. {counted}"
        );
        told.trim_end().to_owned()
    }

    /// Explains the list of elements, if the model gets one.
    fn about_elements(&self) -> String {
        if !self.elements {
            return String::new();
        }
        let what = " ELEMENTS in the last message lists buttons, fields and menus in view, as in [3] button \"Save\" (512, 88)";
        let tools = self.tools.sorted();
        let Some(tool) = tools.into_iter().find(|tool| self.tools.takes_element(tool)) else {
            return format!("{what}, with the place to click: copy it.");
        };
        let call = Action::Aimed(tool.verb, AimedAt::Element(3));
        let call = match self.form {
            OwnForm::Tools => OwnForm::Tools.line(&call, &self.geometry),
            _ => call.to_string(),
        };
        format!("{what}: {call} acts on it. That is surer than coordinates; use them for what is not listed.")
    }

    /// Returns a tool whose calls can name targets, if there is one.
    fn aiming(&self) -> Option<&'static Tool> {
        let tools = self.tools.sorted();
        let usual = tools.iter().find(|tool| tool.verb == Verb::LeftClick);
        let aims = |tool: &&&'static Tool| self.tools.takes_target(tool);
        usual.into_iter().chain(&tools).find(aims).copied()
    }

    /// Returns a call as the model should write it.
    fn written(&self, action: &Action) -> String {
        let action = &aimed(action, &self.tools);
        match self.channel {
            Channel::Text => {
                let line = self.line(action);
                // The section already has a label of its own.
                let labelled = self.form == OwnForm::Sections;
                line.strip_prefix("Action: ")
                    .filter(|_| labelled)
                    .unwrap_or(&line)
                    .to_owned()
            }
            Channel::OwnText => OwnForm::Tools.line(action, &self.geometry),
            Channel::Own | Channel::Native(_) => self.geometry.spoken(action),
        }
    }

    /// Returns a call in the family's dialect. A dialect without a call for looking uses its call for waiting instead.
    fn line(&self, action: &Action) -> String {
        let family = &self.idiom.family;
        let waiting = || {
            family
                .line(&Action::Wait(WAIT), &self.geometry)
                .filter(|_| action.only_looks())
        };
        let line = family.line(action, &self.geometry);
        line.or_else(waiting).unwrap_or_default()
    }

    /// Returns, for an example, the text or call that ends the work.
    fn finished(&self, answer: &str) -> String {
        match (&self.channel, self.idiom.family.finish_line(answer, true)) {
            (Channel::Text, Some(line)) => format!("You finish:\n{line}"),
            (Channel::OwnText, _) => format!("You finish:\n{}", tools::finish_line(answer, true)),
            (Channel::Own, _) => format!("You call finish with success true and the answer: {answer}"),
            _ => format!("You finish with the answer: {answer}"),
        }
    }

    /// Returns one line for each tool.
    fn listed(&self) -> String {
        let lines: Vec<String> = match self.channel {
            Channel::Text => {
                let offered = self.idiom.offered(&self.tools, &self.geometry);
                self.idiom.family.verbs(&offered, &self.geometry)
            }
            Channel::OwnText => tools::listed(&self.tools, &self.geometry),
            Channel::Own | Channel::Native(_) => bind::listed(&self.tools, self.geometry.axes),
        };
        let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
        lines.join("\n")
    }
}

impl Idiom {
    /// Returns the tools to list. If a family has no call for looking, its call for waiting is included.
    pub(super) fn offered(&self, tools: &ToolSet, geometry: &Geometry) -> ToolSet {
        let looks = self.family.line(&Action::Observe, geometry).is_some();
        let tools = tools.sorted();
        let watches = tools.iter().any(|tool| tool.name == "observe");
        let names = tools.iter().map(|tool| tool.name);
        ToolSet::of(names.chain((watches && !looks).then_some("wait")))
    }
}

/// Returns the same action on a target if the tools accept targets, because an example cannot know what is at its
/// coordinates.
fn aimed(action: &Action, tools: &ToolSet) -> Action {
    let tool = action.tool();
    if tools.takes_target(tool) {
        Action::Aimed(tool.verb, AimedAt::Named(TARGET.to_owned()))
    } else {
        action.clone()
    }
}

/// Explains the unit of coordinates. Empty if the model knows the unit but FRANZ does not.
pub(crate) fn coordinates(geometry: &Geometry) -> String {
    let (Some(last), (width, height)) = (geometry.last(), geometry.picture.unwrap_or_default()) else {
        return String::new();
    };
    let what = match geometry.space {
        Space::Thousandths | Space::Parts1024 => format!("whole numbers from 0 to {}", last[0]),
        Space::Percent => "percent, from 0 to 100".to_owned(),
        Space::Fractions => "fractions from 0 to 1, such as 0.482".to_owned(),
        Space::Pixels => format!("pixels of the picture, which is {width} wide and {height} high"),
        Space::Letterboxed | Space::Unknown => return String::new(),
    };
    let order = match geometry.axes {
        Axes::Xy => "",
        Axes::Yx => ", y before x",
    };
    let [first, second] = geometry.axes.ordered(last);
    format!("Coordinates are {what}{order}: (0,0) is the top left corner, ({first},{second}) the bottom right.")
}

/// Returns the actions of the examples in a prompt that was filled in for this channel.
pub(super) fn examples(prompt: &str, channel: &Channel, tools: &ToolSet) -> Examples {
    let mut examples = Examples::default();
    let places = prompt.split('{').filter_map(|piece| piece.split_once('}'));
    for (name, rest) in places.filter_map(|(place, _)| place.split_once(' ')) {
        match name {
            "finished" if !rest.trim().is_empty() => examples.answers.push(rest.to_owned()),
            "with" if !channel.is_text() => {}
            "call" | "with" => {
                let action = rest.parse::<Action>().ok();
                examples.actions.extend(action.map(|action| aimed(&action, tools)));
            }
            _ => {}
        }
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;
    use franz_dialect::Family;

    fn filled(family: &str, channel: Channel, form: OwnForm, text: &str) -> String {
        let idiom = Idiom {
            family: Family::named(family).unwrap(),
            measured: None,
            screen: (1920, 1080),
            pointer: None,
        };
        let places = Places {
            geometry: idiom.family.geometry(Some((1000, 500)), Some((1920, 1080))),
            idiom: &idiom,
            channel,
            tools: ToolSet::of(["observe", "drag"]),
            elements: false,
            form,
            calls: 1,
            goal: "a {tools} \u{e9}",
        };
        places.fill(text)
    }

    #[test]
    fn every_placeholder_is_filled() {
        let own = |text: &str| filled("franz", Channel::Own, OwnForm::Lines, text);
        assert_eq!(own("Task: {goal}."), "Task: a {tools} \u{e9}.");
        assert_eq!(
            own("{goal}{goal} {other} {"),
            "a {tools} \u{e9}a {tools} \u{e9} {other} {"
        );
        assert_eq!(
            own("{tools}"),
            "  drag(x1, y1, x2, y2) -- drag in a straight line from (x1,y1) to (x2,y2)\n  observe() -- look at the screen without acting"
        );
        assert_eq!(
            own("{call left_click(500, 300)}{own , so}{with observe()}{functions}"),
            "left_click(500, 300), so"
        );
        assert_eq!(own("{call nothing}{}"), "{call nothing}{}");
        for place in PLACES {
            let text = format!("{{{place} observe()}}");
            assert_ne!(own(&text), text);
        }
        assert_eq!(own("a\n-\n- b"), "a\n-\n- b");
        assert_eq!(own(""), "");
    }

    #[test]
    fn with_a_grounder_the_prompt_names_targets() {
        let idiom = Idiom {
            family: Family::franz(),
            measured: None,
            screen: (1920, 1080),
            pointer: None,
        };
        let filled = |form, channel, text: &str| {
            let places = Places {
                geometry: idiom.family.geometry(Some((1000, 500)), Some((1920, 1080))),
                idiom: &idiom,
                channel,
                tools: ToolSet::of(["left_click", "drag", "move"]).with_targets(),
                elements: false,
                form,
                calls: 8,
                goal: "",
            };
            places.fill(text)
        };
        let lines = |text: &str| filled(OwnForm::Lines, Channel::Own, text);
        assert_eq!(
            lines("{tools}"),
            "  drag(x1, y1, x2, y2) -- drag in a straight line from (x1,y1) to (x2,y2)\n  left_click(target) -- click the left mouse button at the target\n  move(target) -- move the pointer to the target without clicking"
        );
        assert_eq!(
            lines("{call left_click(500, 300)}"),
            format!("left_click(target=\"{TARGET}\")")
        );
        assert_eq!(lines("{call drag(1, 2, 3, 4)}{placed  no}"), "drag(1, 2, 3, 4)");
        let told = lines("{coordinates}");
        assert!(
            told.starts_with("A target names one thing") && told.contains("Coordinates are"),
            "{told}"
        );
        let written = filled(OwnForm::Tools, Channel::OwnText, "{with left_click(1, 2)}");
        let label = format!("{{\"label\": \"{TARGET}\"}}");
        assert!(written.contains(&label), "{written}");
    }

    #[test]
    fn a_dialect_takes_the_place_of_the_calls() {
        let text = |family: &str, form, text: &str| filled(family, Channel::Text, form, text);
        let click = "{call left_click(500, 250)}{own .}";
        assert_eq!(
            text("doubao-ui-tars", OwnForm::Lines, click),
            "Action: click(start_box='(500,250)')"
        );
        assert_eq!(
            text("doubao-ui-tars", OwnForm::Sections, click),
            "click(start_box='(500,250)')"
        );
        assert_eq!(
            text("ui-tars-1.5", OwnForm::Tools, "a{with left_click(0, 0)}"),
            "a with Action: click(start_box='(0,0)')"
        );
    }

    #[test]
    fn the_prompt_describes_the_coordinates_in_use() {
        let said = |family: &str| filled(family, Channel::Text, OwnForm::Lines, "- {coordinates}\n- next");
        assert!(said("qwen3-vl").starts_with("- Coordinates are whole numbers from 0 to 1000: (0,0)"));
        assert!(said("qwen2.5-vl").contains("pixels of the picture, which is 1000 wide and 500 high: (0,0)"));
        assert!(said("qwen2.5-vl").contains("(999,499) the bottom right."));
        assert_eq!(said("ui-tars"), "- next", "a line for what nobody knows is left out");
    }
}
