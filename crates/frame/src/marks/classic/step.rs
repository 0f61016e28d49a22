//! One numbered action.

use franz_action::{Action, Point};

use crate::color::Color;
use crate::draw::{Disc, Line, Polygon, Ring, fill};
use crate::frame::Frame;
use crate::marks::Scene;
use crate::marks::measure::{RED, direction, growth, moved, place};
use crate::text::Lettering;

/// Lengths in pixels at 512 x 288.
const RADIUS: f32 = 6.5;
const SHAFT: f32 = 1.5;
const HEAD: f32 = 8.0;
const DIGITS: [f32; 3] = [12.0, 9.5, 7.5];

/// The height of a line of typed text as a part of the picture's height: that of the canvas, a guess on a desktop.
const TYPED: f32 = 48.0 / 1080.0;

/// Numbers must be read; arrows run along what was drawn, which has to shine through.
const PLATE: f32 = 0.85;
const ARROW: f32 = 0.6;

/// How an action is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    Disc,
    Diamond,
    Ring,
    /// Numbered where it starts, with the head at this place.
    Arrow((f32, f32)),
    /// As long as this, in pixels.
    Underline(f32),
}

/// An action with a place, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    at: (f32, f32),
    sign: Sign,
}

impl Step {
    /// The actions of a scene that have a place, in order.
    pub(super) fn all(frame: &Frame, lettering: &mut Lettering, scene: &Scene<'_>) -> Vec<Step> {
        let mut steps = Vec::new();
        // A second text without a click between follows the first.
        let mut typed = 0.0;
        for (index, action) in scene.actions.iter().enumerate() {
            if action.pointer().is_some() {
                typed = 0.0;
            }
            let (point, sign) = match action {
                Action::LeftClick(at) | Action::DoubleLeftClick(at) | Action::TripleClick(at) => (*at, Sign::Disc),
                Action::RightClick(at) => (*at, Sign::Diamond),
                Action::MiddleClick(at) => (*at, Sign::Ring),
                Action::Drag(from, to) => (*from, Sign::Arrow(place(frame, *to))),
                Action::Type(text) => {
                    if let Some(point) = typed_at(scene, index) {
                        let (x, y) = place(frame, point);
                        steps.push(Step::underline(frame, lettering, text, (x + typed, y)));
                        typed += steps.last().map_or(0.0, |step| step.end().0 - step.at.0);
                    }
                    continue;
                }
                _ => continue,
            };
            let at = place(frame, point);
            steps.push(Step { at, sign });
        }
        steps
    }

    /// A line below a text whose first line has its left end and middle at (x, y); it ends where the picture ends.
    fn underline(frame: &Frame, lettering: &mut Lettering, text: &str, (x, y): (f32, f32)) -> Step {
        let size = TYPED * frame.height() as f32;
        let (width, height) = lettering.measure(text, size);
        let room = frame.width() as f32 - 2.0 * RADIUS * growth(frame) - x;
        Step {
            at: (x, y + height - size * 0.45),
            sign: Sign::Underline(width.min(room).max(0.0)),
        }
    }

    /// Where the trail arrives.
    pub(super) fn start(&self) -> (f32, f32) {
        self.at
    }

    /// Where the trail goes on.
    pub(super) fn end(&self) -> (f32, f32) {
        match self.sign {
            Sign::Arrow(tip) => tip,
            Sign::Underline(width) => (self.at.0 + width, self.at.1),
            Sign::Disc | Sign::Diamond | Sign::Ring => self.at,
        }
    }

    /// Draws what lies beside the number: an arrow or an underline.
    pub(super) fn draw_path(&self, frame: &mut Frame, scale: f32) {
        let shaft = SHAFT * scale;
        match self.sign {
            Sign::Arrow(tip) => {
                let Some(along) = direction(self.at, tip) else {
                    return;
                };
                let (head, across) = (HEAD * scale, (-along.1, along.0));
                let foot = moved(tip, along, -head);
                fill(frame, &Line::new(self.at, foot, shaft), RED.opacity(ARROW));
                let corners = [tip, moved(foot, across, head * 0.45), moved(foot, across, -head * 0.45)];
                fill(frame, &Polygon::new(corners), RED.opacity(ARROW));
            }
            Sign::Underline(width) => {
                let line = Line::new(self.at, (self.at.0 + width, self.at.1), shaft);
                fill(frame, &line, RED.opacity(ARROW));
            }
            Sign::Disc | Sign::Diamond | Sign::Ring => {}
        }
    }

    /// Draws the number on its plate.
    pub(super) fn draw_number(&self, frame: &mut Frame, lettering: &mut Lettering, number: usize, scale: f32) {
        let radius = RADIUS * scale;
        let center = self.plate(radius);
        match self.sign {
            Sign::Disc | Sign::Arrow(_) | Sign::Underline(_) => {
                fill(frame, &Disc::new(center, radius), RED.opacity(PLATE));
            }
            Sign::Diamond => {
                let reach = radius * 1.4;
                let corners = [(0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0)];
                let corners = corners.map(|(x, y)| (center.0 + x, center.1 + y));
                fill(frame, &Polygon::new(corners), RED.opacity(PLATE));
            }
            Sign::Ring => {
                fill(frame, &Disc::new(center, radius), Color::BLACK.opacity(0.6));
                fill(frame, &Ring::new(center, radius, 2.0 * scale), RED.opacity(PLATE));
            }
        }
        let text = number.to_string();
        let size = DIGITS[(text.len() - 1).min(DIGITS.len() - 1)] * scale;
        let (width, height) = lettering.measure(&text, size);
        // Digits stand a little above the middle of their line.
        let at = (center.0 - width / 2.0 + 0.5, center.1 - height * 0.52);
        // Digits are never missing.
        let _ = lettering.draw_text(frame, &text, at, size, Color::WHITE);
    }

    /// The middle of the number's plate: behind the start of an arrow, so that the start of the stroke is seen, and
    /// behind the end of an underline.
    fn plate(&self, radius: f32) -> (f32, f32) {
        match self.sign {
            Sign::Disc | Sign::Diamond | Sign::Ring => self.at,
            Sign::Arrow(tip) => match direction(self.at, tip) {
                Some(along) => moved(self.at, along, -radius),
                None => self.at,
            },
            Sign::Underline(width) => (self.at.0 + width + radius, self.at.1),
        }
    }
}

/// Where the text cursor was set before the action at `index`; `None` when the scene does not tell.
fn typed_at(scene: &Scene<'_>, index: usize) -> Option<Point> {
    let before = scene.actions[..index].iter().rev().find_map(Action::pointer);
    before.or_else(|| {
        let mut later = scene.actions[index..].iter().filter_map(Action::pointer);
        match (later.next(), later.next()) {
            (None, _) => scene.pointer,
            (Some(_), None) => scene.previous,
            (Some(_), Some(_)) => None,
        }
    })
}
