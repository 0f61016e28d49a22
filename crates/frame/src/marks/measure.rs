//! Calculates the size of marks and the position of points for a picture's size.

use franz_action::Point;

use crate::frame::Frame;

/// Returns how many times larger marks are than at 512 x 288.
///
/// Marks grow more slowly than the picture. A large picture shows a desktop whose widgets must not be hidden, while a
/// small one needs marks that remain legible.
pub(super) fn growth(frame: &Frame) -> f32 {
    let ratio = (frame.width() as f32 / 512.0).min(frame.height() as f32 / 288.0);
    ratio.powf(0.75).max(0.5)
}

/// Returns a point's position on the frame, in pixels.
pub(super) fn place(frame: &Frame, point: Point) -> (f32, f32) {
    (point.x.to_subpixel(frame.width()), point.y.to_subpixel(frame.height()))
}

/// Returns the unit vector from one position to another, or `None` if they are the same.
pub(super) fn direction(from: (f32, f32), to: (f32, f32)) -> Option<(f32, f32)> {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y);
    (length > 0.0).then(|| (x / length, y / length))
}

/// Returns `base` moved by `distance` along a unit vector.
pub(super) fn moved(base: (f32, f32), along: (f32, f32), distance: f32) -> (f32, f32) {
    (base.0 + along.0 * distance, base.1 + along.1 * distance)
}
