//! Turns the arguments of a call into an action.

use std::collections::BTreeMap;

use franz_action::keys::KeyError;
use franz_action::{Action, Keys, Norm, Path, Point, Tool, ToolSet, Verb};
use franz_python::Arg;
use serde_json::{Map, Value};

use super::call_error::ToolCallError;
use super::function::{CLICKS, DIRECTIONS, Function, Property, PropertyKind, Purpose, clicks};
use crate::bind;
use crate::geometry::{Geometry, Spot};
use crate::json::{self, Closers};
use crate::notation::Arguments;
use crate::plan::Finish;
use crate::spot;

/// The arguments of a call, as an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallArguments {
    /// Strict, compact JSON.
    pub(super) text: String,
    members: Map<String, Value>,
}

/// Why arguments are not an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoObject {
    /// They are not JSON.
    Json,
    /// They are JSON, but not an object.
    Other,
}

impl NoObject {
    /// Returns the error to report.
    pub(super) fn fault(self, function: &Function, tools: &ToolSet) -> ToolCallError {
        match self {
            NoObject::Json => ToolCallError::Json(function.shape(tools)),
            NoObject::Other => ToolCallError::args(function, tools, "the arguments must be one JSON object"),
        }
    }
}

impl CallArguments {
    /// Reads an object, also from a string. An empty text counts as an object without members.
    pub(super) fn of(written: &str, closers: Closers) -> Result<CallArguments, NoObject> {
        CallArguments::within(written, closers, true)
    }

    /// Returns the members, for reading them as other programs mean them.
    pub(super) fn raw(&self) -> Arguments {
        Arguments::of(self.members.clone())
    }

    /// Returns them with some label.
    pub(super) fn labelled(mut self) -> CallArguments {
        self.members.retain(|name, _| name.trim() != "label");
        self.members.insert("label".to_owned(), Value::from("target"));
        self
    }

    fn within(written: &str, closers: Closers, in_string: bool) -> Result<CallArguments, NoObject> {
        let read = match written.trim() {
            "" => "{}".to_owned(),
            written => json::value(written, closers).map_err(|_| NoObject::Json)?.text,
        };
        match serde_json::from_str(&read).map_err(|_| NoObject::Json)? {
            Value::Object(members) => Ok(CallArguments { text: read, members }),
            Value::Null => CallArguments::within("", closers, false),
            Value::String(inner) if in_string => CallArguments::within(&inner, closers, false),
            _ => Err(NoObject::Other),
        }
    }
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BoundFunction {
    /// An action.
    Act(BoundAction),
    /// The end of the work.
    Finish(Finish),
    /// A question to the user.
    Ask,
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
    /// The model's name for the thing it acts on.
    pub(super) label: Option<String>,
}

/// Turns a function and these arguments into what they ask for.
pub(super) fn bind(
    function: &'static Function,
    arguments: &CallArguments,
    tools: &ToolSet,
    geometry: &Geometry,
) -> Result<BoundFunction, ToolCallError> {
    let members = arguments.members.iter().map(|(name, value)| (name.trim(), value));
    let members: BTreeMap<&str, &Value> = members.filter(|(_, value)| !value.is_null()).collect();
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
        Purpose::Ask => Ok(BoundFunction::Ask),
    }
}

/// Turns a function's arguments into those of its tool.
struct Binding<'a> {
    function: &'static Function,
    /// The parameters that the call fills.
    params: &'static [Property],
    /// Which click it is.
    verb: Option<Verb>,
    tools: &'a ToolSet,
    geometry: &'a Geometry,
    members: BTreeMap<&'a str, &'a Value>,
    keywords: Vec<(String, Arg)>,
    /// Numbers of a place that is not complete yet: x, then y.
    numbers: Vec<f64>,
    places: Vec<Point>,
    /// The points of a path between its places.
    between: Vec<Point>,
    label: Option<String>,
}

impl<'a> Binding<'a> {
    fn take(&mut self, param: &Property) -> Result<(), ToolCallError> {
        let value = self.members.get(param.name).copied();
        match param.kind {
            PropertyKind::Label => self.label(param, value)?,
            PropertyKind::Place => self.place(param, value)?,
            PropertyKind::Click => self.verb = Some(self.click(param, value)?),
            PropertyKind::Text if !param.required && value.and_then(Value::as_str).unwrap_or_default().is_empty() => {}
            PropertyKind::Text | PropertyKind::Answer => self.text(param, value)?,
            PropertyKind::Flag => self.flag(param, value)?,
            PropertyKind::Key => self.key(param, value)?,
            // Read together with the amount.
            PropertyKind::Direction => {}
            PropertyKind::Amount => self.scroll(param, value)?,
            PropertyKind::Coordinate => self.coordinate(param, value)?,
            PropertyKind::Points => self.points(param, value)?,
            PropertyKind::Count => {
                if let Some(count) = self.number(param, value)? {
                    self.give(param.name, Arg::Float(count));
                }
            }
            PropertyKind::Modifiers => {
                if let Some(names) = value.map(|value| self.names(param, value)).transpose()? {
                    self.give(param.name, Arg::Text(names.join("+")));
                }
            }
            PropertyKind::Button | PropertyKind::Held => {
                let word = self.words(param, value)?.filter(|word| !word.trim().is_empty());
                match word {
                    Some(word) => self.give(param.name, Arg::Text(word.to_owned())),
                    None if param.required => return Err(self.wrong(format!("'{}' is missing", param.name))),
                    None => {}
                }
            }
            PropertyKind::Seconds if !param.required && value.is_none() => {}
            PropertyKind::Seconds => {
                let seconds = self.needed(param, value)?;
                self.give(param.name, Arg::Float(seconds));
            }
        }
        Ok(())
    }

    fn action(self) -> Result<BoundAction, ToolCallError> {
        let tool = self.verb().tool();
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

    /// Returns the action of a tool at the place of the call, if it has one.
    fn placed(&self, tool: &'static Tool) -> Result<Action, ToolCallError> {
        let place = self.places.first().copied();
        let takes = |name: &str| tool.params.iter().any(|param| param.name == name);
        let mut keywords = self.keywords.clone();
        // A kind of click that says itself how often needs no count.
        keywords.retain(|(name, _)| name != "count" || takes(name));
        if place.is_some() && takes("x") {
            // Where it is, is known more exactly than numbers would say.
            keywords.extend(["x", "y"].map(|name| (name.to_owned(), Arg::Int(500.0))));
        }
        let bound = bind::bind(tool, Vec::new(), keywords, self.tools, &Geometry::THOUSANDTHS);
        let action = bound.map_err(|error| self.wrong(error.to_string()))?;
        Ok(match place {
            Some(place) => action.placed(place),
            None => action,
        })
    }

    /// Returns the zoom on what lies between the two places of the call.
    fn zoom(&self) -> Result<Action, ToolCallError> {
        match self.places[..] {
            [from, to] => Ok(Action::Zoom(from, to)),
            _ => Err(self.wrong("a part has two corners")),
        }
    }

    /// Returns the drag along the points of the call.
    fn drag(&self) -> Result<Action, ToolCallError> {
        let mut points = self.places.clone();
        if let Some(end) = points.pop() {
            points.extend(&self.between);
            points.push(end);
        } else {
            points.clone_from(&self.between);
        }
        if points.len() > bind::MOST_POINTS {
            return Err(self.wrong(format!("a path has at most {} points", bind::MOST_POINTS)));
        }
        let path = Path::along(points).ok_or_else(|| self.wrong(bind::ONE_POINT))?;
        Ok(Action::Drag(path))
    }

    /// Returns what the call means.
    fn verb(&self) -> Verb {
        let says = !self.keywords.is_empty();
        match self.function.purpose {
            Purpose::Act(verb) => verb,
            Purpose::Click => self.verb.unwrap_or(Verb::LeftClick),
            Purpose::Look if says && self.tools.contains(Verb::Wait.tool()) => Verb::Wait,
            Purpose::Clipboard if says => Verb::WriteClipboard,
            Purpose::Clipboard => Verb::ReadClipboard,
            Purpose::Look | Purpose::Finish | Purpose::Ask => Verb::Observe,
        }
    }

    /// Returns the click that the call names, or the usual one.
    fn click(&self, param: &Property, value: Option<&'a Value>) -> Result<Verb, ToolCallError> {
        let name = self
            .words(param, value)?
            .unwrap_or(CLICKS[0].0)
            .trim()
            .to_ascii_lowercase();
        let mut on = clicks(self.tools);
        let found = on.find(|(known, _)| *known == name);
        found.map(|(_, verb)| verb).ok_or_else(|| {
            let names: Vec<&str> = clicks(self.tools).map(|(name, _)| name).collect();
            self.wrong(format!("'{}' must be one of {}", param.name, names.join(", ")))
        })
    }

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

    fn give(&mut self, name: &str, arg: Arg) {
        self.keywords.push((name.to_owned(), arg));
    }

    fn wrong(&self, what: impl Into<String>) -> ToolCallError {
        ToolCallError::args(self.function, self.tools, what)
    }

    fn label(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let label = self.words(param, value)?.filter(|label| !label.trim().is_empty());
        let takes_target = self.function.takes_target(self.tools);
        let is_needed = if takes_target {
            !self.members.contains_key("box")
        } else {
            param.required
        };
        if label.is_none() && is_needed {
            return Err(ToolCallError::MissingLabel(self.function.shape(self.tools)));
        }
        let target = label.filter(|_| takes_target);
        if target.is_some_and(|target| target == param.placeholder().trim_matches('"')) {
            return Err(ToolCallError::Placeholder(param.name));
        }
        self.label = label.map(str::to_owned);
        Ok(())
    }

    fn place(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let wrong = || ToolCallError::Place {
            name: param.name,
            form: self.geometry.place_form(),
        };
        let place = match value {
            None if self.function.takes_target(self.tools) => return Ok(()),
            None if param.required => {
                return Err(ToolCallError::MissingPlace(param.name, self.function.shape(self.tools)));
            }
            None if self.function.purpose != Purpose::Act(Verb::Scroll) => return Ok(()),
            None => MIDDLE,
            Some(value) => self.point(&spot::of(value).ok_or_else(wrong)?)?,
        };
        self.places.push(place);
        Ok(())
    }

    fn points(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let wrong = || {
            self.wrong(format!(
                "'{}' must be a list of points, each of two numbers",
                param.name
            ))
        };
        let points = match value {
            None => return Ok(()),
            Some(Value::Array(points)) => points,
            Some(_) => return Err(wrong()),
        };
        let points = points
            .iter()
            .map(|point| self.point(&spot::of(point).ok_or_else(wrong)?));
        self.between = points.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Returns the names in a text, or in a list of texts.
    fn names(&self, param: &Property, value: &Value) -> Result<Vec<String>, ToolCallError> {
        let wrong = || self.wrong(format!("'{}' must be a string", param.name));
        match value {
            Value::String(text) => Ok(vec![text.clone()]),
            Value::Array(list) => {
                let names = list.iter().map(|name| name.as_str().map(str::to_owned));
                names.collect::<Option<_>>().ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }

    fn coordinate(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let number = self.needed(param, value)?;
        self.numbers.push(number);
        if let [x, y] = self.numbers[..] {
            let place = self.point(&Spot::Point(self.geometry.axes.ordered([x, y])))?;
            self.places.push(place);
            self.numbers.clear();
        }
        Ok(())
    }

    fn point(&self, spot: &Spot) -> Result<Point, ToolCallError> {
        self.geometry.point(spot).map_err(ToolCallError::OutOfPlace)
    }

    fn text(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let text = self.words(param, value)?.unwrap_or_default();
        let clears = self.members.get("replace").is_some_and(|replace| says_yes(replace));
        if text.is_empty() && !(clears && self.function.purpose == Purpose::Act(Verb::Type)) {
            return Err(ToolCallError::EmptyText(self.function.shape(self.tools)));
        }
        let placeholder = text.starts_with('<') && text.ends_with('>') && !text.contains('/');
        let own = param.kind == PropertyKind::Text && param.placeholder().trim_matches('"') == text;
        if own || param.kind == PropertyKind::Answer && placeholder {
            return Err(ToolCallError::Placeholder(param.name));
        }
        self.give(param.name, Arg::Text(text.to_owned()));
        Ok(())
    }

    fn flag(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let flag = match value {
            None => return Ok(()),
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(word)) if word.eq_ignore_ascii_case("true") => true,
            Some(Value::String(word)) if word.eq_ignore_ascii_case("false") => false,
            Some(_) => return Err(self.wrong(format!("'{}' must be true or false", param.name))),
        };
        self.give(param.name, Arg::Bool(flag));
        Ok(())
    }

    fn key(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let names = value
            .map(|value| self.names(param, value))
            .transpose()?
            .unwrap_or_default();
        let keys = match &names[..] {
            [text] => text.parse(),
            names => Keys::of(names.iter().map(String::as_str)),
        };
        match keys {
            Ok(keys) => self.give("keys", Arg::Text(keys.names())),
            Err(KeyError::Empty) => return Err(ToolCallError::MissingKey(self.function.shape(self.tools))),
            Err(error) => return Err(ToolCallError::Key(error)),
        }
        Ok(())
    }

    fn scroll(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let amount = self.number(param, value)?.unwrap_or(1.0);
        let direction = self.direction()?;
        let (down, right) = match direction.as_str() {
            "up" => (-amount, 0.0),
            "left" => (0.0, -amount),
            "right" => (0.0, amount),
            _ => (amount, 0.0),
        };
        self.give("dy", Arg::Float(down));
        self.give("dx", Arg::Float(right));
        Ok(())
    }

    fn direction(&self) -> Result<String, ToolCallError> {
        let param = self.params.iter().find(|param| param.kind == PropertyKind::Direction);
        let Some(param) = param else {
            return Ok(String::new());
        };
        let words = self.words(param, self.members.get(param.name).copied())?;
        let direction = words.unwrap_or("down").trim().to_ascii_lowercase();
        let known = DIRECTIONS.contains(&direction.as_str());
        known
            .then_some(direction)
            .ok_or_else(|| self.wrong(format!("'{}' must be one of {}", param.name, DIRECTIONS.join(", "))))
    }

    fn words(&self, param: &Property, value: Option<&'a Value>) -> Result<Option<&'a str>, ToolCallError> {
        match value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(format!("'{}' must be a string", param.name))),
        }
    }

    fn needed(&self, param: &Property, value: Option<&'a Value>) -> Result<f64, ToolCallError> {
        let missing = || self.wrong(format!("'{}' is missing", param.name));
        self.number(param, value)?.ok_or_else(missing)
    }

    fn number(&self, param: &Property, value: Option<&'a Value>) -> Result<Option<f64>, ToolCallError> {
        let Some(value) = value else { return Ok(None) };
        let number = spot::number(value);
        let wrong = || self.wrong(format!("'{}' must be a number", param.name));
        number.map(Some).ok_or_else(wrong)
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
        let unknown = crate::plan::shortened(unknown, LONGEST_NAME);
        Err(self.wrong(format!("{} has no argument '{unknown}'", self.function.name)))
    }
}

/// Arguments that only say what a call is for, which models add to any call.
const HARMLESS: [&str; 5] = ["description", "reason", "thought", "explanation", "comment"];

/// Checks whether a value means yes.
fn says_yes(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(word) => word.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// Where a scroll without a place turns the wheel.
const MIDDLE: Point = Point {
    x: Norm::MIDDLE,
    y: Norm::MIDDLE,
};
/// How many characters of the model's own word a message quotes.
const LONGEST_NAME: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::function::FUNCTIONS;

    #[test]
    fn an_argument_shape_names_the_arguments_and_never_acts() {
        let tools = [ToolSet::all(), ToolSet::all().with_targets()];
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
}
