//! Draws the cursor style: the pointer's current and previous position, each with its coordinates.

use std::cmp::Reverse;

use franz_action::Point;

use super::area::MarkArea;
use super::label::Label;
use super::measure::{growth, place};
use super::neighbourhood;
use super::palette::{COORDINATES, FADED_COORDINATES, RED};
use super::pencil::Pencil;
use crate::color::Color;
use crate::draw::Line;
use crate::frame::Frame;
use crate::text::Lettering;

/// The arrow, pointing to the upper left with its tip at (0, 0), in pixels at 512 x 288.
const ARROW: [(f32, f32); 7] = [
    (0.0, 0.0),
    (0.0, 13.0),
    (3.2, 10.2),
    (5.2, 14.6),
    (7.2, 13.7),
    (5.2, 9.4),
    (9.4, 9.2),
];
const ARROW_SIZE: (f32, f32) = (9.4, 14.6);
const THICKNESS: f32 = 1.3;
const HALO: f32 = 0.8;
const SHADE: f32 = 0.5;
/// The length of the lines that mark the corners of the neighbourhood.
const CORNER: f32 = 4.0;

/// The gap between the arrow and its label, in pixels at 512 x 288.
const GAP: f32 = 3.0;
/// How far above or below its arrow a label can be, in lines of its own height.
const FURTHEST: i32 = 7;

/// The opacities and text colour of a cursor and its coordinates.
#[derive(Clone, Copy)]
pub(super) struct Look {
    arrow: f32,
    plate: f32,
    text: Color,
}

impl Look {
    pub(super) const CURRENT: Look = Look {
        arrow: 1.0,
        plate: 0.85,
        text: COORDINATES,
    };

    /// The previous cursor is fainter, but its coordinates must remain legible.
    pub(super) const FADED: Look = Look {
        arrow: 0.6,
        plate: 0.7,
        text: FADED_COORDINATES,
    };
}

/// An arrow and the coordinates next to it.
pub(super) struct Cursor {
    arrow: Arrow,
    label: Label,
    area: MarkArea,
}

impl Cursor {
    /// Creates the cursor at `point`, with `text` next to it. The text avoids the edges and the `taken` areas, which
    /// are sorted by importance.
    pub(super) fn of(frame: &Frame, lettering: &mut Lettering, point: Point, text: &str, taken: &[MarkArea]) -> Cursor {
        let arrow = Arrow::of(frame, point);
        let label = Label::new(frame, lettering, text.to_owned());
        Cursor {
            area: label_area(frame, arrow.area(), (label.width, label.height), taken),
            arrow,
            label,
        }
    }

    /// Returns the area that the coordinates cover.
    pub(super) fn area(&self) -> MarkArea {
        self.area
    }

    /// Returns whether the coordinates are at the same height as their arrow.
    pub(super) fn is_beside(&self) -> bool {
        let arrow = self.arrow.area();
        let across = MarkArea {
            left: self.area.left,
            width: self.area.width,
            ..arrow
        };
        self.area.overlaps(&across)
    }

    pub(super) fn draw(&self, frame: &mut Frame, lettering: &mut Lettering, look: Look) {
        self.arrow.draw(frame, look.arrow);
        self.label.draw(frame, lettering, self.area, look.text, look.plate);
    }
}

/// An arrow on a picture, outside the neighbourhood of the position it points to.
pub(super) struct Arrow {
    /// The position that the arrow points to, and half the side of the free square around that position.
    at: (f32, f32),
    reach: f32,
    /// The size in pixels of a pixel of [`ARROW`], negative on an axis where the arrow is mirrored.
    scale: (f32, f32),
}

impl Arrow {
    /// Creates an arrow. If the arrow would leave the picture, it points to the position from the other side.
    pub(super) fn of(frame: &Frame, point: Point) -> Arrow {
        let (at, reach) = (place(frame, point), neighbourhood::reach(frame) + 1.5);
        let scale = growth(frame);
        let toward = |at: f32, size: f32, limit: u32| {
            if at + reach + (size + THICKNESS) * scale > limit as f32 {
                -scale
            } else {
                scale
            }
        };
        Arrow {
            at,
            reach,
            scale: (
                toward(at.0, ARROW_SIZE.0, frame.width()),
                toward(at.1, ARROW_SIZE.1, frame.height()),
            ),
        }
    }

    fn tip(&self) -> (f32, f32) {
        (
            self.at.0 + self.reach * self.scale.0.signum(),
            self.at.1 + self.reach * self.scale.1.signum(),
        )
    }

    /// Returns the area that the arrow covers.
    pub(super) fn area(&self) -> MarkArea {
        let (width, height) = (ARROW_SIZE.0 * self.scale.0, ARROW_SIZE.1 * self.scale.1);
        let tip = self.tip();
        MarkArea {
            left: tip.0 + width.min(0.0),
            top: tip.1 + height.min(0.0),
            width: width.abs(),
            height: height.abs(),
        }
    }

    fn draw(&self, frame: &mut Frame, opacity: f32) {
        let (tip, scale) = (self.tip(), self.scale.0.abs());
        let corners = ARROW.map(|(x, y)| (tip.0 + x * self.scale.0, tip.1 + y * self.scale.1));
        let next = corners.iter().cycle().skip(1);
        let outline = corners.iter().zip(next).map(|(from, to)| (*from, *to));
        let lines = outline.chain(self.corners(CORNER * scale));
        let lines: Vec<_> = lines
            .map(|(from, to)| move |thickness| Line::new(from, to, thickness))
            .collect();
        let pencil = Pencil {
            thickness: THICKNESS * scale,
            rim: HALO * scale,
            paint: RED.opacity(opacity),
            rim_paint: Color::BLACK.opacity(SHADE * opacity),
        };
        pencil.draw(frame, &lines);
    }

    /// Returns the lines at the square's three corners other than the tip's.
    fn corners(&self, length: f32) -> impl Iterator<Item = ((f32, f32), (f32, f32))> {
        let tip = (self.scale.0.signum(), self.scale.1.signum());
        let corner = move |(x, y): (f32, f32)| {
            let at = (self.at.0 + x * self.reach, self.at.1 + y * self.reach);
            [(at, (at.0 - x * length, at.1)), (at, (at.0, at.1 - y * length))]
        };
        let others = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        others.into_iter().filter(move |way| *way != tip).flat_map(corner)
    }
}

/// Returns the nearest position next to the arrow that is free and on the frame. If none is free, returns the one that
/// covers the least important of the `taken` areas.
fn label_area(frame: &Frame, arrow: MarkArea, (width, height): (f32, f32), taken: &[MarkArea]) -> MarkArea {
    let gap = GAP * growth(frame);
    let (right, left) = (arrow.left + arrow.width + gap, arrow.left - gap - width);
    let middle = arrow.top + (arrow.height - height) / 2.0;
    let shifts = (0..=FURTHEST).flat_map(|lines| [lines as f32, -(lines as f32)].map(|lines| lines * (height + 1.0)));
    let sides = |shift: f32| [right, left].map(|left| (left, middle + shift));
    let area = |(left, top): (f32, f32)| MarkArea {
        left: left.round(),
        top: top.round(),
        width,
        height,
    };
    // At an edge of the picture, slide the label along the edge instead of away from the arrow.
    let beside = shifts.flat_map(sides).filter_map(|corner| {
        let (area, moved) = (area(corner), area(corner).moved_within(frame));
        ((moved.left - area.left).abs() < 0.5).then_some(moved)
    });
    // On a small picture there might be no room on either side.
    let centered = arrow.left + (arrow.width - width) / 2.0;
    let stacked = [arrow.top + arrow.height + gap, arrow.top - gap - height]
        .into_iter()
        .filter_map(|top| {
            let (area, moved) = (area((centered, top)), area((centered, top)).moved_within(frame));
            ((moved.top - area.top).abs() < 0.5).then_some(moved)
        });
    let covered = |area: &MarkArea| taken.iter().position(|other| area.overlaps(other));
    let best = beside
        .chain(stacked)
        .min_by_key(|area| Reverse(covered(area).unwrap_or(usize::MAX)));
    best.unwrap_or_else(|| area((right, middle)).moved_within(frame))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::layout::Layout;
    use crate::marks::{MarkData, Marks};
    use crate::pixel_format::PixelFormat;

    const SIZES: [(u32, u32); 2] = [(512, 288), (1536, 864)];

    /// Returns corners, edges, and points close to them.
    fn points() -> impl Iterator<Item = Point> {
        const STOPS: [i64; 9] = [0, 3, 20, 60, 500, 940, 980, 997, 1000];
        STOPS
            .into_iter()
            .flat_map(|x| STOPS.into_iter().map(move |y| Point::clamped(x, y)))
    }

    fn black((width, height): (u32, u32)) -> Frame {
        Frame::black(width, height, PixelFormat::Rgb8).unwrap()
    }

    fn text(point: Point) -> String {
        format!("({},{})", point.x, point.y)
    }

    #[test]
    fn labels_lie_on_the_picture_and_beside_the_arrow() {
        let mut lettering = Lettering::new();
        for size in SIZES {
            let frame = black(size);
            for point in points() {
                let cursor = Cursor::of(&frame, &mut lettering, point, &text(point), &[]);
                assert_eq!(cursor.area.moved_within(&frame), cursor.area, "{point} at {size:?}");
                assert!(
                    !cursor.area.overlaps(&cursor.arrow.area()),
                    "{point} at {size:?}: {:?}",
                    cursor.area
                );
                assert_eq!(
                    cursor.arrow.area().moved_within(&frame),
                    cursor.arrow.area(),
                    "{point} at {size:?}"
                );
            }
        }
    }

    #[test]
    fn a_label_is_drawn_in_full_at_any_position() {
        let mut lettering = Lettering::new();
        for size in SIZES {
            for point in points() {
                let mut frame = black(size);
                let cursor = Cursor::of(&frame, &mut lettering, point, &text(point), &[]);
                cursor.label.draw(&mut frame, &mut lettering, cursor.area, RED, 1.0);
                let area = cursor.area;
                for y in 0..size.1 {
                    for x in 0..size.0 {
                        let inside = MarkArea {
                            left: x as f32,
                            top: y as f32,
                            width: 1.0,
                            height: 1.0,
                        }
                        .overlaps(&area);
                        let drawn = frame.color(x, y) != Some(Color::BLACK);
                        assert!(
                            inside || !drawn,
                            "{point} at {size:?}: ({x}, {y}) lies outside of the label"
                        );
                    }
                }
                let middle_right = (area.left + area.width - 1.0, area.top + area.height / 2.0);
                assert_ne!(
                    frame.color(middle_right.0 as u32, middle_right.1 as u32),
                    Some(Color::BLACK)
                );
            }
        }
    }

    #[test]
    fn a_close_previous_arrow_does_not_drive_coordinates_away() {
        let mut lettering = Lettering::new();
        let cursor_only = Marks {
            cursor: true,
            ..Marks::default()
        };
        for size in SIZES {
            let frame = black(size);
            for point in [(300, 300), (500, 500), (700, 600)].map(|(x, y)| Point::clamped(x, y)) {
                let near = Point::clamped(i64::from(point.x.whole()) + 40, i64::from(point.y.whole()) + 5);
                let scene = MarkData {
                    actions: &[],
                    pointer: Some(point),
                    previous: Some(near),
                    coordinates: [&text(point), &text(near)],
                    time: "",
                    elements: &[],
                };
                let layout = Layout::of(&frame, &mut lettering, cursor_only, &scene);
                assert!(layout.current.unwrap().is_beside(), "{point} at {size:?}");
            }
        }
    }

    #[test]
    fn the_previous_label_keeps_clear_of_the_current_one_and_of_the_badge() {
        let mut lettering = Lettering::new();
        for size in SIZES {
            let frame = black(size);
            let badge = MarkArea {
                left: size.0 as f32 / 2.0 - 40.0,
                top: size.1 as f32 - 30.0,
                width: 80.0,
                height: 28.0,
            };
            for point in points() {
                let current = Cursor::of(&frame, &mut lettering, point, &text(point), &[badge]);
                assert!(!current.area.overlaps(&badge), "{point} at {size:?}");
                let near = Point::clamped(i64::from(point.x.whole()) + 5, i64::from(point.y.whole()) + 5);
                let taken = [badge, current.area, current.arrow.area()];
                let previous = Cursor::of(&frame, &mut lettering, near, &text(near), &taken);
                assert!(!previous.area.overlaps(&current.area), "{point} at {size:?}");
            }
        }
    }
}
