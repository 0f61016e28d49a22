//! Finds the things on a page: connected pixels that differ from the paper.

use franz_dialect::calibration::{Colour, Figure};

use crate::picture::Pixels;

/// A pixel belongs to something on the page if its colour differs from the paper's by more than this.
const APART: u8 = 10;
/// The smallest number of pixels in a thing.
const LEAST: usize = 30;
/// The largest number of things on a page; a page with more is not a calibration.
const MOST: usize = 2_000;
/// The minimum width of a button relative to its height.
const WIDE: f64 = 1.8;

const COLOURS: [(Colour, [u8; 3]); 6] = [
    (Colour::Red, [215, 40, 40]),
    (Colour::Blue, [40, 80, 215]),
    (Colour::Green, [30, 150, 60]),
    (Colour::Orange, [240, 140, 20]),
    (Colour::Purple, [140, 50, 180]),
    (Colour::Black, [20, 20, 20]),
];

/// One thing on a page: connected pixels.
#[derive(Clone, Debug)]
pub(super) struct Thing {
    pub(super) left: u32,
    pub(super) top: u32,
    /// The last column and row.
    pub(super) right: u32,
    pub(super) bottom: u32,
    pixels: Vec<(u32, u32)>,
}

/// Finds the things on a page.
pub(super) fn things(picture: &Pixels) -> Vec<Thing> {
    let paper = paper(picture);
    let is_thing = |x: u32, y: u32| {
        let here = picture.at(i64::from(x), i64::from(y));
        here.iter().zip(paper).any(|(one, other)| one.abs_diff(other) > APART)
    };
    let mut free: Vec<bool> = (0..picture.height)
        .flat_map(|y| (0..picture.width).map(move |x| (x, y)))
        .map(|(x, y)| is_thing(x, y))
        .collect();
    let mut things = Vec::new();
    for index in 0..free.len() {
        if free[index] && things.len() < MOST {
            let thing = Thing::grown(&mut free, index, picture.width as usize);
            things.extend(Some(thing).filter(|thing| thing.pixels.len() >= LEAST));
        }
    }
    things
}

/// Returns the most frequent colour of a picture, based on a few hundred samples.
fn paper(picture: &Pixels) -> [u8; 3] {
    let (across, down) = (picture.width.div_ceil(40).max(1), picture.height.div_ceil(40).max(1));
    let rows = (0..picture.height).step_by(down as usize);
    let places = rows.flat_map(|y| (0..picture.width).step_by(across as usize).map(move |x| (x, y)));
    let colours = places.map(|(x, y)| picture.at(i64::from(x), i64::from(y)));
    most_frequent(colours).unwrap_or_default()
}

fn most_frequent(colours: impl Iterator<Item = [u8; 3]>) -> Option<[u8; 3]> {
    let mut colours: Vec<[u8; 3]> = colours.collect();
    colours.sort_unstable();
    let runs = colours.chunk_by(|one, other| one == other);
    runs.max_by_key(|run| run.len()).and_then(|run| run.first().copied())
}

impl Thing {
    /// Removes all free pixels connected to this one and returns them as a thing.
    fn grown(free: &mut [bool], index: usize, width: usize) -> Thing {
        let place = |index: usize| ((index % width) as u32, (index / width) as u32);
        let (x, y) = place(index);
        let mut thing = Thing {
            left: x,
            top: y,
            right: x,
            bottom: y,
            pixels: Vec::new(),
        };
        let mut next = vec![index];
        free[index] = false;
        while let Some(index) = next.pop() {
            let (x, y) = place(index);
            thing.left = thing.left.min(x);
            thing.right = thing.right.max(x);
            thing.bottom = thing.bottom.max(y);
            thing.top = thing.top.min(y);
            thing.pixels.push((x, y));
            let beside = [
                index.checked_sub(1).filter(|_| x > 0),
                Some(index + 1).filter(|_| (x as usize) + 1 < width),
                index.checked_sub(width),
                Some(index + width),
            ];
            for other in beside.into_iter().flatten() {
                if free.get(other) == Some(&true) {
                    free[other] = false;
                    next.push(other);
                }
            }
        }
        thing
    }

    /// Returns the centre's position in pixels.
    pub(super) fn middle(&self) -> (f64, f64) {
        let middle = |first: u32, last: u32| f64::midpoint(f64::from(first), f64::from(last));
        (middle(self.left, self.right), middle(self.top, self.bottom))
    }

    pub(super) fn width(&self) -> u32 {
        self.right - self.left + 1
    }

    pub(super) fn height(&self) -> u32 {
        self.bottom - self.top + 1
    }

    pub(super) fn is_button(&self) -> bool {
        f64::from(self.width()) >= WIDE * f64::from(self.height())
    }

    /// Returns the number of its pixels.
    pub(super) fn size(&self) -> usize {
        self.pixels.len()
    }

    /// Returns a button without its edge.
    pub(super) fn inside(&self) -> Thing {
        let edge = (self.height() / 10).max(2);
        Thing {
            left: self.left + edge,
            top: self.top + edge,
            right: self.right.saturating_sub(edge),
            bottom: self.bottom.saturating_sub(edge),
            pixels: Vec::new(),
        }
    }

    /// Returns the figure and its colour if the thing is a figure.
    pub(super) fn figure(&self, picture: &Pixels) -> Option<(Figure, Colour)> {
        if self.is_button() {
            return None;
        }
        let colours = self
            .pixels
            .iter()
            .map(|(x, y)| picture.at(i64::from(*x), i64::from(*y)));
        let colour = most_frequent(colours)?;
        let off = |other: &[u8; 3]| -> u32 {
            let channels = other.iter().zip(colour);
            channels.map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
        };
        let (named, _) = COLOURS.iter().min_by_key(|(_, other)| off(other))?;
        Some((self.shape(), *named))
    }

    fn shape(&self) -> Figure {
        let filled = self.pixels.len() as f64 / f64::from(self.width() * self.height());
        let above = self
            .pixels
            .iter()
            .filter(|(_, y)| y - self.top < self.height() / 2)
            .count();
        let share = above as f64 / self.pixels.len() as f64;
        match filled {
            _ if share < 0.38 => Figure::Triangle,
            filled if filled > 0.9 => Figure::Square,
            filled if filled > 0.65 => Figure::Circle,
            _ => Figure::Diamond,
        }
    }
}
