//! The message to the model after a fault: one sentence and one complete valid line, which is made from the model's own
//! reply where possible.

use franz_action::text::shortened;
use franz_action::{Action, Click, Point};
use serde_json::Value;

use super::{DialectReader, Fate, ReadStep};
use crate::dialect::Dialect;
use crate::dialects;
use crate::geometry::{Space, Spot};
use crate::imagined::IMAGINED;
use crate::meaning::{self, Means};
use crate::wording::{Numbers, Writer};

/// Returns the message to the person about a reply in another dialect.
pub(super) fn to_the_person(dialect: &Dialect) -> String {
    let name = dialect.name;
    match dialect.fixed {
        Some(_) => format!("this is the {name} dialect; name the model's family with --family"),
        None => format!(
            "this is the {name} dialect, whose numbers can mean several things; name the model's family with --family"
        ),
    }
}

impl DialectReader<'_> {
    /// Returns the message to the model about these steps of a dialect, which is empty if all of them are performed.
    pub(super) fn told(&self, dialect: &Dialect, steps: &[ReadStep]) -> String {
        let single = steps.iter().filter(|step| !step.again);
        let mut left = single.filter_map(|step| Some((step, step.why()?)));
        let Some((step, why)) = left.next() else {
            return String::new();
        };
        let done = steps.iter().filter(|step| step.action().is_some()).count();
        let name = match &*step.name {
            "" if done == 0 => "The call",
            "" => "the call",
            name => name,
        };
        let name = shortened(name, 60);
        let what = match done {
            0 => format!("{name} was not done: {why}."),
            _ => format!("{done} done, but {name} was not: {why}."),
        };
        let line = match &step.fate {
            // Its place is one in a picture that never existed.
            Fate::Left(why) if why == IMAGINED => None,
            Fate::Left(_) => self.line_of(dialect, step),
            Fate::Act(_) | Fate::Ask(_) | Fate::Said => None,
        };
        match line {
            Some(line) => format!("{what} Write:\n{line}"),
            None => self.line_behind(&what),
        }
    }

    fn writer(&self) -> Option<Writer<'_>> {
        self.dialect.writer(&self.manner, Numbers::Counted(&self.geometry))
    }

    /// Returns a list of the available verbs.
    pub(super) fn instead(&self) -> String {
        let verbs = self.writer().map(|writer| writer.verbs()).unwrap_or_default();
        if verbs.is_empty() {
            return String::new();
        }
        format!("; use {}", verbs.join(", "))
    }

    /// Returns a sentence followed by a harmless valid line.
    pub(super) fn line_behind(&self, what: &str) -> String {
        let line = self.writer().and_then(|writer| writer.harmless());
        let line = line.unwrap_or_else(|| self.own_form.line(&self.own_form.look(), &self.geometry));
        format!("{what} Write:\n{line}")
    }

    /// Returns the line that the model should have written for a plain click of a dialect, with the click's own point.
    fn line_of(&self, dialect: &Dialect, step: &ReadStep) -> Option<String> {
        let [point] = step.points[..] else { return None };
        let row = dialect.row(&step.name).or_else(|| dialects::own().row(&step.name))?;
        let Means::Click(click) = row.means else { return None };
        if !is_plain(&step.args) || self.geometry.space == Space::Unknown {
            return None;
        }
        // Do not repeat numbers that have no meaning in this run.
        let exact = self.geometry.thousandths(&Spot::Point(point)).ok()?;
        let (button, count) = click.usual();
        let at = Point::nearest(exact[0], exact[1]);
        let action = Action::Click(Click::new(button, count, at));
        let line = self.writer().and_then(|writer| writer.line(&action));
        Some(line.unwrap_or_else(|| self.own_form.line(&action, &self.geometry)))
    }
}

/// Checks whether a click's arguments give its place and nothing that changes the click.
fn is_plain(args: &Value) -> bool {
    let mut args = args.as_object().into_iter().flatten();
    args.all(|(key, value)| match key.parse::<usize>() {
        Ok(number) => number == 0 || number == 1 && !value.is_string(),
        Err(_) => !meaning::changes_click(key),
    })
}
