//! Draws one numbered action.

use franz_action::{Action, Button, Point};

use crate::color::Color;
use crate::draw::{Line, Ring, fill};
use crate::frame::Frame;
use crate::marks::area::MarkArea;
use crate::marks::measure::{direction, growth, moved, place};
use crate::marks::neighbourhood;
use crate::marks::palette::RED;
use crate::marks::pencil::Pencil;
use crate::marks::stroke::Stroke;
use crate::text::Lettering;

/// Lengths in pixels at 512 x 288.
const THICKNESS: f32 = 1.5;
const HEAD: f32 = 7.0;
const HALO: f32 = 0.7;
const LEADER: f32 = 0.8;
const SECOND_RING: f32 = 3.0;

/// The distance beyond which a number needs a line to its action, relative to a figure's radius.
const FAR: f32 = 2.2;

/// The space that an underline leaves for the number at its end.
const NUMBER: f32 = 14.0;

/// The height of a line of typed text, relative to the picture's height: exact on the canvas, a guess on a desktop.
const TYPED: f32 = 48.0 / 1080.0;

/// The opacity of lines, of their halo and of figures. Lines can run along strokes on the screen, which must show
/// through. Their dark halo separates them from a red background; on a black canvas it is invisible.
const LINE: f32 = 0.62;
const SHADE: f32 = 0.3;
const FIGURE: f32 = 0.9;

/// The outline around the neighbourhood of a click.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    /// A ring, for the left button.
    Ring,
    /// A diamond, for the right button.
    Diamond,
    /// Two rings, for the middle button.
    TwoRings,
}

/// How an action is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    /// A click, surrounded by this figure.
    Click(Figure),
    /// A drag, with an arrow to this position; `None` if the drag ends where it began.
    Drag((f32, f32), Option<Stroke>),
    /// Typed text, underlined by a line of this length in pixels.
    Underline(f32),
}

/// An action with its position, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    at: (f32, f32),
    sign: Sign,
}

impl Step {
    /// Returns the actions that have a position, in order.
    pub(super) fn all(frame: &Frame, lettering: &mut Lettering, actions: &[Action]) -> Vec<Step> {
        let mut steps = Vec::new();
        // Text typed without a click in between follows the previous text.
        let mut typed = 0.0;
        for (index, action) in actions.iter().enumerate() {
            if action.pointer().is_some() {
                typed = 0.0;
            }
            match action {
                Action::Click(click) => {
                    let figure = match click.button {
                        Button::Left => Figure::Ring,
                        Button::Right => Figure::Diamond,
                        Button::Middle => Figure::TwoRings,
                    };
                    let at = place(frame, click.at);
                    steps.push(Step {
                        at,
                        sign: Sign::Click(figure),
                    });
                }
                Action::Drag(path) => {
                    let places: Vec<_> = path.points().iter().map(|at| place(frame, *at)).collect();
                    let reach = neighbourhood::reach(frame) + 1.0;
                    let strokes = places.iter().zip(places.iter().skip(1));
                    steps.extend(strokes.map(|(at, tip)| {
                        let stroke = Stroke::between(frame, [*at, *tip], reach, HEAD * growth(frame));
                        Step {
                            at: *at,
                            sign: Sign::Drag(*tip, stroke),
                        }
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

    /// Creates the underline for text; (x, y) is halfway up the left end of its first line. The underline never extends
    /// beyond the picture's edge.
    fn underline(frame: &Frame, lettering: &mut Lettering, text: &str, (x, y): (f32, f32)) -> Step {
        let size = TYPED * frame.height() as f32;
        let (width, height) = lettering.measure(text, size);
        let scale = growth(frame);
        let room = frame.width() as f32 - NUMBER * scale - x;
        let lowest = frame.height() as f32 - 1.0 - THICKNESS * scale;
        Step {
            at: (x, (y + height - size * 0.45).min(lowest)),
            sign: Sign::Underline(width.min(room).max(0.0)),
        }
    }

    /// Returns the position at which the trail reaches the action.
    pub(super) fn start(&self) -> (f32, f32) {
        self.at
    }

    /// Returns the position at which the trail leaves the action.
    pub(super) fn end(&self) -> (f32, f32) {
        match self.sign {
            Sign::Drag(to, _) => to,
            Sign::Underline(width) => (self.at.0 + width, self.at.1),
            Sign::Click(_) => self.at,
        }
    }

    /// Draws the sign, and a line to its number if the number is some distance away.
    pub(super) fn draw(&self, frame: &mut Frame, number: Option<(f32, f32)>, scale: f32) {
        match self.sign {
            Sign::Click(figure) => self.surround(frame, figure, scale),
            Sign::Drag(_, Some(stroke)) => {
                let opacity = if stroke.is_beside { FIGURE } else { LINE };
                pencil(opacity, scale).draw(frame, &stroke.lines());
            }
            Sign::Drag(_, None) => self.surround(frame, Figure::Ring, scale),
            Sign::Underline(_) => {
                let line = |thickness| Line::new(self.at, self.end(), thickness);
                pencil(LINE, scale).draw(frame, &[line]);
            }
        }
        let far = |number: &(f32, f32)| {
            let away = (number.0 - self.at.0).hypot(number.1 - self.at.1);
            !matches!(self.sign, Sign::Underline(_)) && away > FAR * around(frame)
        };
        if let Some(number) = number.filter(far) {
            let leader = Line::new(self.at, number, LEADER * scale);
            fill(frame, &leader, RED.opacity(FIGURE));
        }
    }

    fn surround(&self, frame: &mut Frame, figure: Figure, scale: f32) {
        let pencil = pencil(FIGURE, scale);
        let radius = around(frame) + pencil.thickness / 2.0;
        let ring = |radius| move |thickness| Ring::new(self.at, radius, thickness);
        match figure {
            Figure::Ring => pencil.draw(frame, &[ring(radius)]),
            Figure::TwoRings => pencil.draw(frame, &[ring(radius), ring(radius + SECOND_RING * scale)]),
            Figure::Diamond => {
                let reach = radius * std::f32::consts::SQRT_2;
                let corners = [(0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0)];
                let [top, right, bottom, left] = corners.map(|way| moved(self.at, way, 1.0));
                let sides = [(top, right), (right, bottom), (bottom, left), (left, top)];
                pencil.draw(
                    frame,
                    &sides.map(|(from, to)| move |thickness| Line::new(from, to, thickness)),
                );
            }
        }
    }

    /// Returns the positions at which a number of this size can be centred, the best first: next to a click or the
    /// start of a drag, or at the end of an underline.
    pub(super) fn numbers(&self, frame: &Frame, (width, height): (f32, f32)) -> Vec<(f32, f32)> {
        let inside = |at: (f32, f32)| {
            let area = MarkArea {
                left: at.0 + 0.5 - width / 2.0,
                top: at.1 + 0.5 - height / 2.0,
                width,
                height,
            };
            area.moved_within(frame).middle()
        };
        if let Sign::Underline(length) = self.sign {
            let end = (self.at.0 + length, self.at.1);
            let behind = (end.0 + width / 2.0 + 2.0, end.1);
            let around = WAYS.map(|(x, y)| (end.0 + x * width, end.1 + y * height));
            return [behind].into_iter().chain(around).map(inside).collect();
        }
        let reach = around(frame) + THICKNESS * growth(frame);
        let behind = match self.sign {
            Sign::Drag(to, _) => direction(to, self.at),
            _ => None,
        };
        let behind = behind.map(|way| moved(self.at, way, reach + width.max(height) / 2.0));
        // Try positions close to the sign first, and then positions beyond the numbers of neighbouring signs.
        let rounds = [0.8, 1.8, 3.4].into_iter().flat_map(|round| {
            WAYS.map(|(x, y)| {
                let away = if x == 0.0 || y == 0.0 { reach } else { reach * 0.75 };
                let (across, down) = (away + width * round * 0.6, away + height * round * 0.6);
                (self.at.0 + x * across, self.at.1 + y * down)
            })
        });
        behind.into_iter().chain(rounds).map(inside).collect()
    }
}

fn pencil(opacity: f32, scale: f32) -> Pencil {
    Pencil {
        thickness: THICKNESS * scale,
        rim: HALO * scale,
        paint: RED.opacity(opacity),
        rim_paint: Color::BLACK.opacity(SHADE),
    }
}

/// Returns the radius of the smallest circle around a neighbourhood.
fn around(frame: &Frame) -> f32 {
    (neighbourhood::reach(frame) + 1.0) * std::f32::consts::SQRT_2
}

/// The eight directions from a position. The upper right comes first, because the pointer's arrow and coordinates are
/// below.
const WAYS: [(f32, f32); 8] = [
    (1.0, -1.0),
    (-1.0, -1.0),
    (-1.0, 1.0),
    (1.0, 1.0),
    (1.0, 0.0),
    (0.0, -1.0),
    (-1.0, 0.0),
    (0.0, 1.0),
];

/// Returns the position where a click among these actions has put the text cursor; `None` if there was no click, or a
/// later key might have moved the cursor.
fn text_cursor(before: &[Action]) -> Option<Point> {
    let mut since = before
        .iter()
        .rev()
        .take_while(|action| !matches!(action, Action::Press(_)));
    since.find_map(left_click)
}

/// Returns the position where a click puts the text cursor.
fn left_click(action: &Action) -> Option<Point> {
    match action {
        Action::Click(click) if click.button == Button::Left => Some(click.at),
        Action::Type(typing) => typing.at,
        _ => None,
    }
}
