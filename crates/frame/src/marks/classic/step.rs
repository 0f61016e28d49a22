//! One numbered action.

use franz_action::{Action, Button, Point};

use crate::color::Color;
use crate::draw::{Disc, Line, Polygon, Ring, fill};
use crate::frame::Frame;
use crate::marks::area::Area;
use crate::marks::measure::{direction, growth, moved, place};
use crate::marks::palette::RED;
use crate::text::Lettering;

/// Lengths in pixels at 512 x 288.
const SHAFT: f32 = 1.5;
const HEAD: f32 = 8.0;
const HALO: f32 = 0.7;
const DOT: f32 = 2.0;
const LEADER: f32 = 1.0;

/// A number further than this from the start of its arrow needs a line to it.
const FAR: f32 = 15.0;

/// The room that an underline leaves at its end for the number.
const NUMBER: f32 = 14.0;

/// The height of a line of typed text relative to the picture's height: exact on the canvas, a guess on a desktop.
const TYPED: f32 = 48.0 / 1080.0;

/// Arrows run along what was drawn, which has to show through. Their dark halo separates them from a red background; on
/// a black canvas it is invisible.
const ARROW: f32 = 0.6;
const SHADE: f32 = 0.3;
const PLACE: f32 = 0.85;

/// The outline of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Figure {
    Disc,
    Diamond,
    Ring,
}

/// A stroke from one place to another.
type Stroke = ((f32, f32), (f32, f32));

/// The way an action is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    /// Numbered at its place.
    Click(Figure),
    /// Numbered at its start, with the head at this place.
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
    /// Returns the actions that have a place, in order.
    pub(super) fn all(frame: &Frame, lettering: &mut Lettering, actions: &[Action]) -> Vec<Step> {
        let mut steps = Vec::new();
        // A second text follows the first if there is no click in between.
        let mut typed = 0.0;
        for (index, action) in actions.iter().enumerate() {
            if action.pointer().is_some() {
                typed = 0.0;
            }
            match action {
                Action::Click(click) => {
                    let figure = match click.button {
                        Button::Left => Figure::Disc,
                        Button::Right => Figure::Diamond,
                        Button::Middle => Figure::Ring,
                    };
                    let at = place(frame, click.at);
                    steps.push(Step {
                        at,
                        sign: Sign::Click(figure),
                    });
                }
                Action::Drag(path) => {
                    let places: Vec<_> = path.points().iter().map(|at| place(frame, *at)).collect();
                    let strokes = places.iter().zip(places.iter().skip(1));
                    steps.extend(strokes.map(|(at, tip)| Step {
                        at: *at,
                        sign: Sign::Arrow(*tip),
                    }));
                }
                Action::Type(typing) => {
                    if let Some(point) = typing.at.or_else(|| text_cursor(&actions[..index])) {
                        let (x, y) = place(frame, point);
                        steps.push(Step::underline(frame, lettering, &typing.text, (x + typed, y)));
                        typed += steps.last().map_or(0.0, |step| step.end().0 - step.at.0);
                    }
                }
                _ => {}
            }
        }
        steps
    }

    /// Creates the underline of a text whose first line has its left end and middle at (x, y); the line ends at the
    /// edge of the picture at the latest.
    fn underline(frame: &Frame, lettering: &mut Lettering, text: &str, (x, y): (f32, f32)) -> Step {
        let size = TYPED * frame.height() as f32;
        let (width, height) = lettering.measure(text, size);
        let scale = growth(frame);
        let room = frame.width() as f32 - NUMBER * scale - x;
        let lowest = frame.height() as f32 - 1.0 - SHAFT * scale;
        Step {
            at: (x, (y + height - size * 0.45).min(lowest)),
            sign: Sign::Underline(width.min(room).max(0.0)),
        }
    }

    /// Returns where the trail arrives.
    pub(super) fn start(&self) -> (f32, f32) {
        self.at
    }

    /// Returns where the trail continues.
    pub(super) fn end(&self) -> (f32, f32) {
        match self.sign {
            Sign::Arrow(tip) => tip,
            Sign::Underline(width) => (self.at.0 + width, self.at.1),
            Sign::Click(_) => self.at,
        }
    }

    /// Draws what accompanies the number: an arrow or an underline.
    pub(super) fn draw_path(&self, frame: &mut Frame, scale: f32) {
        let shaft = SHAFT * scale;
        match self.sign {
            Sign::Arrow(tip) => {
                let Some(along) = direction(self.at, tip) else {
                    return;
                };
                let (head, across) = (HEAD * scale, (-along.1, along.0));
                let foot = moved(tip, along, -head);
                let corners = [tip, moved(foot, across, head * 0.45), moved(foot, across, -head * 0.45)];
                shaded(frame, (self.at, foot), shaft, scale);
                fill(frame, &Polygon::new(corners), RED.opacity(ARROW));
            }
            Sign::Underline(width) => {
                shaded(frame, (self.at, (self.at.0 + width, self.at.1)), shaft, scale);
            }
            Sign::Click(_) => {}
        }
    }

    /// Draws a dot at the place itself, and a line to its number, unless the number stands right there.
    pub(super) fn draw_place(&self, frame: &mut Frame, number: Option<(f32, f32)>, scale: f32) {
        let touches = |center: (f32, f32)| match self.sign {
            Sign::Click(_) => center == self.at,
            Sign::Arrow(_) => (center.0 - self.at.0).hypot(center.1 - self.at.1) < FAR * scale,
            Sign::Underline(_) => true,
        };
        if number.is_some_and(touches) {
            return;
        }
        let center = number.unwrap_or(self.at);
        let leader = Line::new(self.at, center, LEADER * scale);
        let dot = DOT * scale;
        fill(frame, &leader, RED.opacity(PLACE));
        fill(frame, &Disc::new(self.at, dot), RED.opacity(PLACE));
        fill(
            frame,
            &Ring::new(self.at, dot, LEADER * scale * 0.6),
            Color::WHITE.opacity(PLACE),
        );
    }

    /// Returns the outline of its number.
    pub(super) fn figure(&self) -> Figure {
        match self.sign {
            Sign::Click(figure) => figure,
            Sign::Arrow(_) | Sign::Underline(_) => Figure::Disc,
        }
    }

    /// Returns where a number with this reach may be centred, the best place first: right on a click; behind the start
    /// of an arrow, so that the start of the stroke is visible; after the end of an underline.
    pub(super) fn plates(&self, frame: &Frame, reach: f32) -> Vec<(f32, f32)> {
        let inside = |at| {
            let area = Area::around(at, reach);
            if area.is_within(frame) {
                at
            } else {
                area.moved_within(frame).middle()
            }
        };
        // Adjacent plates leave a little room for what lies beneath; the second round clears the badge.
        let here = || {
            let first = inside(self.at);
            let rounds = [2.1, 4.2].into_iter().flat_map(|round| around(first, round * reach));
            [first].into_iter().chain(rounds).collect()
        };
        match self.sign {
            Sign::Click(_) => here(),
            Sign::Arrow(tip) => match direction(self.at, tip) {
                Some(along) => {
                    let across = (-along.1, along.0);
                    let beside = |side: f32| moved(moved(self.at, across, side * reach), along, reach * 0.3);
                    let behind = moved(self.at, along, -reach);
                    let near = [behind, beside(1.0), beside(-1.0)];
                    // Near the bottom of the picture, the badge may leave room only above it.
                    let low = frame.height() as f32 - self.at.1 < 4.0 * reach;
                    let above = low.then(|| inside(moved(self.at, (0.0, -1.0), 4.2 * reach)));
                    near.into_iter().chain(near.map(inside)).chain(above).collect()
                }
                None => here(),
            },
            Sign::Underline(width) => {
                let end = (self.at.0 + width, self.at.1);
                let behind = (end.0 + reach, end.1);
                [inside(behind)].into_iter().chain(around(end, reach)).collect()
            }
        }
    }
}

/// Draws a red line between two places with a dark one on each side; nothing beneath it is darkened.
fn shaded(frame: &mut Frame, (from, to): Stroke, thickness: f32, scale: f32) {
    if let Some(along) = direction(from, to) {
        let across = (-along.1, along.0);
        let halo = HALO * scale;
        for side in [-1.0, 1.0] {
            let beside = |at| moved(at, across, side * (thickness + halo) / 2.0);
            fill(
                frame,
                &Line::new(beside(from), beside(to), halo),
                Color::BLACK.opacity(SHADE),
            );
        }
    }
    fill(frame, &Line::new(from, to, thickness), RED.opacity(ARROW));
}

/// Returns eight places on a square around another, to the right first and then clockwise.
fn around(at: (f32, f32), distance: f32) -> impl Iterator<Item = (f32, f32)> {
    const WAYS: [(f32, f32); 8] = [
        (1.0, 0.0),
        (1.0, 1.0),
        (0.0, 1.0),
        (-1.0, 1.0),
        (-1.0, 0.0),
        (-1.0, -1.0),
        (0.0, -1.0),
        (1.0, -1.0),
    ];
    WAYS.into_iter().map(move |way| moved(at, way, distance))
}

/// Returns where a click among these actions has put the text cursor. Without a click, or after a key that may have
/// moved the cursor, the place of the text is unknown.
fn text_cursor(before: &[Action]) -> Option<Point> {
    let mut since = before
        .iter()
        .rev()
        .take_while(|action| !matches!(action, Action::Press(_)));
    since.find_map(left_click)
}

/// Returns where a click puts the text cursor.
fn left_click(action: &Action) -> Option<Point> {
    match action {
        Action::Click(click) if click.button == Button::Left => Some(click.at),
        Action::Type(typing) => typing.at,
        _ => None,
    }
}
