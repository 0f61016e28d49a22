//! The cat: the demo model's drawing, part by part, in drawing order.
//!
//! Coordinates are normalised for a 16:9 canvas, so a circle there is a tall ellipse here. No line is shorter than 8
//! pixels at 512x288, because shorter lines could not be distinguished from the ends of their neighbours. The bottom
//! centre stays empty, because the agent's time badge covers it.

use franz_action::Point;

use crate::stroke::Stroke;

/// One named part of the drawing, the unit of the model's progress list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The part's name, such as `left ear`.
    pub name: &'static str,
    /// The strokes in drawing order; consecutive lines share an end.
    pub strokes: Vec<Stroke>,
}

/// Returns all parts, in drawing order.
pub fn parts() -> Vec<Part> {
    let mut parts: Vec<Part> = OUTLINES.iter().map(Outline::part).collect();
    parts.push(Part {
        name: "meow",
        strokes: vec![Stroke::Word(point((450, 872)), "meow")],
    });
    parts
}

/// The distance between the dots of a line, in pixels of a 1920x1080 canvas. A dot is 24 pixels wide, and when the eye
/// examines a position, it includes a few pixels around it.
const DOTS_APART: f64 = 28.0;

/// Returns all parts for a model that can click but not drag: each line becomes a row of dots.
pub(crate) fn dotted() -> Vec<Part> {
    let dots = |stroke: Stroke| match stroke {
        Stroke::Line(from, to) => row(from, to),
        other => vec![other],
    };
    let mut parts = parts();
    for part in &mut parts {
        let strokes = std::mem::take(&mut part.strokes);
        part.strokes = strokes.into_iter().flat_map(dots).collect();
        part.strokes.dedup();
    }
    parts
}

fn row(from: Point, to: Point) -> Vec<Stroke> {
    let (across, along) = (to.x.get() - from.x.get(), to.y.get() - from.y.get());
    let steps = ((across * 1.92).hypot(along * 1.08) / DOTS_APART).ceil().max(1.0) as u32;
    let dot = |step: u32| {
        let part = f64::from(step) / f64::from(steps);
        Stroke::Dot(Point::nearest(
            from.x.get() + across * part,
            from.y.get() + along * part,
        ))
    };
    (0..=steps).map(dot).collect()
}

type Pair = (i64, i64);

struct Outline {
    name: &'static str,
    /// Chains of points joined by lines.
    chains: &'static [&'static [Pair]],
    dots: &'static [Pair],
}

impl Outline {
    fn part(&self) -> Part {
        let lines = self.chains.iter().flat_map(|chain| chain.windows(2));
        let lines = lines.map(|ends| Stroke::Line(point(ends[0]), point(ends[1])));
        let dots = self.dots.iter().map(|&at| Stroke::Dot(point(at)));
        Part {
            name: self.name,
            strokes: lines.chain(dots).collect(),
        }
    }
}

fn point((x, y): Pair) -> Point {
    Point::clamped(x, y)
}

// Keep each chain on one source line to show its shape, which would be lost with one number per line.
#[rustfmt::skip]
const OUTLINES: &[Outline] = &[
    Outline {
        name: "head",
        chains: &[
            &[(442, 158), (467, 149), (493, 149), (518, 158)],
            &[(378, 242), (369, 296), (374, 353), (391, 401), (417, 436), (447, 457), (480, 463), (513, 457), (543, 436), (569, 401), (586, 353), (591, 296), (582, 242)],
        ],
        dots: &[],
    },
    Outline {
        name: "left ear",
        chains: &[
            &[(378, 242), (377, 78), (442, 158)],
            &[(399, 199), (390, 132), (422, 163)],
        ],
        dots: &[],
    },
    Outline {
        name: "right ear",
        chains: &[
            &[(582, 242), (583, 78), (518, 158)],
            &[(561, 199), (570, 132), (538, 163)],
        ],
        dots: &[],
    },
    Outline {
        name: "left eye",
        chains: &[
            &[(402, 284), (419, 256), (444, 256), (461, 280), (465, 313), (442, 334), (417, 324), (402, 284)],
        ],
        dots: &[(434, 295)],
    },
    Outline {
        name: "right eye",
        chains: &[
            &[(558, 284), (541, 256), (516, 256), (499, 280), (495, 313), (518, 334), (543, 324), (558, 284)],
        ],
        dots: &[(526, 295)],
    },
    Outline {
        name: "nose and mouth",
        chains: &[
            &[(465, 347), (495, 347), (480, 373), (465, 347)],
            &[(480, 373), (471, 403), (452, 407), (439, 382)],
            &[(480, 373), (489, 403), (508, 407), (521, 382)],
        ],
        dots: &[],
    },
    Outline {
        name: "whiskers",
        chains: &[
            &[(413, 363), (317, 335)],
            &[(412, 384), (312, 386)],
            &[(416, 404), (320, 436)],
            &[(547, 363), (643, 335)],
            &[(548, 384), (648, 386)],
            &[(544, 404), (640, 436)],
        ],
        dots: &[],
    },
    Outline {
        name: "body",
        chains: &[
            &[(419, 443), (401, 514), (386, 587), (372, 661), (364, 737), (383, 804), (425, 816)],
            &[(541, 443), (559, 514), (574, 587), (588, 661), (596, 737), (577, 804), (535, 816)],
        ],
        dots: &[],
    },
    Outline {
        name: "front legs",
        chains: &[
            &[(438, 565), (445, 747)],
            &[(445, 747), (424, 781), (438, 820), (467, 821), (480, 778)],
            &[(451, 786), (451, 821)],
            &[(522, 565), (515, 747)],
            &[(515, 747), (536, 781), (522, 820), (493, 821), (480, 778)],
            &[(509, 786), (509, 821)],
        ],
        dots: &[],
    },
    Outline {
        name: "haunches",
        chains: &[
            &[(425, 664), (400, 679), (388, 721), (394, 767)],
            &[(535, 664), (560, 679), (572, 721), (566, 767)],
        ],
        dots: &[],
    },
    Outline {
        name: "tail",
        chains: &[
            &[(588, 778), (629, 791), (668, 770), (696, 717), (703, 646), (685, 579), (648, 552), (614, 587), (620, 654)],
            &[(595, 721), (629, 725), (658, 697), (668, 642), (643, 612), (620, 654)],
        ],
        dots: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_unique_name_and_strokes() {
        let parts = parts();
        for (index, part) in parts.iter().enumerate() {
            assert!(!part.strokes.is_empty(), "{}", part.name);
            assert!(
                parts[..index].iter().all(|other| other.name != part.name),
                "{}",
                part.name
            );
        }
    }

    #[test]
    fn no_stroke_is_drawn_twice() {
        let strokes: Vec<Stroke> = parts().into_iter().flat_map(|part| part.strokes).collect();
        for (index, stroke) in strokes.iter().enumerate() {
            assert!(!strokes[..index].contains(stroke), "{stroke:?}");
        }
    }

    #[test]
    fn lines_are_long_enough_to_be_seen_at_512x288() {
        for stroke in parts().into_iter().flat_map(|part| part.strokes) {
            if let Stroke::Line(from, to) = stroke {
                let dx = from.x.to_subpixel(512) - to.x.to_subpixel(512);
                let dy = from.y.to_subpixel(288) - to.y.to_subpixel(288);
                assert!(dx.hypot(dy) >= 8.0, "{stroke:?}");
            }
        }
    }
}
