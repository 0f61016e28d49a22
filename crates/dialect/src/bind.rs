//! Turns a tool and its arguments into an action. Checks types and refuses values that are out of range.

mod path;

use franz_action::keys::Modifier;
use franz_action::tool::{Default, Param, ParamKind};
use franz_action::{Action, AimedAt, Button, Click, Holding, Keys, Point, Tool, ToolSet, Typing, Verb};
use franz_python::{Arg, CallRefusal, Signature};

use crate::geometry::{Axes, Geometry, Spot};
pub(crate) use path::ONE_POINT;
use path::{PATHS, along};

/// The longest wait or hold, in seconds.
pub const LONGEST_WAIT_S: f64 = 30.0;
/// The maximum length of the text in one call, in characters. Typing that much takes a quarter of an hour, and its
/// record stays readable.
pub const LONGEST_TEXT: usize = 10_000;
/// The maximum length of the clipboard text in one call, in characters. It can be longer than typed text because it is
/// never typed, and only the reply contains all of it.
pub(crate) const LONGEST_CLIPBOARD: usize = 100_000;
/// The maximum length of a target's name, in characters.
const LONGEST_TARGET: usize = 300;
/// The maximum number of clicks in one call.
pub const MOST_CLICKS: u32 = 20;
/// The maximum number of times that one call can press its keys.
pub const MOST_PRESSES: u32 = 100;
/// The maximum number of keys and chords in one call.
pub(crate) const MOST_CHORDS: usize = 20;
/// The maximum number of points in one drag.
pub(crate) const MOST_POINTS: usize = 100;
/// Tells the model why its call cannot replace text.
pub(crate) const REPLACE_WHERE: &str = "to replace text, also give its place: x and y";
/// The maximum number of wheel notches in one call.
pub const MOST_NOTCHES: f64 = 100.0;

/// Why a call cannot be made. The messages resemble those of `CPython`'s exceptions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// A `TypeError`: missing or surplus arguments, or an argument of the wrong type.
    #[error("{0}")]
    Type(String),
    /// A `ValueError`: the right type, but an unusable value.
    #[error("{0}")]
    Value(String),
}

impl From<BindError> for CallRefusal {
    fn from(error: BindError) -> CallRefusal {
        match error {
            BindError::Type(message) => CallRefusal::Type(message),
            BindError::Value(message) => CallRefusal::Value(message),
        }
    }
}

/// Turns a tool and its arguments into an action. Reads places according to the geometry, including its axis order. If
/// the tools allow it, a call can name a target instead of a place. Parameters that are not offered to a model can only
/// be given by name.
pub fn bind(
    tool: &'static Tool,
    positional: Vec<Arg>,
    keywords: Vec<(String, Arg)>,
    tools: &ToolSet,
    geometry: &Geometry,
) -> Result<Action, BindError> {
    if tools.takes_element(tool)
        && let Some(number) = element(&positional, &keywords)
    {
        return numbered(tool, number);
    }
    if tools.takes_target(tool)
        && let Some(target) = target(&positional, &keywords)
    {
        return aimed(tool, target);
    }
    if tool.verb == Verb::Drag
        && let Some(points) = points(&positional, &keywords)
    {
        return along(tool, points, geometry);
    }
    let (told, others) = params(tool, tools, geometry.axes);
    let signature = Signature {
        name: tool.name,
        params: &named(&told),
        positional_only: 0,
        keyword_only: &named(&others),
        rest: false,
        extra: false,
    };
    let bound = signature.bind(positional, keywords).map_err(BindError::Type)?;
    let mut slots = Slots {
        tool,
        bound: bound.slots.into_iter().zip(told.into_iter().chain(others)),
        geometry,
    };
    slots.action()
}

fn named(params: &[&'static Param]) -> Vec<(&'static str, bool)> {
    let named = params.iter();
    named
        .map(|param| (param.name, param.default != Default::Required))
        .collect()
}

/// The possible names of the argument that gives a target, with the offered name first.
pub(crate) const TARGETS: [&str; 4] = ["target", "label", "element", "description"];

/// Returns the target that a call names instead of a place.
fn target<'a>(positional: &'a [Arg], keywords: &'a [(String, Arg)]) -> Option<&'a str> {
    match (positional, keywords) {
        ([Arg::Text(target)], []) => Some(target),
        ([], [(name, Arg::Text(target))]) => TARGETS.contains(&name.as_str()).then_some(target),
        _ => None,
    }
}

/// The name of the argument that gives an element's number.
pub(crate) const ELEMENT: &str = "element";

/// Returns the element number that a call gives instead of a place.
fn element<'a>(positional: &'a [Arg], keywords: &'a [(String, Arg)]) -> Option<&'a Arg> {
    match (positional, keywords) {
        ([], [(name, number)]) if name == ELEMENT => Some(number),
        _ => None,
    }
}

/// Returns the action on an element.
fn numbered(tool: &'static Tool, number: &Arg) -> Result<Action, BindError> {
    let number = match number {
        Arg::Text(text) => text.trim().trim_matches(['[', ']']).parse().ok(),
        number => number.number(),
    };
    let whole = number.filter(|number: &f64| number.fract() == 0.0 && *number >= 1.0 && *number <= f64::from(u32::MAX));
    let why = || BindError::Value(format!("{}(): give the number of an element: element=3", tool.name));
    Ok(Action::Aimed(
        tool.verb,
        AimedAt::Element(whole.ok_or_else(why)? as u32),
    ))
}

/// Returns the action on a target.
fn aimed(tool: &'static Tool, target: &str) -> Result<Action, BindError> {
    let target = target.trim();
    let (name, length) = (tool.name, target.chars().count());
    if target.is_empty() {
        return Err(BindError::Value(format!("{name}(): name the target in a few words")));
    }
    if length > LONGEST_TARGET {
        let why = format!("{name}(): the target must have at most {LONGEST_TARGET} characters, not {length}");
        return Err(BindError::Value(why));
    }
    Ok(Action::Aimed(tool.verb, AimedAt::Named(target.to_owned())))
}

/// Returns the points of the path that a call gives, if it gives one.
fn points<'a>(positional: &'a [Arg], keywords: &'a [(String, Arg)]) -> Option<&'a [Arg]> {
    let list = match (positional, keywords) {
        ([list], []) => list,
        ([], [(name, list)]) if PATHS.contains(&name.as_str()) => list,
        _ => return None,
    };
    match list {
        Arg::Sequence(_, points) if points.iter().all(|point| matches!(point, Arg::Sequence(..))) => Some(points),
        _ => None,
    }
}

/// Returns the prompt lines for these tools. Each line lists the parameters in the order in which a model with this
/// axis order writes them.
pub fn listed(tools: &ToolSet, axes: Axes) -> Vec<String> {
    let lines = tools.sorted().into_iter().map(|tool| {
        if tools.takes_target(tool) {
            return format!("{}(target) -- {}", tool.name, tool.doc.replace("(x,y)", "the target"));
        }
        let line = tool.listed(params(tool, tools, axes).0, &tools.doc(tool));
        match axes {
            Axes::Xy => line,
            Axes::Yx => PLACES.iter().fold(line, |line, [xy, yx]| line.replace(xy, yx)),
        }
    });
    lines.collect()
}

/// The places in the tools' documentation, in both axis orders.
const PLACES: [[&str; 2]; 4] = [
    ["(x,y)", "(y,x)"],
    ["(x1,y1)", "(y1,x1)"],
    ["(x2,y2)", "(y2,x2)"],
    ["[x, y]", "[y, x]"],
];

/// Returns a tool's parameters in the order in which a model with this axis order writes them: first the offered ones,
/// then the others.
fn params(tool: &'static Tool, tools: &ToolSet, axes: Axes) -> (Vec<&'static Param>, Vec<&'static Param>) {
    let mut all: Vec<&Param> = tool.params.iter().collect();
    let is_place = |params: &[&Param]| params.iter().all(|param| param.kind == ParamKind::Coordinate);
    if axes == Axes::Yx {
        let first = all.iter().position(|param| param.kind == ParamKind::Coordinate);
        let places = all.get_mut(first.unwrap_or(usize::MAX)..).unwrap_or_default();
        let places = places.chunks_exact_mut(2).filter(|place| is_place(place));
        places.for_each(<[_]>::reverse);
    }
    let told: Vec<&Param> = tools.params(tool).collect();
    all.into_iter().partition(|param| told.contains(param))
}

/// Takes the bound arguments in order and converts each to its parameter's kind.
struct Slots<'a, I> {
    tool: &'static Tool,
    bound: I,
    geometry: &'a Geometry,
}

impl<I: Iterator<Item = (Option<Arg>, &'static Param)>> Slots<'_, I> {
    fn action(&mut self) -> Result<Action, BindError> {
        Ok(match self.tool.verb {
            verb @ (Verb::LeftClick
            | Verb::RightClick
            | Verb::MiddleClick
            | Verb::DoubleLeftClick
            | Verb::TripleClick) => self.click(verb)?,
            Verb::Drag => {
                let action = Action::drag(self.point()?, self.point()?);
                match self.next() {
                    (Arg::None, _) => action,
                    _ => {
                        return Err(
                            self.unusable("a path already gives the whole drag: write only points=[[x, y], [x, y]]")
                        );
                    }
                }
            }
            Verb::Move => Action::Move(self.point()?),
            Verb::MouseDown => {
                let at = self.place_if_any()?;
                Action::MouseDown(self.button()?, at)
            }
            Verb::MouseUp => {
                let at = self.place_if_any()?;
                Action::MouseUp(self.button()?, at)
            }
            Verb::Scroll => self.scroll()?,
            Verb::Type => self.typing()?,
            Verb::Press => self.press()?,
            Verb::Hold => self.hold()?,
            Verb::ReadClipboard => Action::ReadClipboard,
            Verb::WriteClipboard => Action::WriteClipboard(self.text()?),
            Verb::Wait => Action::Wait(self.seconds("a wait")?),
            Verb::Screenshot => Action::Screenshot,
            Verb::Observe => Action::Observe,
            Verb::Watch => Action::Watch(self.seconds("a watch")?),
            Verb::Zoom => Action::Zoom(self.point()?, self.point()?),
            Verb::Windows => Action::Windows,
            Verb::Focus => Action::Focus(self.text()?),
            Verb::Open => Action::Open(self.text()?),
            Verb::Ask => Action::Ask(self.text()?),
        })
    }

    fn next(&mut self) -> (Arg, &'static Param) {
        let (slot, param) = self.bound.next().expect("one slot per parameter");
        let default = match param.default {
            Default::Required | Default::None => Arg::None,
            Default::Zero => Arg::Int(0.0),
            Default::One => Arg::Int(1.0),
            Default::False => Arg::Bool(false),
            Default::Left => Arg::Text(Button::Left.name().to_owned()),
        };
        (slot.unwrap_or(default), param)
    }

    fn click(&mut self, verb: Verb) -> Result<Action, BindError> {
        let at = self.point()?;
        let plain = Click::of(verb, at).expect("every click has its button");
        let count = if plain.count == 1 {
            self.count("a click", MOST_CLICKS)?
        } else {
            plain.count
        };
        let modifiers = match self.next() {
            (Arg::None, _) => Vec::new(),
            (names, param) => {
                let modifiers = Modifier::list(&self.names(names, param)?.join("+"));
                modifiers.map_err(|error| self.unusable(error))?
            }
        };
        Ok(Action::Click(Click {
            count,
            modifiers,
            ..plain
        }))
    }

    fn count(&mut self, what: &str, most: u32) -> Result<u32, BindError> {
        let count = self.required()?;
        if !(1.0..=f64::from(most)).contains(&count) || count.fract() != 0.0 {
            return Err(self.unusable(format!("{what} can be repeated 1 to {most} times in one call")));
        }
        Ok(count as u32)
    }

    fn point(&mut self) -> Result<Point, BindError> {
        let numbers = [self.required()?, self.required()?];
        self.place(numbers)
    }

    fn place_if_any(&mut self) -> Result<Option<Point>, BindError> {
        match (self.optional()?, self.optional()?) {
            (Some(first), Some(second)) => Ok(Some(self.place([first, second])?)),
            (None, None) => Ok(None),
            _ => Err(BindError::Type(format!(
                "{}() needs both 'x' and 'y', or neither",
                self.tool.name
            ))),
        }
    }

    fn place(&self, numbers: [f64; 2]) -> Result<Point, BindError> {
        let point = self.geometry.point(&Spot::Point(numbers));
        point.map_err(|error| self.unusable(error))
    }

    fn button(&mut self) -> Result<Button, BindError> {
        let name = self.text()?;
        let button = Button::named(&name);
        button.ok_or_else(|| self.unusable("the button must be \"left\", \"middle\" or \"right\""))
    }

    fn typing(&mut self) -> Result<Action, BindError> {
        let text = self.text()?;
        let at = self.place_if_any()?;
        let (replace, enter) = (self.flag()?, self.flag()?);
        if replace && at.is_none() {
            return Err(self.unusable(REPLACE_WHERE));
        }
        let typing = Typing { text, at, replace };
        Ok(Action::Type(if enter { typing.entered() } else { typing }))
    }

    fn press(&mut self) -> Result<Action, BindError> {
        let (keys, param) = self.next();
        let names = self.names(keys, param)?;
        let keys = match &names[..] {
            [text] => text.parse(),
            names => Keys::of(names.iter().map(String::as_str)),
        };
        let keys: Keys = keys.map_err(|error| self.unusable(error))?;
        if keys.chords().len() > MOST_CHORDS {
            return Err(self.unusable(format!("one call takes at most {MOST_CHORDS} keys")));
        }
        let count = self.count("a key", MOST_PRESSES)?;
        Ok(Action::Press(keys.times(count)))
    }

    fn hold(&mut self) -> Result<Action, BindError> {
        let what = self.text()?;
        let what = what.parse().map_err(|error| self.unusable(error))?;
        let seconds = self.seconds("a hold")?;
        let at = self.place_if_any()?;
        Ok(Action::Hold(Holding { what, seconds, at }))
    }

    /// Reads key names from a string or a list of strings.
    fn names(&self, names: Arg, param: &Param) -> Result<Vec<String>, BindError> {
        let wrong = |arg: &Arg| self.wrong_type(param, "str", arg);
        match names {
            Arg::Text(text) => Ok(vec![text]),
            Arg::Sequence(_, items) => {
                let name = |item| match item {
                    Arg::Text(text) => Ok(text),
                    other => Err(wrong(&other)),
                };
                items.into_iter().map(name).collect()
            }
            other => Err(wrong(&other)),
        }
    }

    fn flag(&mut self) -> Result<bool, BindError> {
        match self.next() {
            (Arg::Bool(flag), _) => Ok(flag),
            (Arg::None, _) => Ok(false),
            (other, param) => match other.number() {
                Some(number) => Ok(number != 0.0),
                None => Err(self.wrong_type(param, "True or False", &other)),
            },
        }
    }

    fn scroll(&mut self) -> Result<Action, BindError> {
        let dy = self.notches()?;
        let at = self.place_if_any()?;
        let dx = self.notches()?;
        Ok(Action::Scroll { dy, dx, at })
    }

    fn notches(&mut self) -> Result<i32, BindError> {
        let notches = self.required()?;
        if notches.abs() > MOST_NOTCHES {
            return Err(self.unusable(format!("the wheel can turn at most {MOST_NOTCHES} notches at a time")));
        }
        Ok(notches.round() as i32)
    }

    fn seconds(&mut self, what: &str) -> Result<f64, BindError> {
        let seconds = self.required()?;
        if !(0.0..=LONGEST_WAIT_S).contains(&seconds) {
            return Err(self.unusable(format!("{what} must last from 0 to {LONGEST_WAIT_S} seconds")));
        }
        // Adding zero turns -0.0 into 0.0. Parsing the action's text would do the same.
        Ok(seconds + 0.0)
    }

    fn required(&mut self) -> Result<f64, BindError> {
        let (arg, param) = self.next();
        self.number(&arg, param)
    }

    fn optional(&mut self) -> Result<Option<f64>, BindError> {
        match self.next() {
            (Arg::None, _) => Ok(None),
            (arg, param) => self.number(&arg, param).map(Some),
        }
    }

    fn number(&self, arg: &Arg, param: &Param) -> Result<f64, BindError> {
        let Some(number) = arg.number() else {
            return Err(self.wrong_type(param, "a number", arg));
        };
        if !number.is_finite() {
            let shown = if number.is_nan() { "nan" } else { "infinity" };
            let message = format!(
                "{}() argument '{}' must be finite, not {shown}",
                self.tool.name, param.name
            );
            return Err(BindError::Value(message));
        }
        Ok(number)
    }

    fn unusable(&self, why: impl std::fmt::Display) -> BindError {
        BindError::Value(format!("{}(): {why}", self.tool.name))
    }

    fn text(&mut self) -> Result<String, BindError> {
        match self.next() {
            (Arg::Text(text), param) => self.short_enough(text, param),
            (other, param) => Err(self.wrong_type(param, "str", &other)),
        }
    }

    fn short_enough(&self, text: String, param: &Param) -> Result<String, BindError> {
        let most = if self.tool.verb == Verb::WriteClipboard {
            LONGEST_CLIPBOARD
        } else {
            LONGEST_TEXT
        };
        let length = text.chars().count();
        if length <= most {
            return Ok(text);
        }
        Err(BindError::Value(format!(
            "{}() argument '{}' must have at most {most} characters, not {length}",
            self.tool.name, param.name
        )))
    }

    fn wrong_type(&self, param: &Param, wanted: &str, arg: &Arg) -> BindError {
        BindError::Type(format!(
            "{}() argument '{}' must be {wanted}, not {}",
            self.tool.name,
            param.name,
            arg.type_name()
        ))
    }
}

#[cfg(test)]
mod tests;
