//! Turns a tool and its arguments into an action: types are checked, and what is out of range is refused.

use franz_action::keys::Chord;
use franz_action::tool::{Default, Param, ParamKind};
use franz_action::{Action, Point, Tool, ToolSet, Verb};
use franz_python::{Arg, CallRefusal, Signature};

use crate::geometry::{Axes, Geometry, Spot};

/// The longest wait, in seconds.
pub const LONGEST_WAIT_S: f64 = 30.0;
/// The longest text of one call, in characters: a quarter of an hour of typing, and a record that stays readable.
pub const LONGEST_TEXT: usize = 10_000;
/// The longest clipboard text of one call, in characters. It is never typed, and only the reply itself keeps all of it.
pub const LONGEST_CLIPBOARD: usize = 100_000;
/// The longest name of a target, in characters.
pub const LONGEST_TARGET: usize = 300;
/// The most wheel notches in one call.
pub const MOST_NOTCHES: f64 = 100.0;

/// Why a call cannot be made; the texts are those of `CPython`'s exceptions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// A `TypeError`: missing or surplus arguments, or one of the wrong type.
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

/// Turns a tool and these arguments into an action. Places are read as the geometry says, in its order of axes. A target
/// takes the place of one where the tools say so.
pub fn bind(
    tool: &'static Tool,
    positional: Vec<Arg>,
    keywords: Vec<(String, Arg)>,
    tools: &ToolSet,
    geometry: &Geometry,
) -> Result<Action, BindError> {
    if tools.takes_target(tool)
        && let Some(target) = target(&positional, &keywords)
    {
        return aimed(tool, target);
    }
    let ordered = params(tool, geometry.axes);
    let params: Vec<(&str, bool)> = ordered
        .iter()
        .map(|param| (param.name, param.default != Default::Required))
        .collect();
    let signature = Signature {
        name: tool.name,
        params: &params,
        positional_only: 0,
        keyword_only: &[],
        rest: false,
        extra: false,
    };
    let bound = signature.bind(positional, keywords).map_err(BindError::Type)?;
    let mut reader = Reader {
        tool,
        slots: bound.slots.into_iter().zip(ordered),
        geometry,
    };
    reader.action()
}

/// The names of the argument that names a target: the one that is offered comes first.
pub(crate) const TARGETS: [&str; 4] = ["target", "label", "element", "description"];

/// Returns the target that a call names instead of a place.
fn target<'a>(positional: &'a [Arg], keywords: &'a [(String, Arg)]) -> Option<&'a str> {
    match (positional, keywords) {
        ([Arg::Text(target)], []) => Some(target),
        ([], [(name, Arg::Text(target))]) => TARGETS.contains(&name.as_str()).then_some(target),
        _ => None,
    }
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
    Ok(Action::Aimed(tool.verb, target.to_owned()))
}

/// Returns the lines of a prompt about these tools: each with its parameters in the order in which a model with these axes
/// writes them.
pub fn listed(tools: &ToolSet, axes: Axes) -> Vec<String> {
    let lines = tools.sorted().into_iter().map(|tool| {
        if tools.takes_target(tool) {
            return format!("{}(target) -- {}", tool.name, tool.doc.replace("(x,y)", "the target"));
        }
        let line = tool.listed(params(tool, axes));
        match axes {
            Axes::Xy => line,
            Axes::Yx => PLACES.iter().fold(line, |line, [xy, yx]| line.replace(xy, yx)),
        }
    });
    lines.collect()
}

/// Places in the documentation of tools, in both orders.
const PLACES: [[&str; 2]; 3] = [["(x,y)", "(y,x)"], ["(x1,y1)", "(y1,x1)"], ["(x2,y2)", "(y2,x2)"]];

/// Returns a tool's parameters in the order in which a model with these axes writes them.
fn params(tool: &'static Tool, axes: Axes) -> Vec<&'static Param> {
    let mut params: Vec<&Param> = tool.params.iter().collect();
    if axes == Axes::Yx {
        let first = params.iter().position(|param| param.kind == ParamKind::Coordinate);
        for place in params
            .get_mut(first.unwrap_or(usize::MAX)..)
            .unwrap_or_default()
            .chunks_exact_mut(2)
        {
            if place.iter().all(|param| param.kind == ParamKind::Coordinate) {
                place.reverse();
            }
        }
    }
    params
}

/// Takes the bound arguments in order and converts each to its parameter's kind.
struct Reader<'a, I> {
    tool: &'static Tool,
    slots: I,
    geometry: &'a Geometry,
}

impl<I: Iterator<Item = (Option<Arg>, &'static Param)>> Reader<'_, I> {
    fn action(&mut self) -> Result<Action, BindError> {
        Ok(match self.tool.verb {
            Verb::LeftClick => Action::LeftClick(self.point()?),
            Verb::RightClick => Action::RightClick(self.point()?),
            Verb::MiddleClick => Action::MiddleClick(self.point()?),
            Verb::DoubleLeftClick => Action::DoubleLeftClick(self.point()?),
            Verb::TripleClick => Action::TripleClick(self.point()?),
            Verb::Drag => Action::Drag(self.point()?, self.point()?),
            Verb::Move => Action::Move(self.point()?),
            Verb::Scroll => self.scroll()?,
            Verb::Type => Action::Type(self.text()?),
            Verb::Press => Action::Press(self.chord()?),
            Verb::ReadClipboard => Action::ReadClipboard,
            Verb::WriteClipboard => Action::WriteClipboard(self.text()?),
            Verb::Wait => Action::Wait(self.seconds()?),
            Verb::Screenshot => Action::Screenshot,
            Verb::Observe => Action::Observe,
        })
    }

    fn next(&mut self) -> (Arg, &'static Param) {
        let (slot, param) = self.slots.next().expect("one slot a parameter");
        let default = if param.default == Default::Zero {
            Arg::Int(0.0)
        } else {
            Arg::None
        };
        (slot.unwrap_or(default), param)
    }

    fn point(&mut self) -> Result<Point, BindError> {
        let numbers = [self.required()?, self.required()?];
        self.place(numbers)
    }

    fn place(&self, numbers: [f64; 2]) -> Result<Point, BindError> {
        let point = self.geometry.point(&Spot::Point(numbers));
        point.map_err(|error| self.unusable(error))
    }

    fn scroll(&mut self) -> Result<Action, BindError> {
        let dy = self.notches()?;
        let place = (self.optional()?, self.optional()?);
        let dx = self.notches()?;
        let at = match place {
            (Some(first), Some(second)) => Some(self.place([first, second])?),
            (None, None) => None,
            _ => {
                return Err(BindError::Type(
                    "scroll() needs both 'x' and 'y', or neither".to_owned(),
                ));
            }
        };
        Ok(Action::Scroll { dy, dx, at })
    }

    fn notches(&mut self) -> Result<i32, BindError> {
        let notches = self.required()?;
        if notches.abs() > MOST_NOTCHES {
            return Err(self.unusable(format!("a wheel turns at most {MOST_NOTCHES} notches at a time")));
        }
        Ok(notches.round() as i32)
    }

    fn seconds(&mut self) -> Result<f64, BindError> {
        let seconds = self.required()?;
        if !(0.0..=LONGEST_WAIT_S).contains(&seconds) {
            return Err(self.unusable(format!("a wait lasts from 0 to {LONGEST_WAIT_S} seconds")));
        }
        // Adding zero turns -0.0 into 0.0, which is what its text would be read back as.
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

    fn chord(&mut self) -> Result<Chord, BindError> {
        let text = self.text()?;
        text.parse().map_err(|error| self.unusable(error))
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
