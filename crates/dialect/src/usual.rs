//! Calls by the names that other programs use. Every protocol reads them, but none offers them.

use franz_action::text::shortened;
use franz_action::{Action, Button, ToolSet, Verb};
use serde_json::Value;

use crate::dialect::Row;
use crate::dialects::{self, DIALECTS};
use crate::geometry::Geometry;
use crate::manner::Manner;
use crate::meaning::{self, ClickKind, Does, Means, Surroundings};
use crate::notation::{Arguments, RawCall, Wrap, same};
use crate::plan::Finish;
use crate::spot;

/// What a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum UsualCall {
    /// An action.
    Act(Action),
    /// The end of the work.
    End(Finish),
    /// A remark, which asks for nothing.
    Remark,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotUsual {
    /// The call has the form of another dialect, whose numbers might mean something else.
    #[error("this is the form of another program, whose numbers mean something else")]
    Foreign,
    /// Another reason, in words for the model.
    #[error("{0}")]
    Words(String),
}

impl From<String> for NotUsual {
    fn from(words: String) -> NotUsual {
        NotUsual::Words(words)
    }
}

/// Arguments that change nothing, whatever their values.
const HARMLESS: [&str; 8] = [
    "description",
    "element_description",
    "intent",
    "reason",
    "thought",
    "explanation",
    "confidence",
    "interval",
];
const LONGEST_NAME: usize = 60;

/// Returns the row for a name, ignoring case.
pub(crate) fn known(name: &str) -> Option<&'static Row> {
    // Holo writes the name with a capital, and its numbers are pixels or thousandths.
    let holo = name.eq_ignore_ascii_case("click") && name != "click";
    dialects::own()
        .row(name)
        .filter(|_| !holo && name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Checks whether calls by this name are read if these tools are switched on.
pub(crate) fn is_read(name: &str, tools: &ToolSet) -> bool {
    known(name).is_some_and(|known| verb(known.means).is_none() || row(name, tools).is_some())
}

/// Returns the row for a name, if its tool is switched on.
pub(crate) fn row(name: &str, tools: &ToolSet) -> Option<&'static Row> {
    let row = known(name)?;
    let verb = verb(row.means)?;
    let looks = verb == Verb::Screenshot && tools.contains(Verb::Observe.tool());
    (looks || tools.contains(verb.tool())).then_some(row)
}

/// Returns a name's position in the table, if its tool is switched on.
pub(crate) fn place(name: &str, tools: &ToolSet) -> Option<usize> {
    // Python has a function with this name that does something else.
    row(name, tools).filter(|_| name != "input")?;
    let mut names = dialects::own().rows.iter().flat_map(|row| row.names);
    names.position(|known| *known == name)
}

/// Returns the name at this position in the table.
pub(crate) fn name(place: usize) -> &'static str {
    let mut names = dialects::own().rows.iter().flat_map(|row| row.names);
    names.nth(place).copied().unwrap_or_default()
}

/// Returns FRANZ's own verb with this meaning.
fn verb(means: Means) -> Option<Verb> {
    Some(match means {
        Means::Click(ClickKind::Left) => Verb::LeftClick,
        Means::Click(ClickKind::Right) => Verb::RightClick,
        Means::Click(ClickKind::Middle) => Verb::MiddleClick,
        Means::Click(ClickKind::Double) => Verb::DoubleLeftClick,
        Means::Click(ClickKind::Triple) => Verb::TripleClick,
        Means::Move => Verb::Move,
        Means::Drag => Verb::Drag,
        Means::Scroll(_) => Verb::Scroll,
        Means::Type(_) => Verb::Type,
        Means::Chord | Means::Keys | Means::Fixed(_) => Verb::Press,
        Means::Wait(_) => Verb::Wait,
        Means::Down => Verb::MouseDown,
        Means::Up => Verb::MouseUp,
        Means::Hold => Verb::Hold,
        Means::Look => Verb::Screenshot,
        Means::ReadClipboard => Verb::ReadClipboard,
        Means::WriteClipboard => Verb::WriteClipboard,
        Means::Watch => Verb::Watch,
        Means::Zoom => Verb::Zoom,
        Means::Windows => Verb::Windows,
        Means::Focus => Verb::Focus,
        Means::Open => Verb::Open,
        Means::Ask => Verb::Ask,
        Means::Swipe | Means::Select | Means::Gesture | Means::Finish(_) | Means::Note | Means::Told(_) => return None,
    })
}

/// Reads a call. The error tells the model what is wrong with the call.
pub(crate) fn read(name: &str, args: &Arguments, tools: &ToolSet, geometry: &Geometry) -> Result<UsualCall, NotUsual> {
    let row = known(name).ok_or_else(|| format!("there is no '{name}'"))?;
    let around = Surroundings {
        geometry: *geometry,
        manner: &Manner::default(),
        boxes: true,
        pauses: false,
        clicks_at_pointer: false,
        pointer: None,
    };
    let looks = row.means == Means::Look;
    if !looks {
        refuse_unknown(name, args)?;
        if row.means == Means::Drag && !args.positional.is_empty() && args.named.iter().any(|(key, _)| spot::reads(key))
        {
            return Err("name all four numbers, or none".to_owned().into());
        }
        refuse_foreign(name, args, geometry)?;
    }
    let broken = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        text.contains('[') != text.contains(']') && text.len() > 1
    };
    if row.means == Means::Chord
        && args
            .positional
            .iter()
            .chain(args.named.iter().map(|(_, value)| value))
            .any(broken)
    {
        return Err("the list of keys is incomplete".to_owned().into());
    }
    let named = args.positional.get(2).is_some_and(Value::is_string);
    let counted = matches!(row.means, Means::Click(_) | Means::Move) && args.positional.len() > 2 && !named;
    if counted {
        return Err("two numbers are the place, but the meaning of the others is unclear"
            .to_owned()
            .into());
    }
    let args = &spread(row.means, args);
    match meaning::read(row.means, args, &around).map_err(|fault| fault.to_string())? {
        Does::Perform(actions) => match <[_; 1]>::try_from(actions) {
            Ok([_]) if looks && tools.contains(Verb::Observe.tool()) && name != "screenshot" => {
                Ok(UsualCall::Act(Action::Observe))
            }
            Ok([(action, _)]) => Ok(UsualCall::Act(agrees(name, action)?)),
            Err(_) => Err("it asks for several actions; write one call for each".to_owned().into()),
        },
        Does::Finish { answer, .. } if answer.trim().is_empty() => {
            Err("to end the work, give the whole answer in your own words"
                .to_owned()
                .into())
        }
        Does::Finish { answer, success } => Ok(UsualCall::End(Finish { answer, success })),
        Does::Ask(question) if question.trim().is_empty() => Err("the question is missing".to_owned().into()),
        Does::Ask(question) => Ok(UsualCall::Act(Action::Ask(question))),
        Does::Note => Ok(UsualCall::Remark),
    }
}

/// Returns a drag's arguments with four numbers in one list split into four arguments.
fn spread(means: Means, args: &Arguments) -> Arguments {
    match &args.positional[..] {
        [Value::Array(numbers)] if matches!(means, Means::Drag | Means::Zoom) && numbers.len() == 4 => Arguments {
            positional: numbers.clone(),
            named: args.named.clone(),
        },
        _ => args.clone(),
    }
}

/// Refuses a name that contains `left` if the call asks for another button.
fn agrees(name: &str, action: Action) -> Result<Action, String> {
    let left = name.to_ascii_lowercase().starts_with("left");
    if left && matches!(&action, Action::Click(click) if click.button != Button::Left) {
        return Err("the call's name and its button disagree".to_owned());
    }
    Ok(action)
}

/// Refuses a place in the form of another dialect.
fn refuse_foreign(name: &str, args: &Arguments, geometry: &Geometry) -> Result<(), NotUsual> {
    let call = RawCall::new(name, args.clone(), 0..0, Wrap::Line);
    let has_place = [spot::place(args), spot::end(args)]
        .iter()
        .any(|place| place != &Ok(None));
    let signed = DIALECTS
        .iter()
        .any(|dialect| dialect.fixed != Some(geometry.space) && (dialect.signs)(&call));
    // UI-TARS writes places as strings in round brackets. Holo names an element next to x and y.
    let round = args
        .named
        .iter()
        .any(|(_, value)| value.as_str().is_some_and(|text| text.starts_with('(')));
    let element = args.get(&["element"]).is_some_and(Value::is_string) && args.get(&["x"]).is_some();
    if has_place && (signed || round || element) {
        return Err(NotUsual::Foreign);
    }
    Ok(())
}

/// Refuses an argument with an unknown name, unless the argument changes nothing.
fn refuse_unknown(name: &str, args: &Arguments) -> Result<(), String> {
    let known = |key: &str| meaning::reads(key) || HARMLESS.iter().any(|harmless| same(harmless, key));
    let says = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    let unknown = args.named.iter().find(|(key, value)| !known(key) && says(value));
    match unknown {
        Some((key, _)) => Err(format!("{name} has no argument '{}'", shortened(key, LONGEST_NAME))),
        None => Ok(()),
    }
}
