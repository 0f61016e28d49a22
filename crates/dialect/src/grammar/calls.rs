//! The calls of a form. The form's own writer writes every action of a tool, with blanks for the parts that can vary.

use franz_action::aimed_at::MOST_ELEMENTS;
use franz_action::keys::{Chord, Key};
use franz_action::{Action, AimedAt, Button, Click, Held, Holding, Keys, Path, Point, Tool, ToolSet, Typing, Verb};

use super::blanks::{FIRST, Filled, HELD, KEY, SECOND, TARGET, TEXT};
use super::{Grammar, Quote};
use crate::family::Family;
use crate::geometry::Geometry;
use crate::manner::EnvelopeForm;
use crate::wording::{Envelope, Numbers, Writer};

/// The seconds that a wait can last.
const SECONDS: [f64; 7] = [1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0];
/// The numbers of notches that the wheel can turn.
const NOTCHES: [i32; 6] = [1, 2, 3, 5, 10, 20];

/// The maximum number of points in a path.
const MOST_POINTS: usize = 6;
/// The maximum number of times that a key can be pressed in a call.
const MOST_COUNT: u32 = 10;

/// Grammars for the calls in a form, one for each tool with any calls.
pub(crate) struct CallGrammars {
    /// Calls that act.
    pub(crate) acts: Vec<Grammar>,
    /// Calls that only look or wait.
    pub(crate) looks: Vec<Grammar>,
    /// Calls that end the work.
    pub(crate) ends: Vec<Grammar>,
}

/// Returns the calls of a tool, as `write` writes them, and whether they only look. `write` returns `None` for actions
/// that it cannot express.
pub(crate) fn written<T: PartialEq>(
    tools: &ToolSet,
    tool: &Tool,
    write: impl Fn(&Action) -> Option<T>,
) -> (Vec<T>, bool) {
    let mut actions: Vec<Action> = if tools.takes_target(tool) {
        vec![Action::Aimed(tool.verb, AimedAt::Named(TARGET.to_string()))]
    } else {
        let all = actions(tool).into_iter();
        all.filter(|action| tools.offers(action)).collect()
    };
    if tools.takes_element(tool) {
        let numbers = (1..=MOST_ELEMENTS).map(AimedAt::Element);
        actions.extend(numbers.map(|thing| Action::Aimed(tool.verb, thing)));
    }
    let only_look = actions.iter().all(Action::only_looks);
    (different(actions.iter().filter_map(write)), only_look)
}

/// Returns the calls that end a family's work, as `write` writes them.
pub(crate) fn ends<T: PartialEq>(family: &Family, write: impl Fn(&str, bool) -> Option<T>) -> Vec<T> {
    let answer = TEXT.to_string();
    let answer = if family.manner.words_answer { "" } else { &answer };
    let said = [(answer, true), (answer, false), ("", true), ("", false)];
    different(said.into_iter().filter_map(|(answer, success)| write(answer, success)))
}

/// Returns the items without duplicates.
pub(crate) fn different<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut different = Vec::new();
    for one in all {
        if !different.contains(&one) {
            different.push(one);
        }
    }
    different
}

impl CallGrammars {
    /// Returns the calls of these tools, as `write` writes them. `write` returns `None` for an action that it cannot
    /// express.
    fn of(tools: &ToolSet, filled: &Filled, write: impl Fn(&Action) -> Option<String>) -> CallGrammars {
        let (mut acts, mut looks) = (Vec::new(), Vec::new());
        for tool in tools.sorted() {
            let (lines, only_look) = written(tools, tool, &write);
            if !lines.is_empty() {
                let kind = if only_look { &mut looks } else { &mut acts };
                kind.push(filled.calls(&lines));
            }
        }
        let ends = Vec::new();
        CallGrammars { acts, looks, ends }
    }

    /// Returns FRANZ's own calls.
    pub(crate) fn own(tools: &ToolSet, geometry: &Geometry) -> Option<CallGrammars> {
        let filled = Filled::new(Quote::Json, geometry)?;
        let write = |action: &Action| Some(action.call(|_| format!("{FIRST}, {SECOND}")));
        Some(CallGrammars::of(tools, &filled, write))
    }

    /// Returns the calls of a family. Leaves out `label`, which is what precedes a call in the frame.
    pub(crate) fn family(family: &Family, tools: &ToolSet, geometry: &Geometry, label: &str) -> Option<CallGrammars> {
        let writer = family.dialect.writer(&family.manner, Numbers::Open(geometry.axes))?;
        let quote = quote(&writer);
        let filled = Filled::new(quote, geometry)?;
        let bare = |line: String| line.strip_prefix(label).map_or(line.clone(), str::to_owned);
        let mut calls = CallGrammars::of(tools, &filled, |action| writer.line(action).map(bare));
        let ends = ends(family, |answer, success| writer.finish(answer, success));
        if !ends.is_empty() {
            calls.ends.push(filled.calls(&ends));
        }
        Some(calls)
    }

    /// Returns a choice of the calls that act or look.
    pub(crate) fn any(&self) -> Grammar {
        Grammar::Choice(self.acts.iter().chain(&self.looks).cloned().collect())
    }

    /// Returns a choice of all calls.
    pub(crate) fn all(&self) -> Grammar {
        Grammar::Choice(self.acts.iter().chain(&self.looks).chain(&self.ends).cloned().collect())
    }
}

/// Returns what surrounds strings in this writer's calls.
fn quote(writer: &Writer<'_>) -> Quote {
    match writer.wording.envelope {
        Envelope::Tool(_) if writer.manner.envelope == EnvelopeForm::Xml => Quote::Tag,
        Envelope::Tool(_) | Envelope::Noted => Quote::Json,
        Envelope::Call { .. } | Envelope::Dictionary => Quote::Python,
        Envelope::Elements => Quote::Tag,
    }
}

/// Returns actions that press or release each button, at the pointer and at a place.
fn buttons(act: fn(Button, Option<Point>) -> Action, at: Point) -> Vec<Action> {
    let buttons = Button::ALL.into_iter();
    buttons
        .flat_map(|button| [act(button, None), act(button, Some(at))])
        .collect()
}

/// Returns the actions of a tool, with blanks for text and keys. Their places are arbitrary.
fn actions(tool: &Tool) -> Vec<Action> {
    let at = Point::clamped(500, 500);
    match tool.verb {
        Verb::Scroll => NOTCHES
            .iter()
            .flat_map(|notches| [(*notches, 0), (-notches, 0), (0, *notches), (0, -notches)])
            .map(|(dy, dx)| Action::Scroll { dy, dx, at: Some(at) })
            .collect(),
        Verb::LeftClick => {
            let counts = [1, 2, 3, 4, 5].map(|count| Click::new(Button::Left, count, at));
            let held = HELD.iter().map(|held| Click {
                modifiers: held.to_vec(),
                ..Click::new(Button::Left, 1, at)
            });
            let clicks = counts.into_iter().chain(held).filter(|click| click.verb() == tool.verb);
            clicks.map(Action::Click).collect()
        }
        Verb::Drag => {
            let paths = (2..=MOST_POINTS).filter_map(|points| Path::along(vec![at; points]));
            paths.map(Action::Drag).collect()
        }
        Verb::MouseDown => buttons(Action::MouseDown, at),
        Verb::MouseUp => buttons(Action::MouseUp, at),
        Verb::Type => [(None, false), (Some(at), false), (Some(at), true)]
            .map(|(at, replace)| {
                Action::Type(Typing {
                    text: TEXT.to_string(),
                    at,
                    replace,
                })
            })
            .into(),
        Verb::Hold => {
            let keys = HELD.iter().map(|held| Held::Keys(Chord::with(held, Key::Char(KEY))));
            let whats = keys.chain([Held::Button(Button::Left)]);
            let holds = whats.flat_map(|what| {
                [1.0, 2.0, 5.0].into_iter().flat_map(move |seconds| {
                    let what = what.clone();
                    [None, Some(at)].map(|at| Holding {
                        what: what.clone(),
                        seconds,
                        at,
                    })
                })
            });
            holds.map(Action::Hold).collect()
        }
        Verb::WriteClipboard => vec![Action::WriteClipboard(TEXT.to_string())],
        Verb::Press => {
            let press = |held: &[_], key| Keys::from(Chord::with(held, key));
            let open = HELD.iter().map(|held| press(held, Key::Char(KEY)));
            // Some families have a call only for single keys.
            let alone = Key::NAMED.iter().map(|name| press(&[], Key::Named(name)));
            let often = (2..=MOST_COUNT).map(|count| press(&[], Key::Char(KEY)).times(count));
            open.chain(alone).chain(often).map(Action::Press).collect()
        }
        Verb::Wait => SECONDS.into_iter().map(Action::Wait).collect(),
        Verb::ReadClipboard => vec![Action::ReadClipboard],
        Verb::Screenshot => vec![Action::Screenshot],
        Verb::Observe => vec![Action::Observe],
        Verb::Watch => SECONDS.into_iter().map(Action::Watch).collect(),
        Verb::Zoom => vec![Action::Zoom(at, Point::clamped(600, 600))],
        Verb::Windows => vec![Action::Windows],
        Verb::Focus => vec![Action::Focus(TEXT.to_string())],
        Verb::Open => vec![Action::Open(TEXT.to_string())],
        Verb::Ask => vec![Action::Ask(TEXT.to_string())],
        verb => {
            let places = [at, Point::clamped(600, 600)];
            let one = Action::at(verb, &places[..1]).or_else(|| Action::at(verb, &places));
            one.into_iter().collect()
        }
    }
}
