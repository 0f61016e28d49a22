//! Marks: what the last actions did, drawn on a copy of the picture and never kept.
//!
//! They are drawn after scaling, in sizes that follow the picture's, so that numbers can be read at any size and what lies
//! beneath stays visible.

mod classic;
mod crosshair;
mod cursor;
mod label;
mod measure;
mod timestamp;

use franz_action::{Action, Point};

use crate::frame::Frame;
use crate::text::Lettering;

/// Which styles are drawn, any of them together.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent switches of the configuration"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The last action only: crosshair and ring, or an arrow.
    pub crosshair: bool,
    /// Every action of the turn, numbered.
    pub classic: bool,
    /// Where the pointer is and was, with coordinates.
    pub cursor: bool,
    /// The time, bottom centre.
    pub timestamp: bool,
}

/// What the marks tell.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// What was performed since the last picture, in order.
    pub actions: &'a [Action],
    /// Where the pointer stands now.
    pub pointer: Option<Point>,
    /// Where it stood before its last move.
    pub previous: Option<Point>,
    /// The time as it is to be shown; nothing is shown for an empty text.
    pub time: &'a str,
}

/// Draws marks; keeps the glyphs of their numbers and labels.
#[derive(Default)]
pub struct Marker {
    lettering: Lettering,
}

impl Marker {
    /// A marker with an empty cache of glyphs.
    pub fn new() -> Marker {
        Marker::default()
    }

    /// Draws the chosen styles over the frame.
    pub fn draw(&mut self, frame: &mut Frame, marks: &Marks, scene: &Scene<'_>) {
        let lettering = &mut self.lettering;
        if marks.classic {
            classic::draw(frame, lettering, scene);
        }
        if marks.crosshair {
            crosshair::draw(frame, scene.actions);
        }
        let badge = (marks.timestamp && !scene.time.is_empty()).then(|| timestamp::draw(frame, lettering, scene.time));
        if marks.cursor {
            cursor::draw(frame, lettering, scene, badge);
        }
    }
}

#[cfg(test)]
mod tests;
