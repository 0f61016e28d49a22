//! Reads the value that a call gives to a property.

use franz_action::keys::KeyError;
use franz_action::{Keys, Norm, Point, Verb};
use franz_python::Arg;
use serde_json::Value;

use super::Binding;
use crate::geometry::Spot;
use crate::spot;
use crate::tools::call_error::ToolCallError;
use crate::tools::function::{CLICKS, DIRECTIONS, Property, PropertyKind, Purpose, clicks};

impl<'a> Binding<'a> {
    /// Takes the value that the call gives for a parameter, if it gives one.
    pub(super) fn take(&mut self, param: &Property) -> Result<(), ToolCallError> {
        let value = self.members.get(param.name).copied();
        match param.kind {
            PropertyKind::Label => self.label(param, value)?,
            PropertyKind::Place => self.place(param, value)?,
            PropertyKind::Element => self.element(value),
            PropertyKind::Click => self.verb = Some(self.click(param, value)?),
            PropertyKind::Text if !param.required && value.and_then(Value::as_str).unwrap_or_default().is_empty() => {}
            PropertyKind::Text | PropertyKind::Answer => self.text(param, value)?,
            PropertyKind::Flag => self.flag(param, value)?,
            PropertyKind::Key => self.key(param, value)?,
            // This is read together with the amount.
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

    fn label(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        let label = self.words(param, value)?.filter(|label| !label.trim().is_empty());
        let takes_target = self.function.takes_target(self.tools);
        let is_needed = if takes_target {
            !self.members.contains_key("box") && self.element.is_none()
        } else {
            param.required && !self.function.takes_element(self.tools)
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

    /// Takes an element's number. If there is one, the call needs no other place.
    fn element(&mut self, value: Option<&'a Value>) {
        let value = value.filter(|_| self.function.takes_element(self.tools));
        self.element = value.map(|value| match value {
            Value::String(text) => Arg::Text(text.clone()),
            value => Arg::Float(value.as_f64().unwrap_or(f64::NAN)),
        });
    }

    fn place(&mut self, param: &Property, value: Option<&'a Value>) -> Result<(), ToolCallError> {
        if self.element.is_some() {
            return Ok(());
        }
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

    /// Returns the names in a string, or in a list of strings.
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
            let place = self.point(&Spot::Named([x, y]))?;
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

    fn give(&mut self, name: &str, arg: Arg) {
        self.keywords.push((name.to_owned(), arg));
    }
}

/// Checks whether a value means yes.
fn says_yes(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(word) => word.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// Where the wheel turns in a scroll without a place.
const MIDDLE: Point = Point {
    x: Norm::MIDDLE,
    y: Norm::MIDDLE,
};
