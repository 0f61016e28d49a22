//! Draws actions on the canvas.

use franz_action::{Action, Button, Outcome, Point};
use franz_frame::draw::{Bar, Disc, Line, Ring, Shape, fill};
use franz_frame::{Color, Frame, Lettering, Missing};

use super::state::TextCursor;

pub(super) const NO_SCROLL: &str = "a canvas does not scroll";
pub(super) const NO_KEYS: &str = "a canvas ignores keys";
pub(super) const NO_HOLDING: &str = "nothing is held down on a canvas; a drag along points draws lines";
pub(super) const NO_ERASING: &str = "nothing on a canvas can be erased";
pub(super) const NO_CLIPBOARD: &str = "a canvas has no clipboard";

/// Lengths in pixels on a canvas of 1920 x 1080. The model sees the canvas at about a quarter of this size.
const STROKE: f32 = 9.0;
const DOT_RADIUS: f32 = 12.0;
const RING_RADIUS: f32 = 18.0;
const RECTANGLE: (f32, f32) = (30.0, 20.0);
const LINE_HEIGHT: f32 = 48.0;
const TEXT_GAP: f32 = 6.0;

/// Draws actions in white, additively: drawing the same thing again changes nothing.
pub(super) struct Brush {
    lettering: Lettering,
    /// Canvas pixels per pixel of a 1920 x 1080 canvas.
    unit: f32,
}

impl Brush {
    /// Creates a brush for canvases of this size.
    pub(super) fn new(frame: &Frame) -> Brush {
        Brush {
            lettering: Lettering::new(),
            unit: (frame.width() as f32 / 1920.0).min(frame.height() as f32 / 1080.0),
        }
    }

    /// Draws an action and moves the text cursor.
    pub(super) fn draw(&mut self, frame: &mut Frame, text: &mut Option<TextCursor>, action: &Action) -> Outcome {
        let unit = self.unit;
        let (width, height) = (frame.width(), frame.height());
        let place = |point: &Point| (point.x.to_subpixel(width), point.y.to_subpixel(height));
        match action {
            Action::Click(click) => {
                let center = place(&click.at);
                match click.button {
                    Button::Left => *text = Some(self.dot(frame, center)),
                    Button::Right => self.rectangle(frame, center),
                    Button::Middle => white(frame, &Ring::new(center, RING_RADIUS * unit, self.thickness())),
                }
            }
            Action::Drag(path) => {
                for ends in path.points().windows(2) {
                    if let [from, to] = ends {
                        white(frame, &Line::new(place(from), place(to), self.thickness()));
                    }
                }
            }
            Action::Type(typing) => {
                if let Some(at) = &typing.at {
                    *text = Some(self.dot(frame, place(at)));
                }
                return match text {
                    Some(cursor) => self.write(frame, cursor, &typing.text, typing.replace),
                    None => Outcome::DONE,
                };
            }
            Action::Scroll { .. } => return Outcome::Done(Some(NO_SCROLL.to_owned())),
            Action::Move(_)
            | Action::MouseDown(..)
            | Action::MouseUp(..)
            | Action::Press(_)
            | Action::Hold(_)
            | Action::ReadClipboard
            | Action::WriteClipboard(_)
            | Action::Wait(_)
            | Action::Screenshot
            | Action::Observe
            | Action::Watch(_)
            | Action::Zoom(..)
            | Action::Windows
            | Action::Focus(_)
            | Action::Open(_)
            | Action::Ask(_)
            | Action::Aimed(..) => {}
        }
        Outcome::DONE
    }

    fn thickness(&self) -> f32 {
        (STROKE * self.unit).max(1.0)
    }

    /// Draws the mark of a left click; returns where text would begin.
    fn dot(&self, frame: &mut Frame, center: (f32, f32)) -> TextCursor {
        white(frame, &Disc::new(center, (DOT_RADIUS * self.unit).max(1.0)));
        TextCursor::at(center.0 + (DOT_RADIUS + TEXT_GAP) * self.unit, center.1)
    }

    /// Draws the mark of a right click.
    fn rectangle(&self, frame: &mut Frame, (x, y): (f32, f32)) {
        let (half_width, half_height) = (RECTANGLE.0 / 2.0 * self.unit, RECTANGLE.1 / 2.0 * self.unit);
        let (from, to) = ((x - half_width, y - half_height), (x + half_width, y + half_height));
        white(frame, &Bar::new(from, to));
    }

    /// Writes text from the cursor onwards; each line break returns to the column where the text began.
    fn write(&mut self, frame: &mut Frame, cursor: &mut TextCursor, text: &str, replaces: bool) -> Outcome {
        let size = (LINE_HEIGHT * self.unit).max(1.0);
        let mut missing = Missing::default();
        let (mut wide, mut low) = (false, false);
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                cursor.break_line(size);
            }
            let (left, top) = cursor.top_left(size);
            missing.extend(
                &self
                    .lettering
                    .draw_text(frame, line, (left, top), size, Color::WHITE.light()),
            );
            let (width, _) = self.lettering.measure(line, size);
            cursor.advance(width);
            wide |= left + width > frame.width() as f32;
            low |= !line.is_empty() && top + size > frame.height() as f32;
        }
        let note = note(&missing, wide, low);
        let unerased = replaces.then(|| NO_ERASING.to_owned());
        Outcome::Done(note.or(unerased))
    }
}

fn white(frame: &mut Frame, shape: &impl Shape) {
    fill(frame, shape, Color::WHITE.light());
}

/// Returns a note for the model about text that does not appear as written.
fn note(missing: &Missing, wide: bool, low: bool) -> Option<String> {
    let mut notes = Vec::new();
    if !missing.is_empty() {
        notes.push(format!("no font has {missing}; shown as boxes"));
    }
    match (wide, low) {
        (true, true) => notes.push("the text runs past the right and bottom edges and is cut off".to_owned()),
        (true, false) => notes.push("the text runs past the right edge and is cut off".to_owned()),
        (false, true) => notes.push("the text runs past the bottom edge and is cut off".to_owned()),
        (false, false) => {}
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}
