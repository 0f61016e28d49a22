//! The colours of marks.
//!
//! The built-in model treats a pixel as part of a mark if its channels differ by 60 or more (`COLOURFUL` in
//! `demo/src/eye.rs`). It treats any paler text as part of the drawing.

use crate::color::Color;

/// The colour of figures, arrows and the cursor.
pub(super) const RED: Color = Color::rgb(240, 20, 30);
/// The colour of numbers, which are small and on a dark plate.
pub(super) const DIGITS: Color = Color::rgb(255, 100, 100);

/// The colours of a click's crosshair: its arms and its ring.
pub(super) const CLICK: [Color; 2] = [Color::rgb(255, 0, 0), Color::rgb(0, 255, 0)];
/// The colours of a right click's crosshair: its arms and its ring.
pub(super) const RIGHT_CLICK: [Color; 2] = [Color::rgb(0, 0, 255), Color::rgb(255, 255, 0)];
/// The colour of the arrow for a drag in the crosshair style.
pub(super) const DRAG: Color = Color::rgb(0, 0, 255);
/// The colours of the rings at that drag's start and end.
pub(super) const DRAG_ENDS: [Color; 2] = [Color::rgb(255, 255, 0), Color::rgb(0, 255, 0)];

/// The colour of the plate behind text.
pub(super) const PLATE: Color = Color::rgb(20, 20, 24);
/// The colour of the coordinates next to the cursor.
pub(super) const COORDINATES: Color = Color::rgb(255, 160, 160);
/// The colour of the coordinates next to the previous cursor.
pub(super) const FADED_COORDINATES: Color = Color::rgb(205, 150, 150);
/// The colour of the time.
pub(super) const TIME: Color = Color::rgb(255, 210, 210);

/// The colour of element numbers.
pub(super) const ELEMENT: Color = Color::rgb(255, 230, 120);

/// Returns the colour of a mark's rim: white around blue, black around any other colour.
pub(super) fn opposite(color: Color) -> Color {
    if color == DRAG { Color::WHITE } else { Color::BLACK }
}
