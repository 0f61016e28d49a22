//! Marks: what the last actions did, drawn on a copy of the picture and never kept.
//!
//! They are drawn after scaling, in sizes that follow the picture's, so that numbers can be read at any size and what lies
//! beneath stays visible.

mod area;
mod classic;
mod crosshair;
mod cursor;
mod label;
mod layout;
mod measure;
mod timestamp;

use franz_action::{Action, Point};

use crate::frame::Frame;
use crate::text::Lettering;
use cursor::Look;
use layout::Layout;

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
pub struct MarkData<'a> {
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
    pub fn draw(&mut self, frame: &mut Frame, marks: &Marks, scene: &MarkData<'_>) {
        let lettering = &mut self.lettering;
        let layout = Layout::of(frame, lettering, *marks, scene);
        // The badge lies beneath: it is never needed to understand a picture.
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
    }
}

#[cfg(test)]
mod tests;
