//! Draws marks for the last actions on a copy of the picture that is never stored.
//!
//! Marks are drawn after scaling, in sizes that follow the picture's size, so that numbers are legible at any size.
//! They are thin and hollow, and leave the neighbourhood of every target untouched, because the model judges its
//! actions by these parts of the picture.

mod area;
mod classic;
mod crosshair;
mod cursor;
mod elements;
mod label;
mod layout;
mod measure;
mod neighbourhood;
mod palette;
mod pencil;
mod stroke;
mod timestamp;

use franz_action::{Action, Point};

use crate::frame::Frame;
use crate::text::Lettering;
use cursor::Look;
use layout::Layout;
use neighbourhood::Kept;

/// The styles to draw, in any combination.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Only the last action: a crosshair and ring, or an arrow.
    pub crosshair: bool,
    /// Every action of the turn, numbered.
    pub classic: bool,
    /// The pointer's current and previous position, with coordinates.
    pub cursor: bool,
    /// The time, at the bottom centre.
    pub timestamp: bool,
    /// Each element's number, next to the element.
    pub elements: bool,
}

/// The data that the marks show.
#[derive(Clone, Copy, Debug)]
pub struct MarkData<'a> {
    /// The actions performed since the last picture, in order.
    pub actions: &'a [Action],
    /// The current position of the pointer.
    pub pointer: Option<Point>,
    /// The pointer's position before its last move.
    pub previous: Option<Point>,
    /// The coordinates of both positions as the model counts them; an empty string displays nothing.
    pub coordinates: [&'a str; 2],
    /// The time to display; an empty string displays nothing.
    pub time: &'a str,
    /// The corners of the elements, in the order of their numbers.
    pub elements: &'a [(Point, Point)],
}

/// Draws marks and caches the glyphs of their numbers and labels.
#[derive(Default)]
pub struct Marker {
    lettering: Lettering,
}

impl Marker {
    /// Creates a marker with an empty glyph cache.
    pub fn new() -> Marker {
        Marker::default()
    }

    /// Draws the chosen styles over the frame.
    pub fn draw(&mut self, frame: &mut Frame, marks: &Marks, scene: &MarkData<'_>) {
        let lettering = &mut self.lettering;
        let layout = Layout::of(frame, lettering, *marks, scene);
        let kept = Kept::of(frame, &neighbourhood::of_targets(frame, scene));
        // Draw the badge first, beneath the other marks, because it is never essential for understanding a picture.
        if let Some(badge) = &layout.badge {
            badge.draw(frame, lettering);
        }
        classic::draw(frame, lettering, &layout.numbered);
        if marks.crosshair {
            crosshair::draw(frame, scene.actions);
        }
        if let Some(previous) = &layout.previous {
            previous.draw(frame, lettering, Look::FADED);
        }
        if let Some(current) = &layout.current {
            current.draw(frame, lettering, Look::CURRENT);
        }
        kept.restore(frame);
        for number in &layout.elements {
            number.draw(frame, lettering);
        }
    }
}

#[cfg(test)]
mod tests;
