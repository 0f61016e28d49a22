//! Turns the arguments of a call into an action.

use std::collections::BTreeMap;

use franz_action::keys::{Chord, KeyError};
use franz_action::{Action, Norm, Point};
use franz_python::Arg;
use serde_json::{Map, Value};

use super::call_error::ToolCallError;
use super::function::{DIRECTIONS, Function, Property, PropertyKind, Purpose};
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
    pub(super) fn fault(self, function: &Function) -> ToolCallError {
        match self {
            NoObject::Json => ToolCallError::Json(function.example),
            NoObject::Other => ToolCallError::args(function, "the arguments must be one JSON object"),
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
    geometry: &Geometry,
) -> Result<BoundFunction, ToolCallError> {
    let members = arguments.members.iter().map(|(name, value)| (name.trim(), value));
    let mut binding = Binding {
        function,
        geometry,
        members: members.filter(|(_, value)| !value.is_null()).collect(),
        keywords: Vec::new(),
        numbers: Vec::new(),
        places: Vec::new(),
        label: None,
    };
    for param in function.params {
        binding.take(param)?;
    }
    binding.refuse_unknown()?;
    match function.purpose {
        Purpose::Act(_) => binding.action().map(BoundFunction::Act),
        Purpose::Finish => Ok(BoundFunction::Finish(binding.finish())),
        Purpose::Ask => Ok(BoundFunction::Ask),
    }
}

/// Turns a function's arguments into those of its tool.
struct Binding<'a> {
    function: &'static Function,
    geometry: &'a Geometry,
    members: BTreeMap<&'a str, &'a Value>,
    keywords: Vec<(String, Arg)>,
    /// Numbers of a place that is not complete yet: x, then y.
    numbers: Vec<f64>,
    places: Vec<Point>,
    label: Option<String>,
}

impl<'a> Binding<'a> {
    fn take(&mut self, param: &Property) -> Result<(), ToolCallError> {
        let value = self.members.get(param.name).copied();
        match param.kind {
            PropertyKind::Label => self.label(param, value)?,
            PropertyKind::Place => self.place(param, value)?,
            PropertyKind::Text | PropertyKind::Answer => self.text(param, value)?,
            PropertyKind::Flag => self.flag(param, value)?,
            PropertyKind::Key => self.key(param, value)?,
            // Read together with the amount.
            PropertyKind::Direction => {}
            PropertyKind::Amount => self.scroll(param, value)?,
            PropertyKind::Coordinate => self.coordinate(param, value)?,
            PropertyKind::Seconds => {
                let seconds = self.needed(param, value)?;
                self.give(param.name, Arg::Float(seconds));
            }
        }
        Ok(())
    }

    fn action(self) -> Result<BoundAction, ToolCallError> {
        let tool = self.function.tool().expect("a function that acts has a tool");
        if let Some(action) = Action::at(tool.verb, &self.places) {
            return Ok(BoundAction {
                action,
                label: self.label,
            });
        }
        let bound = bind::bind(tool, Vec::new(), self.keywords, self.geometry);
        let mut action = bound.map_err(|error| ToolCallError::args(self.function, error.to_string()))?;
        if let Action::Scroll { at, .. } = &mut action {
            *at = self.places.first().copied();
        }
        Ok(BoundAction {
            action,
            label: self.label,
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
        ToolCallError::args(self.function, what)
    }

    fn label(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let label = self.words(param, value)?.filter(|label| !label.trim().is_empty());
        if label.is_none() && param.required {
            return Err(ToolCallError::MissingLabel(self.function.example));
        }
        self.label = label.map(str::to_owned);
        Ok(())
    }

    fn place(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let example = self.function.example;
        let place = match value {
            None if param.required => return Err(ToolCallError::MissingPlace(example)),
            None => MIDDLE,
            Some(value) => self.point(&spot::of(value).ok_or(ToolCallError::Place(example))?)?,
        };
        self.places.push(place);
        Ok(())
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
        let point = self.geometry.point(spot);
        point.map_err(|error| ToolCallError::OutOfPlace(error, self.function.example))
    }

    fn text(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let text = self.words(param, value)?.unwrap_or_default();
        if text.is_empty() {
            return Err(ToolCallError::EmptyText(self.function.example));
        }
        let placeholder = text.starts_with('<') && text.ends_with('>') && !text.contains('/');
        if param.kind == PropertyKind::Answer && placeholder {
            return Err(self.wrong(format!("'{}' is still the placeholder of the instructions", param.name)));
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
        let key = self.words(param, value)?.unwrap_or_default();
        match key.parse::<Chord>() {
            Ok(chord) => self.give("keys", Arg::Text(chord.to_string())),
            Err(KeyError::Empty) => return Err(ToolCallError::MissingKey(self.function.example)),
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
        let param = self
            .function
            .params
            .iter()
            .find(|param| param.kind == PropertyKind::Direction);
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
        let unknown = self.members.keys().find(|name| self.function.param(name).is_none());
        let Some(unknown) = unknown else {
            return Ok(());
        };
        let unknown = crate::plan::shortened(unknown, LONGEST_NAME);
        Err(self.wrong(format!("{} has no argument '{unknown}'", self.function.name)))
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
    fn what_is_shown_as_right_is_right() {
        for function in &FUNCTIONS {
            let arguments = CallArguments::of(function.example, Closers::Needed).unwrap();
            assert_eq!(arguments.text, function.example);
            let bound = bind(function, &arguments, &Geometry::THOUSANDTHS).unwrap();
            if let BoundFunction::Act(bound) = bound {
                assert_eq!(Some(bound.action.tool()), function.tool());
            } else {
                assert_eq!(function.tool(), None);
            }
        }
    }
}
