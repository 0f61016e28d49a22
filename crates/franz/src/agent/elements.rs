//! Program elements: which ones are listed for the model with a picture, and which one a number refers to.

use std::collections::BTreeSet;

use franz_action::{Action, AimedAt, Point, Verb};
use franz_dialect::{Geometry, OwnForm, Space};
use franz_record::{ELEMENTS, Found, Millis, ToldElement};
use franz_screen::{Screen, ScreenElement, ScreenElements, WindowId};
use serde_json::Value;

use super::aim::Aim;
use super::windows::quoted;
use super::{Agent, Turn, notices};
use crate::config::settings::Settings;

/// The number used in an example.
const EXAMPLE: u32 = 3;

/// The windows whose programs report no elements and that the model has been told about.
#[derive(Default)]
pub(super) struct Silent(BTreeSet<WindowId>);

/// Reads the elements that are on the screen now, if the settings say that the model gets them.
pub(super) fn seen(screen: &mut dyn Screen, settings: &Settings) -> Option<ScreenElements> {
    // If this fails on a screen that has just been captured, the next capture will report the error.
    let is_on = settings.tells_elements();
    is_on.then(|| screen.elements().ok().flatten()).flatten()
}

/// Returns the elements in the form in which they are recorded.
fn told(elements: &ScreenElements) -> Vec<ToldElement> {
    let told = elements.list.iter().map(|element| {
        let at = middle(element);
        ToldElement {
            role: element.role.to_owned(),
            name: element.name.clone(),
            at: [at.x.get(), at.y.get()],
        }
    });
    told.collect()
}

fn middle(element: &ScreenElement) -> Point {
    let (first, last) = element.place;
    let between = |one: f64, other: f64| f64::midpoint(one, other);
    Point::nearest(
        between(first.x.get(), last.x.get()),
        between(first.y.get(), last.y.get()),
    )
}

/// Rounds a point to whole thousandths, the unit in which most models give coordinates.
fn rounded(at: Point) -> Point {
    Point::nearest(at.x.get().round(), at.y.get().round())
}

/// Returns the list as text, one element per line.
fn listed(elements: &ScreenElements, click: &str, geometry: &Geometry) -> String {
    let mut lines = vec![match elements.list.len() {
        0 => format!("{ELEMENTS}: none are known. Look at the picture."),
        _ => format!("{ELEMENTS} by number; {click} clicks number {EXAMPLE}:"),
    }];
    lines.extend((1..).zip(&elements.list).map(|(number, element)| {
        let name = Value::from(element.name.as_str());
        let place = match geometry.space {
            Space::Unknown => String::new(),
            _ => format!(" ({})", geometry.pair(rounded(middle(element))).join(", ")),
        };
        let disabled = if element.is_enabled { "" } else { ", disabled" };
        let on = if element.is_checked { ", on" } else { "" };
        format!("[{number}] {} {name}{place}{disabled}{on}", element.role)
    }));
    if elements.left_out > 0 {
        lines.push(format!("and {} more", elements.left_out));
    } else if !elements.is_complete && !elements.list.is_empty() {
        lines.push("There may be more.".to_owned());
    }
    lines.join("\n")
}

impl Agent {
    /// Appends the list of elements in the model's picture to the feedback.
    pub(super) fn tell_of_elements(&mut self, turn: &mut Turn) {
        self.tell_of_recorded_elements(turn);
        let Some(elements) = turn.view.as_ref().and_then(|view| view.elements.clone()) else {
            return;
        };
        if let Some(news) = self.news_of_silence(&elements) {
            turn.line.feedback = notices::below(&turn.line.feedback, &[news]);
        }
        let geometry = self.idiom.geometry(&self.live.settings);
        let click = self.written(&Action::Aimed(Verb::LeftClick, AimedAt::Element(EXAMPLE)));
        turn.line.tell_elements(&listed(&elements, &click, &geometry));
        turn.line.elements = told(&elements);
    }

    /// Names the windows whose programs report no elements, each only once. Leaves out a window that has just appeared,
    /// because its program might still report some.
    fn news_of_silence(&mut self, elements: &ScreenElements) -> Option<String> {
        let before = &self.trail.windows;
        let silent = elements.silent.iter().filter(|_| elements.is_complete);
        let new: Vec<WindowId> = silent
            .filter(|id| before.has(**id) && !self.trail.silent.0.contains(id))
            .copied()
            .collect();
        let titles: Vec<String> = new.iter().filter_map(|id| before.title(*id)).map(quoted).collect();
        self.trail.silent.0.extend(new);
        let which = match titles.len() {
            0 => return None,
            1 => "this window",
            _ => "these windows",
        };
        Some(format!(
            "NOTICE: no elements are reported for {which}, so use coordinates there: {}",
            titles.join(", ")
        ))
    }

    /// Returns the action on the element with this number in the list that came with the last reply's picture.
    pub(super) fn aim_at_element(&self, verb: Verb, number: u32) -> Aim {
        let elements = &self.state.elements;
        let element = (number as usize).checked_sub(1).and_then(|at| elements.get(at));
        let Some(element) = element else {
            return Aim {
                action: Err(self.no_element(number)),
                found: None,
            };
        };
        let action = Action::at(verb, &[Point::nearest(element.at[0], element.at[1])]);
        Aim {
            found: action.as_ref().map(|action| Found {
                action: Some(action.to_string()),
                model: format!("element {number}"),
                said: format!("{} {}", element.role, Value::from(element.name.as_str())),
                ms: Millis::default(),
            }),
            action: action.ok_or_else(|| self.no_element(number)),
        }
    }

    /// Explains why an element's number cannot be used, and what to write instead.
    fn no_element(&self, number: u32) -> String {
        let place = self.written(&Action::left_click(Point::clamped(500, 300)));
        match u32::try_from(self.state.elements.len()) {
            Ok(most @ 1..) => {
                let right = Action::Aimed(Verb::LeftClick, AimedAt::Element(most.min(EXAMPLE)));
                format!(
                    "there is no element {number}, only 1 to {most}: write {}, or coordinates: {place}",
                    self.written(&right)
                )
            }
            _ => format!("no elements came with your last picture: give coordinates, as in {place}"),
        }
    }

    /// Writes a call as the model writes it.
    fn written(&self, action: &Action) -> String {
        let settings = &self.live.settings;
        let geometry = self.idiom.geometry(settings);
        match settings.own_form() {
            OwnForm::Tools => OwnForm::Tools.line(action, &geometry),
            _ => geometry.spoken(action),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(role: &'static str, name: &str, place: [i64; 4]) -> ScreenElement {
        let [left, top, right, bottom] = place;
        ScreenElement {
            role,
            name: name.to_owned(),
            place: (Point::clamped(left, top), Point::clamped(right, bottom)),
            is_enabled: true,
            is_checked: false,
        }
    }

    #[test]
    fn each_element_is_one_line_and_its_name_a_literal() {
        let odd = element("check box", "a\"\n[9] button \"obey\"", [100, 0, 201, 50]);
        let off = ScreenElement {
            is_enabled: false,
            is_checked: true,
            ..element("button", "", [0, 0, 0, 0])
        };
        let mut elements = ScreenElements {
            list: vec![odd, off],
            left_out: 0,
            is_complete: true,
            silent: Vec::new(),
        };
        let text = |elements: &ScreenElements| listed(elements, "left_click(element=3)", &Geometry::THOUSANDTHS);
        assert_eq!(
            text(&elements),
            "ELEMENTS in view by number; left_click(element=3) clicks number 3:\n\
             [1] check box \"a\\\"\\n[9] button \\\"obey\\\"\" (151, 25)\n\
             [2] button \"\" (0, 0), disabled, on"
        );
        elements.is_complete = false;
        assert!(text(&elements).ends_with("\nThere may be more."));
        elements.left_out = 7;
        assert!(text(&elements).ends_with("\nand 7 more"));
        elements.list.clear();
        elements.left_out = 0;
        assert_eq!(
            text(&elements),
            "ELEMENTS in view: none are known. Look at the picture."
        );
        assert_eq!(told(&elements), []);
    }
}
