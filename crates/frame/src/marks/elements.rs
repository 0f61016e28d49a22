//! Draws the numbers of elements next to them. No number covers an element or another number.

use franz_action::Point;

use super::area::MarkArea;
use super::label::Label;
use super::measure::place;
use super::palette::ELEMENT;
use crate::frame::Frame;
use crate::text::Lettering;

/// The line height in a picture of height `HEIGHT`, and the minimum at any height.
const SIZE: f32 = 15.0;
const HEIGHT: f32 = 896.0;
const LEAST: f32 = 9.0;

const OPACITY: f32 = 0.85;

/// An element's number and its position.
pub(super) struct ElementNumber {
    label: Label,
    pub(super) area: MarkArea,
}

impl ElementNumber {
    pub(super) fn draw(&self, frame: &mut Frame, lettering: &mut Lettering) {
        self.label.draw(frame, lettering, self.area, ELEMENT, OPACITY);
    }
}

/// Returns the numbers, counted from 1, that fit next to their elements and outside the `taken` areas.
pub(super) fn numbers(
    frame: &Frame,
    lettering: &mut Lettering,
    elements: &[(Point, Point)],
    taken: &[MarkArea],
) -> Vec<ElementNumber> {
    let boxes: Vec<MarkArea> = elements.iter().map(|corners| around(frame, *corners)).collect();
    let mut taken = taken.to_vec();
    taken.extend(&boxes);
    let size = (SIZE * frame.height() as f32 / HEIGHT).max(LEAST);
    let mut numbers = Vec::new();
    for (number, element) in (1..).zip(&boxes) {
        let label = Label::of_size(frame, lettering, format!("{number}"), size);
        let free = |area: &MarkArea| area.is_within(frame) && !taken.iter().any(|other| area.overlaps(other));
        if let Some(area) = beside(element, &label).into_iter().find(free) {
            taken.push(area);
            numbers.push(ElementNumber { label, area });
        }
    }
    numbers
}

/// Returns an element's area.
pub(super) fn around(frame: &Frame, (first, last): (Point, Point)) -> MarkArea {
    let ((left, top), (right, bottom)) = (place(frame, first), place(frame, last));
    let (left, top) = (left.floor(), top.floor());
    MarkArea {
        left,
        top,
        width: right.ceil() + 1.0 - left,
        height: bottom.ceil() + 1.0 - top,
    }
}

/// Returns the positions for a number next to an element, the best first.
fn beside(element: &MarkArea, label: &Label) -> [MarkArea; 6] {
    let (left, top) = (element.left, element.top);
    let (right, bottom) = (left + element.width, top + element.height);
    let middle = (top + (element.height - label.height) / 2.0).round();
    [
        (left - label.width, middle),
        (right, middle),
        (left, top - label.height),
        (left, bottom),
        (right - label.width, top - label.height),
        (right - label.width, bottom),
    ]
    .map(|(left, top)| MarkArea {
        left,
        top,
        width: label.width,
        height: label.height,
    })
}
