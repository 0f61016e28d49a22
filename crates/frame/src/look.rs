//! Compares pictures of a screen to find changes that hold an action back, positions where an action had an effect, and
//! parts that never stop moving.
//!
//! All rules and thresholds are in this module. They were derived from pairs of pictures of real screens 896 pixels
//! high. Lengths are given for that height and scale with the picture; a block is a 56th of the height.
//!
//! In reading order: [`Grid`] divides a picture into blocks, [`Difference`] compares two pictures, and [`Motion`]
//! tracks the parts that never stop moving. `shift` finds rows that have moved, and rows that now show something else.
//! `highlight` recognises what changes only because the pointer is over it.

mod difference;
mod grid;
mod highlight;
mod motion;
mod shift;

use std::time::Duration;

use crate::area::Area;

pub use difference::{Difference, Thing};
pub use grid::{Blocks, Grid};
pub use motion::Motion;
pub use shift::{has_shifted, was_replaced};

/// A pixel has changed if its red, green or blue component differs by more than this.
const CHANNEL: u8 = 32;
/// A block has changed if at least this many of its pixels have.
const PIXELS_IN_BLOCK: u32 = 4;
/// The number of blocks from the top of a picture to the bottom.
const ROWS: u32 = 56;

/// The side of the square around the point of a pointer action that is examined, and its minimum in small pictures.
const UNDER: (f64, u32) = (28.0, 20);
/// Two changed pixels with at most this many unchanged pixels between them belong to one group.
const GAP: (f64, u32) = (2.0, 1);
/// The minimum width of a group that matters; carets are thinner.
const WIDE: (f64, u32) = (5.0, 3);
/// The minimum number of pixels in a group that matters.
const MANY: (f64, u32) = (8.0, 5);

/// Two changed blocks with at most this many unchanged blocks between them belong to one thing.
const BLOCK_GAP: usize = 2;
/// The minimum share of all blocks for a thing next to a pointer action to matter.
const BESIDE: f64 = 0.008;
/// The largest vertical distance from a pointer action at which a thing next to it still matters.
const LEVEL: (f64, u32) = (16.0, 8);
/// How far above and below a point its row extends when rows are compared.
const BAND: (f64, u32) = (8.0, 4);
/// A row has moved to another position if it matches there this many times better than at its old position.
const STILL_THERE: usize = 4;
/// Changes in a row that are farther apart than this might have moved independently.
const APART: (f64, u32) = (20.0, 8);
/// The minimum share for a thing to hold back a key action. Menus and dialogs reach it, but tooltips do not.
const NEW: f64 = 0.01;
/// The minimum side of such a menu or dialog; a title bar is not as high.
const NEW_SIDE: (f64, u32) = (48.0, 24);

/// A thing consists of thin lines if at most this share of the pixels in its blocks has changed.
const OUTLINE: f64 = 0.12;

/// The side of the square in which an action is expected to change something, as a share of the picture's height, and
/// the minimum side.
const NEIGHBOURHOOD: (f64, f64) = (0.06, 48.0);

/// How far around a thing that has changed the same thing may change later: a counter can get more digits.
const AROUND: (f64, u32) = (16.0, 8);

/// How long a block must have been moving to become restless.
const RESTLESS_AFTER: Duration = Duration::from_millis(1200);
/// Pauses shorter than this do not interrupt a movement.
const RESTLESS_PAUSE: Duration = Duration::from_millis(250);
/// The number of blocks around a restless block that are also restless.
const RESTLESS_REACH: usize = 2;
/// The number of blocks around the restless ones in which changes are also ignored.
const RESTLESS_RIM: usize = 1;

/// The picture height for which the lengths above are given.
const HEIGHT: f64 = 896.0;
/// The minimum height of the pictures on which the rules were tested.
const LEAST_HEIGHT: u32 = 511;

/// Returns the size at which to compare a screen of this size, if it differs from the size of the model's picture. A
/// picture that is lower than those on which the rules were tested shows too little detail.
pub fn size((width, height): (u32, u32), picture: (u32, u32)) -> Option<(u32, u32)> {
    let wanted = height.min(HEIGHT as u32);
    let wide = (u64::from(width) * u64::from(wanted)).div_ceil(u64::from(height.max(1)));
    (picture.1 < LEAST_HEIGHT && picture.1 < wanted).then_some((wide as u32, wanted))
}

/// Converts a length to pixels of a picture of this height.
fn length((at_896, least): (f64, u32), height: u32) -> i64 {
    let grown = (at_896 * f64::from(height) / HEIGHT).round() as i64;
    grown.max(i64::from(least))
}

/// Returns the square around a pixel in which an action there is expected to change something.
pub fn neighbourhood((x, y): (i32, i32), height: u32) -> Area {
    let (share, least) = NEIGHBOURHOOD;
    let least = length((least, 20), height);
    square((x, y), least.max((f64::from(height) * share).round() as i64))
}

/// Returns pixels along a stroke whose neighbourhoods together cover the stroke.
pub fn way(from: (i32, i32), to: (i32, i32), height: u32) -> impl Iterator<Item = (i32, i32)> {
    let step = neighbourhood(from, height).width / 2;
    let longest = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
    let steps = longest.div_ceil(step.max(1)).max(1);
    (0..=steps).map(move |index| {
        let at = |from: i32, to: i32| from + (i64::from(to - from) * i64::from(index) / i64::from(steps)) as i32;
        (at(from.0, to.0), at(from.1, to.1))
    })
}

fn square((x, y): (i32, i32), side: i64) -> Area {
    Area {
        x: x - (side / 2) as i32,
        y: y - (side / 2) as i32,
        width: side as u32,
        height: side as u32,
    }
}

impl Difference {
    /// Returns whether a pointer action at this pixel might miss the thing that the model saw there, because something
    /// changed under the pixel or next to it. `within` is the window under the point, if known.
    pub fn holds_pointer(&self, at: (i32, i32), within: Option<Area>) -> bool {
        self.changed_under(at) || self.changed_beside(at, within)
    }

    /// Returns whether the picture changed under this pixel, ignoring carets.
    pub fn changed_under(&self, at: (i32, i32)) -> bool {
        let height = self.grid().height();
        let wide = length(WIDE, height);
        let many = length(MANY, height) as usize;
        let around = square(at, length(UNDER, height));
        self.has_group(around, length(GAP, height), |width, count| {
            width >= wide && count >= many
        })
    }

    /// Returns whether something large changed at this pixel's height. If so, rows that look alike might have moved.
    fn changed_beside(&self, (_, y): (i32, i32), within: Option<Area>) -> bool {
        let reach = length(LEVEL, self.grid().height());
        let level = i64::from(y) - reach..=i64::from(y) + reach;
        self.things().iter().filter(|thing| thing.share >= BESIDE).any(|thing| {
            thing.blocks.iter().any(|&block| {
                let area = self.grid().area(block);
                let (top, bottom) = (i64::from(area.y), i64::from(area.y) + i64::from(area.height) - 1);
                let (x, y) = (area.x + area.width as i32 / 2, area.y + area.height as i32 / 2);
                top <= *level.end() && bottom >= *level.start() && within.is_none_or(|window| window.contains(x, y))
            })
        })
    }

    /// Returns whether something has appeared that might take the keyboard: a menu, a dialog or a dropdown list.
    pub fn holds_keys(&self) -> bool {
        self.things().iter().any(|thing| self.is_large(thing))
    }

    /// Returns whether something as large as a menu or a dialog changed within an area. Anything that moves all the
    /// time, such as a clock, is smaller.
    pub fn changed_much_in(&self, area: Area) -> bool {
        let mut things = self.visible();
        things.any(|thing| self.is_large(thing) && thing.pixels.intersection(&area).is_some())
    }

    fn is_large(&self, thing: &Thing) -> bool {
        let least = thing.pixels.width.min(thing.pixels.height);
        thing.share >= NEW && i64::from(least) >= length(NEW_SIDE, self.grid().height())
    }

    /// Returns the largest changed thing that is not a caret.
    pub fn largest(&self) -> Option<Area> {
        let things = self.visible().max_by_key(|thing| thing.blocks.len());
        things.map(|thing| thing.pixels)
    }

    /// Returns whether something other than a caret changed in the neighbourhood of an action at this pixel.
    pub fn changed_near(&self, at: (i32, i32)) -> bool {
        let area = neighbourhood(at, self.grid().height());
        self.has_changed_within(area) && self.visible().any(|thing| thing.pixels.intersection(&area).is_some())
    }

    /// Returns whether something other than a caret changed within an area.
    pub fn changed_in(&self, area: Area) -> bool {
        self.visible().any(|thing| thing.pixels.intersection(&area).is_some())
    }

    fn visible(&self) -> impl Iterator<Item = &Thing> {
        let wide = length(WIDE, self.grid().height());
        self.things()
            .iter()
            .filter(move |thing| i64::from(thing.pixels.width) >= wide)
    }

    /// Ignores small things that had already changed at an earlier time, such as a counter. `before` compares pictures of
    /// the same size.
    pub fn without_changes_of(&mut self, before: &Difference) {
        let reach = length(AROUND, self.grid().height()) as u32;
        let is_alike = before.grid() == self.grid();
        for thing in before.visible().filter(|thing| is_alike && !before.is_large(thing)) {
            self.forgive(Area {
                x: thing.bounds.x.saturating_sub_unsigned(reach),
                y: thing.bounds.y.saturating_sub_unsigned(reach),
                width: thing.bounds.width + 2 * reach,
                height: thing.bounds.height + 2 * reach,
            });
        }
    }

    /// Ignores blocks that change all the time.
    pub fn without(&mut self, restless: &Blocks) {
        let (watched, compared) = (restless.grid(), self.grid());
        for block in restless.grown(RESTLESS_RIM).iter() {
            self.forgive(watched.area_in(compared, block));
        }
    }

    /// Ignores the outlines around these pixels, such as those of clicked buttons.
    pub fn without_outlines_around(&mut self, places: &[(i32, i32)]) {
        let is_around = |thing: &Thing| places.iter().any(|(x, y)| thing.bounds.contains(*x, *y));
        self.forgive_things(|thing| thing.density <= OUTLINE && is_around(thing));
    }

    /// Ignores the thing that extends into this pixel's neighbourhood, such as a text field that was typed into.
    pub fn without_thing_at(&mut self, at: (i32, i32)) {
        let near = neighbourhood(at, self.grid().height());
        self.forgive_things(|thing| thing.bounds.intersection(&near).is_some());
    }
}

#[cfg(test)]
mod tests;
