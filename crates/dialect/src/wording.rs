//! Wording: how a dialect writes one action, from the same table that reads it.
//!
//! In reading order: `said` is a value before it is written, `envelope` is what surrounds calls, `scroll` writes
//! scrolls, `ending` writes the end of the work and questions, `offer` lists verbs for prompts, `schema` describes
//! published functions.

mod ending;
mod envelope;
mod offer;
mod said;
mod schema;
mod scroll;

use franz_action::keys::Chord;
use franz_action::{Action, Point, Typing};

use crate::dialect::{Dialect, Row};
use crate::geometry::{Axes, Geometry, Space};
use crate::grammar::{FIRST, SECOND, TEXT};
use crate::manner::Manner;
use crate::meaning::Means;
pub(crate) use envelope::Envelope;
pub(crate) use said::Said;
pub(crate) use schema::Functions;

/// How a place is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PlaceForm {
    /// `[x, y]`
    List,
    /// `'(x,y)'`
    Round,
    /// `'[x,y]'`
    Square,
    /// `'<point>x y</point>'`
    Tag,
    /// As two arguments.
    Pair,
}

/// How the two places of a drag are written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Drag {
    /// Under two names, which can depend on the verb. The first row with this verb, or without a verb, applies.
    Named(&'static [(&'static str, &'static str, &'static str)]),
    /// As one list of both places under this name.
    Pair(&'static str),
    /// Only the end. The drag begins at the pointer, so a move comes first.
    FromPointer,
}

/// How a dialect writes calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wording {
    pub(crate) envelope: Envelope,
    pub(crate) form: PlaceForm,
    pub(crate) place: &'static str,
    /// The argument that describes the thing at a place, in dialects that have one.
    pub(crate) label: Option<&'static str>,
    pub(crate) drag: Drag,
    pub(crate) text: &'static str,
    pub(crate) keys: &'static str,
    /// Whether keys are a list.
    pub(crate) list_of_keys: bool,
    /// What separates the keys of a chord.
    pub(crate) between_keys: &'static str,
    pub(crate) seconds: Option<&'static str>,
    /// The names of a scroll's direction and amount. Without the second, all scrolls have the same length.
    pub(crate) scroll: (&'static str, Option<&'static str>),
    /// The argument of a finish call that gives the status, with its words for success and failure.
    pub(crate) status: Option<[&'static str; 3]>,
    /// The argument of a finish call that contains the answer.
    pub(crate) answer: Option<&'static str>,
    /// The argument that contains a question.
    pub(crate) question: Option<&'static str>,
    /// The functions that the dialect publishes.
    pub(crate) functions: Functions,
}

/// The arguments of a call, in order.
pub(crate) type CallArgs = Vec<(String, Said)>;

/// A call without its envelope.
pub(crate) struct Call {
    pub(crate) verb: String,
    pub(crate) args: CallArgs,
}

/// What to write for the numbers in places.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    /// The numbers in this geometry.
    Counted(&'a Geometry),
    /// The names of the numbers, for a list of verbs.
    Named(Axes),
    /// Blanks, for a grammar.
    Open(Axes),
}

/// Writes the calls of one family.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub(crate) dialect: &'a Dialect,
    pub(crate) wording: &'a Wording,
    pub(crate) manner: &'a Manner,
    pub(crate) numbers: Numbers<'a>,
}

impl Writer<'_> {
    /// Writes an action, or returns `None` if the family cannot express it exactly.
    pub(crate) fn line(&self, action: &Action) -> Option<String> {
        self.wrapped(self.calls(action)?)
    }

    /// Returns an action as a single JSON value that is a whole reply, or `None` if a reply must be more than that.
    pub(crate) fn whole_line(&self, action: &Action) -> Option<Said> {
        self.whole(self.calls(action)?)
    }

    /// Returns the calls for an action: one, or two if a drag begins at the pointer.
    fn calls(&self, action: &Action) -> Option<Vec<Call>> {
        if let Action::Drag(path) = action
            && let Drag::FromPointer = self.wording.drag
        {
            let (from, to) = path.ends()?;
            let verb = self.verb(|means| *means == Means::Move)?;
            return Some(vec![self.at(verb, from, Nth::First), self.drag(from, to)?]);
        }
        Some(vec![self.call(action)?])
    }

    fn call(&self, action: &Action) -> Option<Call> {
        // Families were trained only on plain calls.
        if !action.is_plain() {
            return None;
        }
        match action {
            Action::Click(click) => {
                let usual = (click.button, click.count);
                let verb = self.verb(|means| matches!(means, Means::Click(known) if known.usual() == usual))?;
                Some(self.at(verb, click.at, Nth::Only))
            }
            Action::Move(at) => Some(self.at(self.verb(|means| *means == Means::Move)?, *at, Nth::Only)),
            Action::Drag(path) => self.drag(path.from(), path.to()),
            Action::Type(Typing { text, .. }) => {
                let verb = self.verb(|means| matches!(means, Means::Type(_)))?;
                let mut args = vec![(self.wording.text.to_owned(), Said::text(text))];
                if self.manner.enters {
                    args.push(("press_enter".to_owned(), Said::bare("false")));
                }
                Some(Call { verb, args })
            }
            Action::Press(keys) => self.press(keys.once()?),
            Action::Wait(seconds) => self.wait(*seconds),
            Action::Screenshot | Action::Observe => Some(Call {
                verb: self.verb(|means| *means == Means::Look)?,
                args: Vec::new(),
            }),
            Action::Scroll { dy, dx, at } => self.scroll((*dy, *dx), *at),
            Action::MouseDown(..)
            | Action::MouseUp(..)
            | Action::Hold(_)
            | Action::ReadClipboard
            | Action::WriteClipboard(_)
            | Action::Watch(_)
            | Action::Zoom(..)
            | Action::Windows
            | Action::Focus(_)
            | Action::Open(_)
            | Action::Aimed(..) => None,
            Action::Ask(question) => self.question(question),
        }
    }

    fn drag(&self, from: Point, to: Point) -> Option<Call> {
        let (verb, mut args) = (self.verb(|means| *means == Means::Drag)?, Vec::new());
        match self.wording.drag {
            Drag::Named(names) => {
                let (_, first, second) = names.iter().find(|(of, ..)| of.is_empty() || *of == verb)?;
                self.put(&mut args, first, from, Nth::First);
                self.put(&mut args, second, to, Nth::Second);
            }
            Drag::Pair(name) => {
                self.put(&mut args, name, from, Nth::First);
                self.put(&mut args, name, to, Nth::Second);
                let places = args.drain(..).map(|(_, place)| place).collect();
                args.push((name.to_owned(), Said::List(places)));
            }
            Drag::FromPointer => return Some(self.at(verb, to, Nth::Second)),
        }
        Some(Call { verb, args })
    }

    /// Returns the family's spelling of the first verb whose meaning is wanted.
    fn verb(&self, wanted: impl Fn(&Means) -> bool) -> Option<String> {
        let mut rows = self.dialect.rows.iter().filter(|row| wanted(&row.means));
        rows.find_map(|row| self.spelled(row))
    }

    /// Returns the family's spelling of a verb, if it has the verb.
    fn spelled(&self, row: &Row) -> Option<String> {
        let verbs = &self.manner.verbs;
        if verbs.is_empty() {
            return row.names.first().map(|name| (*name).to_owned());
        }
        verbs.iter().find(|verb| row.names.contains(&verb.as_str())).cloned()
    }

    fn press(&self, chord: &Chord) -> Option<Call> {
        let alone = self.verb(|means| matches!(means, Means::Fixed(key) if *key == chord.to_string()));
        if let Some(verb) = alone {
            return Some(Call { verb, args: Vec::new() });
        }
        let single = chord.modifiers.is_empty();
        let verb = single
            .then(|| self.verb(|means| *means == Means::Keys))
            .flatten()
            .or_else(|| self.verb(|means| *means == Means::Chord))?;
        let keys = chord.to_string();
        let list: Vec<&str> = if keys.ends_with('+') {
            vec![&keys]
        } else {
            keys.split('+').collect()
        };
        let value = if self.wording.list_of_keys {
            Said::List(list.into_iter().map(Said::text).collect())
        } else {
            Said::text(&list.join(self.wording.between_keys))
        };
        let args = vec![(self.wording.keys.to_owned(), value)];
        Some(Call { verb, args })
    }

    /// Writes a wait. If the dialect cannot state a time, returns `None` unless the wait has the dialect's fixed length.
    fn wait(&self, seconds: f64) -> Option<Call> {
        let mut rows = self.dialect.rows.iter();
        let (verb, tenths) = rows.find_map(|row| match row.means {
            Means::Wait(tenths) => Some((self.spelled(row)?, tenths)),
            _ => None,
        })?;
        let args = match self.wording.seconds {
            Some(name) => vec![(name.to_owned(), Said::bare(&seconds.to_string()))],
            None if (seconds * 10.0 - f64::from(tenths)).abs() < 1e-9 => Vec::new(),
            None => return None,
        };
        Some(Call { verb, args })
    }

    /// Writes a line that changes nothing on any screen: a look, as in the prompt's examples, or a wait in a family
    /// without a call for looking.
    pub(crate) fn harmless(&self) -> Option<String> {
        let tenths = |row: &Row| match row.means {
            Means::Wait(tenths) => Some(f64::from(tenths) / 10.0),
            _ => None,
        };
        let usual = self.dialect.rows.iter().find_map(tenths);
        let waits = [Some(1.0), usual].into_iter().flatten().map(Action::Wait);
        let middle = Action::Move(Point::clamped(500, 500));
        std::iter::once(Action::Screenshot)
            .chain(waits)
            .chain([middle])
            .find_map(|action| self.line(&action))
    }

    fn at(&self, verb: String, at: Point, nth: Nth) -> Call {
        let mut args = Vec::new();
        if let Some(label) = self.wording.label {
            let open = matches!(self.numbers, Numbers::Open(_));
            let target = if open { TEXT.to_string() } else { "target".to_owned() };
            args.push((label.to_owned(), Said::Text(target)));
        }
        self.put(&mut args, self.wording.place, at, nth);
        Call { verb, args }
    }

    fn put(&self, args: &mut CallArgs, name: &str, at: Point, nth: Nth) {
        let numbers = self.numbers.of(at, nth);
        let [x, y] = match self.wording.form {
            PlaceForm::Pair => self.numbers.axes().ordered(numbers),
            _ => numbers,
        };
        let value = match self.wording.form {
            PlaceForm::List => Said::List(vec![Said::Bare(x), Said::Bare(y)]),
            PlaceForm::Round => Said::Text(format!("({x},{y})")),
            PlaceForm::Square => Said::Text(format!("[{x},{y}]")),
            PlaceForm::Tag => Said::Text(format!("<point>{x} {y}</point>")),
            PlaceForm::Pair => {
                args.push(("x".to_owned(), Said::Bare(x)));
                args.push(("y".to_owned(), Said::Bare(y)));
                return;
            }
        };
        args.push((name.to_owned(), value));
    }
}

/// One of an action's places.
#[derive(Clone, Copy)]
enum Nth {
    Only,
    First,
    Second,
}

impl Numbers<'_> {
    /// Returns the order of a place's two numbers.
    fn axes(self) -> Axes {
        match self {
            Numbers::Counted(geometry) => geometry.axes,
            Numbers::Named(axes) | Numbers::Open(axes) => axes,
        }
    }

    /// Writes the two numbers of a place.
    fn of(self, at: Point, nth: Nth) -> [String; 2] {
        let geometry = match self {
            Numbers::Counted(geometry) => geometry,
            Numbers::Open(_) => return [FIRST, SECOND].map(String::from),
            Numbers::Named(axes) => {
                let names = match nth {
                    Nth::Only => ["x", "y"],
                    Nth::First => ["x1", "y1"],
                    Nth::Second => ["x2", "y2"],
                };
                let [x, y] = names.map(str::to_owned);
                return if axes == Axes::Xy { [x, y] } else { [y, x] };
            }
        };
        // Models are trained to write numbers with this precision.
        let steps = match geometry.space {
            Space::Pixels => 1.0,
            Space::Percent => 10.0,
            Space::Thousandths | Space::Parts1024 | Space::Letterboxed | Space::Unknown => 100.0,
            Space::Fractions => 10_000.0,
        };
        let highest = match (geometry.space, geometry.picture) {
            (Space::Pixels, Some((width, height))) => geometry.axes.ordered([f64::from(width), f64::from(height)]),
            _ => [f64::INFINITY; 2],
        };
        let [x, y] = geometry.written([at.x.get(), at.y.get()]);
        let rounded = |value: f64| ((value * steps).round() / steps).max(0.0);
        [
            rounded(x).min(highest[0]).to_string(),
            rounded(y).min(highest[1]).to_string(),
        ]
    }
}
