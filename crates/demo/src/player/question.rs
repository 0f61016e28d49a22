//! Answers a calibration's questions about one picture.

use franz_action::{Action, Point};
use franz_dialect::calibration::{Colour, Figure, Look};
use serde_json::{Value, json};

use super::page;
use super::tongue::Tongue;
use crate::picture::Pixels;
use crate::request::ChatRequest;
use crate::speech::{Speech, SpokenCall};
use crate::tool_spec::ToolSpec;

/// A question about a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Which number does the picture show?
    Number,
    /// Where is this figure?
    Figure(Figure, Colour),
    /// Where is the button with this label?
    Button(String),
}

const FIGURES: [Figure; 4] = [Figure::Circle, Figure::Square, Figure::Triangle, Figure::Diamond];
const COLOURS: [Colour; 6] = [
    Colour::Red,
    Colour::Blue,
    Colour::Green,
    Colour::Orange,
    Colour::Purple,
    Colour::Black,
];
/// The names of functions that click.
const CLICKS: [&str; 3] = ["left_click", "click", "click_element"];

impl Question {
    /// Returns the question in a request, if there is one.
    pub(super) fn of(request: &ChatRequest) -> Option<Question> {
        let asked = request.feedback.as_str();
        if asked.contains("four-digit number") {
            return Some(Question::Number);
        }
        let (_, what) = asked.split_once("Click the ")?;
        if let Some((_, label)) = what.split_once("button labelled \"") {
            return label
                .split_once('"')
                .map(|(label, _)| Question::Button(label.to_owned()));
        }
        let all = FIGURES
            .into_iter()
            .flat_map(|figure| COLOURS.map(|colour| (figure, colour)));
        let mut named = all.filter(|(figure, colour)| what.contains(&Look::Figure(*figure, *colour).to_string()));
        named.next().map(|(figure, colour)| Question::Figure(figure, colour))
    }

    /// Answers the question based on the picture.
    pub(super) fn answer(&self, picture: &Pixels, request: &ChatRequest, tongue: &Tongue<'_>) -> Speech {
        let (found, what) = match self {
            Question::Number => return Speech::text(Question::number(picture, tongue)),
            Question::Figure(figure, colour) => {
                let what = Look::Figure(*figure, *colour).to_string();
                (page::find(picture, (*figure, *colour)), what)
            }
            Question::Button(label) => (page::find_button(picture, label), format!("the button \"{label}\"")),
        };
        let Some(place) = found else {
            return Speech::text(format!("I do not see {what}."));
        };
        let offers = request.offers.as_deref().unwrap_or_default();
        match ToolSpec::find(offers, &CLICKS) {
            Some(offer) => Speech {
                content: String::new(),
                call: Some(click(offer, tongue, place, &what)),
            },
            None => Speech::text(
                tongue
                    .line(&Action::left_click(point(tongue, place)))
                    .unwrap_or_default(),
            ),
        }
    }

    /// Reads the number. A model that makes a mistake answers with a different number.
    fn number(picture: &Pixels, tongue: &Tongue<'_>) -> String {
        let read = page::number(picture).unwrap_or_else(|| "I see no number.".to_owned());
        match tongue.aim.astray {
            Some(chance) => {
                let [other, _] = chance.pair("number");
                format!("{:04}", (other * 10_000.0) as u32)
            }
            None => read,
        }
    }
}

fn point(tongue: &Tongue<'_>, (x, y): (f64, f64)) -> Point {
    let part = |place: f64, size: u32| place / f64::from(size.saturating_sub(1).max(1)) * 1000.0;
    Point::nearest(part(x, tongue.aim.sent.0), part(y, tongue.aim.sent.1))
}

/// Writes the click as a call of the function offered for it.
fn click(offer: &ToolSpec, tongue: &Tongue<'_>, place: (f64, f64), what: &str) -> SpokenCall {
    let numbers = tongue.aim.numbers_of(place);
    let [first, second] = numbers.map(|number| tongue.aim.written(number).parse().unwrap_or(Value::Null));
    let mut arguments = serde_json::Map::new();
    for parameter in &offer.parameters {
        let value = match parameter.as_str() {
            "x" => first.clone(),
            "y" => second.clone(),
            "label" | "element" => json!(what),
            _ => json!([first, second]),
        };
        arguments.insert(parameter.clone(), value);
    }
    SpokenCall {
        name: offer.name.clone(),
        arguments: Value::from(arguments).to_string(),
    }
}

#[cfg(test)]
mod tests;
