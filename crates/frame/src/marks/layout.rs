//! Positions all text so that nothing is cut off and overlaps are rare.

use super::area::MarkArea;
use super::classic::{Numbered, numbered};
use super::cursor::{Arrow, Cursor};
use super::elements::{ElementNumber, numbers};
use super::timestamp::Badge;
use super::{MarkData, Marks, neighbourhood};
use crate::frame::Frame;
use crate::text::Lettering;

/// The parts of a scene to draw, except for the crosshair, which has no text.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) badge: Option<Badge>,
    pub(super) numbered: Vec<Numbered>,
    pub(super) current: Option<Cursor>,
    pub(super) previous: Option<Cursor>,
    pub(super) elements: Vec<ElementNumber>,
}

impl Layout {
    /// Lays out a scene. All text avoids the neighbourhoods of targets. Numbers also avoid the badge and the cursors.
    /// Coordinates are placed last, because they can move the furthest.
    pub(super) fn of(frame: &Frame, lettering: &mut Lettering, marks: Marks, scene: &MarkData<'_>) -> Layout {
        let mut layout = Layout::default();
        let mut taken = neighbourhood::of_targets(frame, scene);
        if marks.timestamp && !scene.time.is_empty() {
            layout.badge = Some(Badge::of(frame, lettering, scene.time, &taken));
        }
        taken.extend(layout.badge.iter().map(|badge| badge.area));
        let current = scene.pointer.filter(|_| marks.cursor);
        let previous = scene.previous.filter(|place| marks.cursor && current != Some(*place));
        let [text, previous_text] = scene.coordinates;
        let arrow = |point| Arrow::of(frame, point).area();
        taken.extend(current.map(arrow));
        let before = taken.len();
        taken.extend(previous.map(arrow));
        // The areas added from here on belong to numbers, which matter less when coordinates are placed.
        let important = taken.len();
        if marks.classic {
            layout.numbered = numbered(frame, lettering, scene, &mut taken);
        }
        if let Some(point) = current {
            let mut cursor = Cursor::of(frame, lettering, point, text, &taken);
            if !cursor.is_beside() {
                // Coordinates far from their arrow look like those of the previous one, so it is better to let them
                // cover the previous arrow.
                let (most, numbers) = (taken.iter().take(before), taken.iter().skip(important));
                let without: Vec<MarkArea> = most.chain(numbers).copied().collect();
                cursor = Cursor::of(frame, lettering, point, text, &without);
            }
            taken.insert(important, cursor.area());
            layout.current = Some(cursor);
        }
        layout.previous = previous.map(|point| Cursor::of(frame, lettering, point, previous_text, &taken));
        if marks.elements {
            taken.extend(layout.previous.iter().map(Cursor::area));
            layout.elements = numbers(frame, lettering, scene.elements, &taken);
        }
        layout
    }
}

#[cfg(test)]
mod tests;
