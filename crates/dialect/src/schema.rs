//! Schemas: the JSON values that a reply can be, for servers that can enforce schemas but not grammars.
//!
//! Like grammars, they are made from the values that a family's own writer returns, with blanks for the parts that can
//! vary.

use std::fmt::Write as _;

use franz_action::ToolSet;
use serde_json::Value;

use crate::family::Family;
use crate::geometry::{Geometry, Space};
use crate::grammar::{self, FIRST, KEY, LONGEST_NOTE, LONGEST_TEXT, NOTE, SECOND, TEXT};
use crate::json::{self, Closers};
use crate::wording::{Numbers, Said};

/// A set of JSON values.
#[derive(Clone, Debug, PartialEq)]
pub enum Schema {
    /// One of these values.
    OneOf(Vec<Value>),
    /// A string. The numbers are its minimum and maximum length in characters.
    Text(u16, u16),
    /// A whole number in this range.
    Whole(i64, i64),
    /// A number in this range.
    Number(f64, f64),
    /// A list with one value from each schema.
    List(Vec<Schema>),
    /// An object with all of these members.
    Members(Vec<(String, Schema)>),
    /// A value from any one of the schemas.
    AnyOf(Vec<Schema>),
}

impl Schema {
    /// Returns the calls that a reply of this family can be, or `None` if a reply is more than one JSON value or if the
    /// coordinate space is unknown.
    pub(crate) fn of_calls(family: &Family, tools: &ToolSet, geometry: &Geometry) -> Option<Schema> {
        let writer = family.dialect.writer(&family.manner, Numbers::Open(geometry.axes))?;
        let blanks = Blanks::new(geometry)?;
        let sorted = tools.sorted().into_iter();
        let calls = sorted.flat_map(|tool| grammar::written(tools, tool, |action| writer.whole_line(action)).0);
        let ends = grammar::ends(family, |answer, success| writer.whole_finish(answer, success));
        let all: Vec<Said> = calls.chain(ends).collect();
        if all.is_empty() { None } else { blanks.any_of(all) }
    }

    /// Checks whether the text is a value of this schema.
    pub fn has(&self, text: &str) -> bool {
        let value = json::value(text, Closers::Needed).ok();
        value.is_some_and(|read| serde_json::from_str(&read.text).is_ok_and(|value| self.holds(&value)))
    }

    fn holds(&self, value: &Value) -> bool {
        match self {
            Schema::OneOf(values) => values.contains(value),
            Schema::Text(least, most) => value
                .as_str()
                .is_some_and(|text| (usize::from(*least)..=usize::from(*most)).contains(&text.chars().count())),
            Schema::Whole(low, high) => value.as_i64().is_some_and(|number| (*low..=*high).contains(&number)),
            Schema::Number(low, high) => value.as_f64().is_some_and(|number| (*low..=*high).contains(&number)),
            Schema::List(parts) => value.as_array().is_some_and(|values| {
                values.len() == parts.len() && parts.iter().zip(values).all(|(part, value)| part.holds(value))
            }),
            Schema::Members(members) => value.as_object().is_some_and(|values| {
                let has = |(name, part): &(String, Schema)| values.get(name).is_some_and(|value| part.holds(value));
                values.len() == members.len() && members.iter().all(has)
            }),
            Schema::AnyOf(parts) => parts.iter().any(|part| part.holds(value)),
        }
    }

    /// Writes the schema as JSON Schema. Written by hand because servers make the model write members in the order
    /// given here.
    pub fn json(&self) -> String {
        let all = |parts: &[Schema]| parts.iter().map(Schema::json).collect::<Vec<_>>().join(",");
        match self {
            Schema::OneOf(values) => format!(r#"{{"enum":{}}}"#, Value::from(values.as_slice())),
            Schema::Text(least, most) => format!(r#"{{"type":"string","minLength":{least},"maxLength":{most}}}"#),
            Schema::Whole(low, high) => format!(r#"{{"type":"integer","minimum":{low},"maximum":{high}}}"#),
            Schema::Number(low, high) => format!(r#"{{"type":"number","minimum":{low},"maximum":{high}}}"#),
            Schema::List(parts) => {
                let (count, parts) = (parts.len(), all(parts));
                format!(r#"{{"type":"array","prefixItems":[{parts}],"minItems":{count},"maxItems":{count}}}"#)
            }
            Schema::Members(members) => {
                let mut properties = String::new();
                for (name, part) in members {
                    let comma = if properties.is_empty() { "" } else { "," };
                    let _ = write!(properties, "{comma}{}:{}", Value::from(name.as_str()), part.json());
                }
                let names: Value = members.iter().map(|(name, _)| name.as_str()).collect();
                format!(
                    r#"{{"type":"object","properties":{{{properties}}},"required":{names},"additionalProperties":false}}"#
                )
            }
            Schema::AnyOf(parts) => {
                // OpenAI's API requires an object at the top level.
                let objects = parts.iter().all(|part| matches!(part, Schema::Members(_)));
                let kind = if objects { r#""type":"object","# } else { "" };
                format!(r#"{{{kind}"anyOf":[{}]}}"#, all(parts))
            }
        }
    }
}

/// What to put in the blanks for numbers.
struct Blanks {
    numbers: [Schema; 2],
}

/// What values must have in common before they can be merged.
#[derive(PartialEq)]
enum Outline {
    Members(Vec<String>),
    List(usize),
    Plain,
}

impl Blanks {
    /// Creates the blanks, or returns `None` if the coordinate space is unknown.
    fn new(geometry: &Geometry) -> Option<Blanks> {
        let numbers = grammar::spans(geometry)?.map(|(low, high)| {
            let whole = Schema::Whole(low.ceil() as i64, high.floor() as i64);
            match geometry.space {
                Space::Fractions => Schema::Number(low, high),
                // A number from 0 to 1 with decimals could be mistaken for a fraction.
                Space::Percent => Schema::AnyOf(vec![whole, Schema::Number(2.0, high)]),
                _ => whole,
            }
        });
        Some(Blanks { numbers })
    }

    /// Returns a choice of exactly these values, or `None` if there is a blank where the value cannot vary.
    fn any_of(&self, values: Vec<Said>) -> Option<Schema> {
        let mut groups: Vec<(Outline, Vec<Said>)> = Vec::new();
        for value in values {
            let outline = Outline::of(&value);
            match groups.iter_mut().find(|(known, _)| *known == outline) {
                Some((_, group)) if !group.contains(&value) => group.push(value),
                Some(_) => {}
                None => groups.push((outline, vec![value])),
            }
        }
        let mut parts = Vec::new();
        for (outline, group) in groups {
            parts.extend(self.alike(&outline, &group)?);
        }
        Some(match <[Schema; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => Schema::AnyOf(parts),
        })
    }

    /// Returns choices for different values with the same outline. It is a single choice if each part can be chosen
    /// independently of the others.
    fn alike(&self, outline: &Outline, values: &[Said]) -> Option<Vec<Schema>> {
        if *outline == Outline::Plain {
            return self.plain(values);
        }
        let rows: Vec<Vec<&Said>> = values.iter().map(parts).collect();
        let width = rows.first().map_or(0, Vec::len);
        let columns: Vec<Vec<Said>> = (0..width)
            .map(|at| {
                let column = rows.iter().filter_map(|row| row.get(at).copied().cloned());
                grammar::different(column)
            })
            .collect();
        if columns.iter().map(Vec::len).product::<usize>() != values.len() {
            let each = values
                .iter()
                .map(|value| self.alike(outline, std::slice::from_ref(value)));
            return Some(each.collect::<Option<Vec<_>>>()?.concat());
        }
        let columns: Vec<Schema> = columns
            .into_iter()
            .map(|column| self.any_of(column))
            .collect::<Option<_>>()?;
        Some(vec![match outline {
            Outline::Members(names) => Schema::Members(names.iter().cloned().zip(columns).collect()),
            Outline::List(_) | Outline::Plain => Schema::List(columns),
        }])
    }

    /// Returns choices for values that are neither lists nor objects.
    fn plain(&self, values: &[Said]) -> Option<Vec<Schema>> {
        let (mut fixed, mut open) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                Said::Bare(word) if *word == FIRST.to_string() => open.push(self.numbers[0].clone()),
                Said::Bare(word) if *word == SECOND.to_string() => open.push(self.numbers[1].clone()),
                Said::Bare(word) => fixed.push(serde_json::from_str(word).ok()?),
                Said::Text(text) if *text == TEXT.to_string() => open.push(Schema::Text(1, LONGEST_TEXT)),
                Said::Text(text) if *text == NOTE.to_string() => open.push(Schema::Text(0, LONGEST_NOTE)),
                Said::Text(text) if text.contains(KEY) => {
                    let keys = grammar::keys().into_iter().map(|key| text.replace(KEY, &key));
                    fixed.extend(keys.map(Value::from));
                }
                Said::Text(text) if text.contains([FIRST, SECOND, TEXT, NOTE]) => return None,
                Said::Text(text) => fixed.push(Value::from(text.as_str())),
                Said::List(_) | Said::Members(_) => return None,
            }
        }
        let fixed = grammar::different(fixed.into_iter());
        if !fixed.is_empty() {
            open.push(Schema::OneOf(fixed));
        }
        Some(open)
    }
}

impl Outline {
    fn of(value: &Said) -> Outline {
        match value {
            Said::Members(members) => Outline::Members(members.iter().map(|(name, _)| name.clone()).collect()),
            Said::List(list) => Outline::List(list.len()),
            Said::Bare(_) | Said::Text(_) => Outline::Plain,
        }
    }
}

/// Returns the values inside a value.
fn parts(value: &Said) -> Vec<&Said> {
    match value {
        Said::Members(members) => members.iter().map(|(_, part)| part).collect(),
        Said::List(list) => list.iter().collect(),
        Said::Bare(_) | Said::Text(_) => Vec::new(),
    }
}
