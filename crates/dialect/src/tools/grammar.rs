//! The functions as a grammar: calls in the text, one per line, with the parameters that the table offers.

use franz_action::aimed_at::MOST_ELEMENTS;
use franz_action::{ToolSet, Verb};

use super::function::{DIRECTIONS, Function, Property, PropertyKind, Purpose, buttons, clicks};
use crate::bind::MOST_CLICKS;
use crate::geometry::Geometry;
use crate::grammar::{Filled, Grammar, Quote};

/// The maximum number of notches of the wheel.
const MOST_NOTCHES: u32 = 30;
/// The maximum number of points between the ends of a path.
const MOST_BETWEEN: u16 = 20;
/// The parameter that a call can give only after a place.
const REPLACE: &str = "replace";
/// The maximum length of a wait in seconds.
const MOST_SECONDS: u32 = 30;

/// Returns up to this many calls of the offered functions, or one call that ends the work. Returns `None` if the
/// coordinate space is unknown.
pub(crate) fn grammar(tools: &ToolSet, geometry: &Geometry, most: usize) -> Option<Grammar> {
    let filled = Filled::new(Quote::Json, geometry)?;
    let (acting, ending): (Vec<_>, Vec<_>) = Function::offered(tools).partition(|function| function.acts());
    let call = |function: &&Function| call(function, tools, &filled);
    let act = Grammar::Choice(acting.iter().map(call).collect());
    let more = u16::try_from(most.saturating_sub(1)).unwrap_or(u16::MAX);
    let next = Grammar::Sequence(vec![Grammar::text("\n"), act.clone()]).up_to(more);
    let mut replies = vec![Grammar::Sequence(vec![act, next])];
    replies.extend(ending.iter().map(call));
    Some(Grammar::Choice(replies))
}

fn call(function: &Function, tools: &ToolSet, filled: &Filled) -> Grammar {
    let by_place = called(function, tools, filled, |param| param.kind != PropertyKind::Element);
    if !function.takes_element(tools) {
        return by_place;
    }
    let by_number = called(function, tools, filled, |param| {
        !matches!(param.kind, PropertyKind::Label | PropertyKind::Place)
    });
    Grammar::Choice(vec![by_number, by_place])
}

/// Returns a call with the chosen parameters.
fn called(function: &Function, tools: &ToolSet, filled: &Filled, is_in: impl Fn(&Property) -> bool) -> Grammar {
    let mut members = vec![Grammar::text(format!(
        "{{\"name\": \"{}\", \"parameters\": {{",
        function.name
    ))];
    let mut kind = None;
    let mut comma = "";
    for param in function.params(tools).filter(|param| is_in(param)) {
        let named = Grammar::text(format!("{comma}\"{}\": ", param.name));
        let value = match param.kind {
            PropertyKind::Label if function.takes_target(tools) => filled.target(),
            PropertyKind::Click => {
                kind = Some((members.len(), named));
                continue;
            }
            kind => value(kind, filled),
        };
        let member = Grammar::Sequence(vec![named, value]);
        // A call can be understood without these parameters. A scroll needs all of its parameters.
        let open = matches!(
            param.kind,
            PropertyKind::Seconds
                | PropertyKind::Text
                | PropertyKind::Flag
                | PropertyKind::Count
                | PropertyKind::Modifiers
                | PropertyKind::Button
                | PropertyKind::Points
        ) || param.kind == PropertyKind::Place
            && function.purpose != Purpose::Act(Verb::Scroll)
            // The first parameter is always there, because a comma precedes each of the others.
            && !comma.is_empty();
        comma = ", ";
        let member = if open && !param.required {
            member.optional()
        } else {
            member
        };
        match members.pop() {
            // Text can be replaced only at a place.
            Some(place) if param.name == REPLACE => members.push(place.followed_by(member)),
            before => members.extend(before.into_iter().chain([member])),
        }
    }
    if let Some((before, named)) = kind {
        let more = members.split_off(before);
        members.push(clicked(&named, more, tools));
    }
    members.push(Grammar::text("}}"));
    Grammar::Sequence(members)
}

/// Returns the kind of a click with the parameters that belong to it. Only clicks can have a count or held keys.
fn clicked(named: &Grammar, more: Vec<Grammar>, tools: &ToolSet) -> Grammar {
    let is_bare = |verb: Verb| matches!(verb, Verb::Move | Verb::MouseDown | Verb::MouseUp);
    let kinds = |bare: bool| {
        let some: Vec<_> = clicks(tools).filter(|(_, verb)| is_bare(*verb) == bare).collect();
        let one = || Grammar::Sequence(vec![named.clone(), words(some.iter().map(|(name, _)| *name))]);
        (!some.is_empty()).then(one)
    };
    let counted = kinds(false).map(|kind| {
        let with = std::iter::once(kind.optional()).chain(more);
        Grammar::Sequence(with.collect())
    });
    Grammar::Choice(counted.into_iter().chain(kinds(true)).collect())
}

fn words(names: impl Iterator<Item = &'static str>) -> Grammar {
    Grammar::Choice(names.map(|name| Grammar::text(format!("\"{name}\""))).collect())
}

fn value(kind: PropertyKind, filled: &Filled) -> Grammar {
    match kind {
        PropertyKind::Place => filled.place(),
        PropertyKind::Element => Grammar::whole(1, MOST_ELEMENTS),
        PropertyKind::Label | PropertyKind::Text | PropertyKind::Answer => filled.text(),
        PropertyKind::Direction => words(DIRECTIONS.into_iter()),
        PropertyKind::Key => Filled::chord(),
        // The kind is written together with the parameters that belong to it.
        PropertyKind::Click => Grammar::Choice(Vec::new()),
        // Coordinates are only read, never offered.
        PropertyKind::Amount | PropertyKind::Coordinate => Grammar::whole(1, MOST_NOTCHES),
        PropertyKind::Seconds => Grammar::whole(0, MOST_SECONDS),
        PropertyKind::Flag => Grammar::Choice(vec![Grammar::text("true"), Grammar::text("false")]),
        PropertyKind::Count => Grammar::whole(1, MOST_CLICKS),
        PropertyKind::Modifiers => Filled::held(),
        PropertyKind::Button => words(buttons().into_iter()),
        PropertyKind::Held => Grammar::Choice(vec![Filled::chord(), Grammar::text("\"left button\"")]),
        PropertyKind::Points => {
            let next = Grammar::Sequence(vec![Grammar::text(", "), filled.place()]);
            let more = next.up_to(MOST_BETWEEN - 1);
            Grammar::Sequence(vec![Grammar::text("["), filled.place(), more, Grammar::text("]")])
        }
    }
}
