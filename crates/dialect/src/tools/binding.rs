//! Turns a function and the arguments of a call into an action.

mod property;

use std::collections::BTreeMap;

use franz_action::text::shortened;
use franz_action::{Action, Path, Point, Tool, ToolSet, Verb};
use franz_python::Arg;
use serde_json::Value;

use super::arguments::CallArguments;
use super::call_error::ToolCallError;
use super::function::{Function, Property, Purpose};
use crate::bind;
use crate::geometry::Geometry;
use crate::notation::Arguments;
use crate::plan::Finish;

/// What a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BoundFunction {
    /// An action.
    Act(BoundAction),
    /// The end of the work.
    Finish(Finish),
}

impl BoundFunction {
    /// Returns an action with the label in these arguments.
    pub(super) fn act(action: Action, arguments: &Arguments) -> BoundFunction {
        let label = arguments.get(&["label", "element"]).and_then(Value::as_str);
        BoundFunction::Act(BoundAction {
            action,
            label: label.map(str::to_owned),
        })
    }
}

/// An action that a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoundAction {
    pub(super) action: Action,
    /// The model's name for the thing that the call acts on.
    pub(super) label: Option<String>,
}

/// Turns a function and these arguments into what they ask for.
pub(super) fn bind(
    function: &'static Function,
    arguments: &CallArguments,
    tools: &ToolSet,
    geometry: &Geometry,
) -> Result<BoundFunction, ToolCallError> {
    let members = arguments.values();
    let params = function.filled(members.keys().copied());
    let mut binding = Binding {
        function,
        params,
        verb: None,
        tools,
        geometry,
        members,
        keywords: Vec::new(),
        numbers: Vec::new(),
        places: Vec::new(),
        between: Vec::new(),
        label: None,
        element: None,
    };
    for param in params {
        binding.take(param)?;
    }
    binding.refuse_unknown()?;
    match function.purpose {
        Purpose::Act(_) | Purpose::Click | Purpose::Look | Purpose::Clipboard => {
            binding.action().map(BoundFunction::Act)
        }
        Purpose::Finish => Ok(BoundFunction::Finish(binding.finish())),
    }
}

/// Turns a function's arguments into those of its tool.
struct Binding<'a> {
    function: &'static Function,
    /// The parameters that the call's arguments belong to.
    params: &'static [Property],
    /// Which click it is.
    verb: Option<Verb>,
    tools: &'a ToolSet,
    geometry: &'a Geometry,
    members: BTreeMap<&'a str, &'a Value>,
    keywords: Vec<(String, Arg)>,
    /// The numbers of a place that is not complete yet: x, then y.
    numbers: Vec<f64>,
    places: Vec<Point>,
    /// The points of a path between its ends.
    between: Vec<Point>,
    label: Option<String>,
    /// An element's number.
    element: Option<Arg>,
}

impl Binding<'_> {
    fn action(self) -> Result<BoundAction, ToolCallError> {
        let tool = self.verb().tool();
        if let (true, Some(number)) = (self.tools.takes_element(tool), &self.element) {
            let keywords = vec![(bind::ELEMENT.to_owned(), number.clone())];
            let bound = bind::bind(tool, Vec::new(), keywords, self.tools, self.geometry);
            let action = bound.map_err(|error| self.wrong(error.to_string()))?;
            return Ok(BoundAction {
                action,
                label: self.label,
            });
        }
        if let (true, [], Some(label)) = (self.tools.takes_target(tool), &self.places[..], &self.label) {
            let bound = bind::bind(
                tool,
                vec![Arg::Text(label.clone())],
                Vec::new(),
                self.tools,
                self.geometry,
            );
            let action = bound.map_err(|error| self.wrong(error.to_string()))?;
            return Ok(BoundAction {
                action,
                label: self.label,
            });
        }
        let action = match tool.verb {
            Verb::Drag => self.drag()?,
            Verb::Zoom => self.zoom()?,
            _ => self.placed(tool)?,
        };
        Ok(BoundAction {
            action,
            label: self.label,
        })
    }

    /// Returns the tool's action at the call's place, if the call has one.
    fn placed(&self, tool: &'static Tool) -> Result<Action, ToolCallError> {
        let place = self.places.first().copied();
        let takes = |name: &str| tool.params.iter().any(|param| param.name == name);
        let mut keywords = self.keywords.clone();
        // A kind of click that implies the number of clicks needs no count.
        keywords.retain(|(name, _)| name != "count" || takes(name));
        if place.is_some() && takes("x") {
            // These numbers are placeholders. The exact place replaces them below.
            keywords.extend(["x", "y"].map(|name| (name.to_owned(), Arg::Int(500.0))));
        }
        let bound = bind::bind(tool, Vec::new(), keywords, self.tools, &Geometry::THOUSANDTHS);
        let action = bound.map_err(|error| self.wrong(error.to_string()))?;
        Ok(match place {
            Some(place) => action.placed(place),
            None => action,
        })
    }

    /// Returns a zoom into the area between the call's two places.
    fn zoom(&self) -> Result<Action, ToolCallError> {
        match self.places[..] {
            [from, to] => Ok(Action::Zoom(from, to)),
            _ => Err(self.wrong("an area needs two corners")),
        }
    }

    /// Returns the drag along the call's points.
    fn drag(&self) -> Result<Action, ToolCallError> {
        let mut points = self.places.clone();
        if let Some(end) = points.pop() {
            points.extend(&self.between);
            points.push(end);
        } else {
            points.clone_from(&self.between);
        }
        if points.len() > bind::MOST_POINTS {
            return Err(self.wrong(format!("a path can have at most {} points", bind::MOST_POINTS)));
        }
        let path = Path::along(points).ok_or_else(|| self.wrong(bind::ONE_POINT))?;
        Ok(Action::Drag(path))
    }

    /// Returns the verb that the call stands for.
    fn verb(&self) -> Verb {
        let says = !self.keywords.is_empty();
        match self.function.purpose {
            Purpose::Act(verb) => verb,
            Purpose::Click => self.verb.unwrap_or(Verb::LeftClick),
            Purpose::Look if says && self.tools.contains(Verb::Wait.tool()) => Verb::Wait,
            Purpose::Clipboard if says => Verb::WriteClipboard,
            Purpose::Clipboard => Verb::ReadClipboard,
            Purpose::Look | Purpose::Finish => Verb::Observe,
        }
    }

    /// Returns the end of the work that the call asks for.
    fn finish(self) -> Finish {
        let mut finish = Finish {
            answer: String::new(),
            success: true,
        };
        for (_, arg) in self.keywords {
            match arg {
                Arg::Text(answer) => finish.answer = answer,
                Arg::Bool(success) => finish.success = success,
                _ => {}
            }
        }
        finish
    }

    fn refuse_unknown(&self) -> Result<(), ToolCallError> {
        let unknown = self
            .members
            .keys()
            .filter(|name| !HARMLESS.contains(name))
            .find(|name| self.params.iter().all(|param| param.name != **name));
        let Some(unknown) = unknown else {
            return Ok(());
        };
        let unknown = shortened(unknown, LONGEST_NAME);
        Err(self.wrong(format!("{} has no argument '{unknown}'", self.function.name)))
    }

    fn wrong(&self, what: impl Into<String>) -> ToolCallError {
        ToolCallError::args(self.function, self.tools, what)
    }
}

/// Arguments that only explain a call. Models add them to any call.
const HARMLESS: [&str; 5] = ["description", "reason", "thought", "explanation", "comment"];
/// How many characters of the model's own words to quote in a message.
const LONGEST_NAME: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Closers;
    use crate::tools::function::FUNCTIONS;

    #[test]
    fn an_argument_shape_names_the_arguments_and_never_acts() {
        let tools = [
            ToolSet::all(),
            ToolSet::all().with_targets(),
            ToolSet::all().with_elements(),
        ];
        for (function, tools) in FUNCTIONS
            .iter()
            .flat_map(|function| tools.iter().map(move |tools| (function, tools)))
        {
            let shape = function.shape(tools);
            assert!(!shape.contains(|c: char| c.is_ascii_digit()), "{shape}");
            let read = CallArguments::of(&shape, Closers::Needed);
            let bound = read.map(|arguments| bind(function, &arguments, tools, &Geometry::THOUSANDTHS));
            let needs_nothing = shape == "{}";
            assert_eq!(matches!(bound, Ok(Ok(_))), needs_nothing, "{} {shape}", function.name);
        }
    }

    #[test]
    fn the_number_of_an_element_says_where_and_nothing_else_has_to() {
        let told = ToolSet::all().with_elements();
        let read = |function: &str, arguments: &str, tools: &ToolSet| {
            let arguments = CallArguments::of(arguments, Closers::Needed).ok()?;
            match bind(Function::named(function)?, &arguments, tools, &Geometry::THOUSANDTHS) {
                Ok(BoundFunction::Act(bound)) => Some(bound.action.to_string()),
                _ => None,
            }
        };
        for (arguments, action) in [
            (r#"{"element": 12}"#, Some("left_click(element=12)")),
            (
                r#"{"element": "[12]", "kind": "double"}"#,
                Some("double_left_click(element=12)"),
            ),
            (
                r#"{"element": 12, "label": "Save", "box": "there"}"#,
                Some("left_click(element=12)"),
            ),
            (r#"{"element": 12, "kind": "hover"}"#, Some("move(element=12)")),
            (r#"{"element": 0}"#, None),
            (r#"{"element": true}"#, None),
            (r#"{"element": "Save"}"#, None),
            (r#"{"element": null, "box": [5, 6]}"#, Some("left_click(5, 6)")),
            (r#"{"label": "Save", "box": [5, 6]}"#, Some("left_click(5, 6)")),
            (r#"{"label": "Save"}"#, None),
        ] {
            assert_eq!(
                read("click_element", arguments, &told).as_deref(),
                action,
                "{arguments}"
            );
        }
        let alone = read("click_element", r#"{"element": 12}"#, &ToolSet::all());
        assert_eq!(alone, None, "nobody told the model of elements");
    }
}
