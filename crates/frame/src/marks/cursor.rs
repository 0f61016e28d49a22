//! The cursor style: where the pointer is and was, each with its coordinates.

use franz_action::Point;

use super::Scene;
use super::label::{self, Area};
use super::measure::{RED, growth, place};
use crate::color::Color;
use crate::draw::{Line, Polygon, fill};
use crate::frame::Frame;
use crate::text::Lettering;

/// The arrow with its tip at (0, 0), in pixels at 512 x 288.
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
const RIM: f32 = 0.8;

/// Room between the arrow and its label, in pixels at 512 x 288.
const GAP: f32 = 3.0;

/// The previous cursor steps back; its coordinates must still be read.
const FADED_ARROW: f32 = 0.45;
const FADED_LABEL: f32 = 0.7;

/// Draws the faded previous cursor, then the current one, with labels that avoid `badge`, each other, and the edges.
pub(super) fn draw(frame: &mut Frame, lettering: &mut Lettering, scene: &Scene<'_>, badge: Option<Area>) {
    let mut taken: Vec<Area> = badge.into_iter().collect();
    let current = scene.pointer.map(|point| {
        let cursor = Cursor::of(frame, lettering, point, &taken);
        taken.extend([cursor.label, cursor.arrow.area()]);
        cursor
    });
    // The previous cursor is placed last, around the more important one, and drawn first, beneath it.
    let previous = scene.previous.filter(|previous| Some(*previous) != scene.pointer);
    if let Some(point) = previous {
        let cursor = Cursor::of(frame, lettering, point, &taken);
        cursor.draw(frame, lettering, (FADED_ARROW, FADED_LABEL));
    }
    if let Some(cursor) = current {
        cursor.draw(frame, lettering, (1.0, 1.0));
    }
}

/// An arrow and the coordinates beside it.
struct Cursor {
    arrow: Arrow,
    text: String,
    label: Area,
}

impl Cursor {
    fn of(frame: &Frame, lettering: &mut Lettering, point: Point, taken: &[Area]) -> Cursor {
        let arrow = Arrow::at(frame, place(frame, point));
        let text = format!("({},{})", point.x, point.y);
        let size = label::size(frame, lettering, &text);
        Cursor {
            label: label_area(frame, arrow.area(), size, taken),
            arrow,
            text,
        }
    }

    fn draw(&self, frame: &mut Frame, lettering: &mut Lettering, (arrow, label): (f32, f32)) {
        self.arrow.draw(frame, arrow);
        label::draw(
            frame,
            lettering,
            (&self.text, Color::rgb(255, 150, 150)),
            self.label,
            label,
        );
    }
}

/// The arrow on a picture, its tip at the pointed place.
struct Arrow {
    tip: (f32, f32),
    /// Pixels for one of [`ARROW`], negative where the arrow is mirrored.
    scale: (f32, f32),
}

impl Arrow {
    /// Where the arrow would leave the picture, it points to the place from the other side.
    fn at(frame: &Frame, tip: (f32, f32)) -> Arrow {
        let scale = growth(frame);
        let toward = |tip: f32, size: f32, limit: u32| {
            if tip + size * scale > limit as f32 {
                -scale
            } else {
                scale
            }
        };
        Arrow {
            tip,
            scale: (
                toward(tip.0, ARROW_SIZE.0, frame.width()),
                toward(tip.1, ARROW_SIZE.1, frame.height()),
            ),
        }
    }

    fn area(&self) -> Area {
        let (width, height) = (ARROW_SIZE.0 * self.scale.0, ARROW_SIZE.1 * self.scale.1);
        Area {
            left: self.tip.0 + width.min(0.0),
            top: self.tip.1 + height.min(0.0),
            width: width.abs(),
            height: height.abs(),
        }
    }

    fn draw(&self, frame: &mut Frame, opacity: f32) {
        let corners = ARROW.map(|(x, y)| (self.tip.0 + x * self.scale.0, self.tip.1 + y * self.scale.1));
        fill(frame, &Polygon::new(corners), RED.opacity(opacity));
        // A white rim keeps the arrow apart from whatever lies beneath.
        let next = corners.iter().cycle().skip(1);
        for (from, to) in corners.iter().zip(next) {
            let rim = Line::new(*from, *to, RIM * self.scale.0.abs());
            fill(frame, &rim, Color::WHITE.opacity(opacity));
        }
    }
}

/// The nearest place beside the arrow that is on the frame and free; where none is free, one on the frame.
fn label_area(frame: &Frame, arrow: Area, (width, height): (f32, f32), taken: &[Area]) -> Area {
    let gap = GAP * growth(frame);
    let (right, left) = (arrow.left + arrow.width + gap, arrow.left - gap - width);
    let middle = arrow.top + (arrow.height - height) / 2.0;
    let shifts = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0].map(|lines| lines * (height + 1.0));
    let sides = |shift: f32| [right, left].map(|left| (left, middle + shift));
    let areas = shifts.into_iter().flat_map(sides).map(|(left, top)| Area {
        left: left.round(),
        top: top.round(),
        width,
        height,
    });
    let within = |area: Area| {
        // Beside an edge the label slides along it, not away from the arrow.
        let moved = area.moved_within(frame);
        ((moved.left - area.left).abs() < 0.5).then_some(moved)
    };
    let areas: Vec<Area> = areas.filter_map(within).collect();
    let free = |area: &&Area| !taken.iter().any(|other| area.overlaps(other));
    let first = areas.iter().find(free).or(areas.first()).copied();
    first.unwrap_or_else(|| {
        let beside = Area {
            left: right,
            top: middle,
            width,
            height,
        };
        beside.moved_within(frame)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::PixelFormat;

    const SIZES: [(u32, u32); 2] = [(512, 288), (1536, 864)];

    /// Corners, edges, and points close to them.
    fn points() -> impl Iterator<Item = Point> {
        const STOPS: [i64; 9] = [0, 3, 20, 60, 500, 940, 980, 997, 1000];
        STOPS
            .into_iter()
            .flat_map(|x| STOPS.into_iter().map(move |y| Point::clamped(x, y)))
    }

    fn black((width, height): (u32, u32)) -> Frame {
        Frame::black(width, height, PixelFormat::Rgb8).unwrap()
    }

    #[test]
    fn labels_lie_on_the_picture_and_beside_the_arrow() {
        let mut lettering = Lettering::new();
        for size in SIZES {
            let frame = black(size);
            for point in points() {
                let cursor = Cursor::of(&frame, &mut lettering, point, &[]);
                assert_eq!(cursor.label.moved_within(&frame), cursor.label, "{point} at {size:?}");
                assert!(
                    !cursor.label.overlaps(&cursor.arrow.area()),
                    "{point} at {size:?}: {:?}",
                    cursor.label
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
    fn a_label_is_drawn_whole_wherever_it_lies() {
        let mut lettering = Lettering::new();
        for size in SIZES {
            for point in points() {
                let mut frame = black(size);
                let cursor = Cursor::of(&frame, &mut lettering, point, &[]);
                label::draw(&mut frame, &mut lettering, (&cursor.text, RED), cursor.label, 1.0);
                let area = cursor.label;
                for y in 0..size.1 {
                    for x in 0..size.0 {
                        let inside = Area {
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
    fn the_previous_label_keeps_clear_of_the_current_one_and_of_the_badge() {
        let mut lettering = Lettering::new();
        for size in SIZES {
            let frame = black(size);
            let badge = Area {
                left: size.0 as f32 / 2.0 - 40.0,
                top: size.1 as f32 - 30.0,
                width: 80.0,
                height: 28.0,
            };
            for point in points() {
                let current = Cursor::of(&frame, &mut lettering, point, &[badge]);
                assert!(!current.label.overlaps(&badge), "{point} at {size:?}");
                let near = Point::clamped(i64::from(point.x.get()) + 5, i64::from(point.y.get()) + 5);
                let taken = [badge, current.label, current.arrow.area()];
                let previous = Cursor::of(&frame, &mut lettering, near, &taken);
                assert!(!previous.label.overlaps(&current.label), "{point} at {size:?}");
            }
        }
    }
}
