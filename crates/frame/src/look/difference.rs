//! Finds the differences between two pictures of one screen: single pixels, blocks, and things made up of blocks.

use std::cell::OnceCell;
use std::ops::Range;

use super::{BLOCK_GAP, Blocks, CHANNEL, Grid, PIXELS_IN_BLOCK};
use crate::area::Area;
use crate::frame::Frame;

/// The changed pixels of a picture.
#[derive(Clone, Debug)]
pub struct Difference {
    grid: Grid,
    /// One value per pixel, row by row.
    changed: Vec<bool>,
    /// What `things` has found. Finding them takes a pass over the whole picture.
    things: OnceCell<Vec<Thing>>,
}

/// Changed blocks that belong together.
#[derive(Clone, Debug)]
pub struct Thing {
    /// The thing's blocks, by column and row.
    pub blocks: Vec<(usize, usize)>,
    /// The smallest area that contains the blocks.
    pub bounds: Area,
    /// The smallest area that contains the changed pixels.
    pub pixels: Area,
    /// The number of blocks as a share of all blocks.
    pub share: f64,
    /// The number of changed pixels as a share of all pixels in the blocks.
    pub density: f64,
}

impl Difference {
    /// Compares the picture that the model saw with the current one. If their sizes or formats differ, every pixel
    /// counts as changed.
    pub fn between(seen: &Frame, now: &Frame) -> Difference {
        let grid = Grid::of(now.width(), now.height());
        let alike = alike(seen, now);
        let mut changed = vec![!alike; now.width() as usize * now.height() as usize];
        if alike {
            compare(seen, now, |x, y| changed[y * now.width() as usize + x] = true);
        }
        Difference {
            grid,
            changed,
            things: OnceCell::new(),
        }
    }

    /// Returns the grid that divides the pictures into blocks.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Treats all pixels in an area as unchanged.
    pub fn forgive(&mut self, area: Area) {
        self.things.take();
        let (columns, rows) = self.inside(area);
        let width = self.grid.width() as usize;
        for row in rows {
            self.changed[row * width..][columns.clone()].fill(false);
        }
    }

    /// Treats all blocks of some things as unchanged.
    pub(super) fn forgive_things(&mut self, is_one: impl Fn(&Thing) -> bool) {
        let things = self.things().iter().filter(|thing| is_one(thing));
        let blocks: Vec<_> = things.flat_map(|thing| thing.blocks.iter().copied()).collect();
        for block in blocks {
            self.forgive(self.grid.area(block));
        }
    }

    /// Returns whether any pixel in an area has changed.
    pub(super) fn has_changed_within(&self, area: Area) -> bool {
        let (columns, rows) = self.inside(area);
        let width = self.grid.width() as usize;
        rows.into_iter()
            .any(|row| self.changed[row * width..][columns.clone()].contains(&true))
    }

    /// Returns the things that have changed.
    pub fn things(&self) -> &[Thing] {
        self.things.get_or_init(|| self.find_things())
    }

    fn find_things(&self) -> Vec<Thing> {
        let counts = self.counts();
        let mut left = counts.changed();
        let all = (self.grid.columns() * self.grid.rows()) as f64;
        let mut things = Vec::new();
        for first in left.clone().iter() {
            if !left.contains(first) {
                continue;
            }
            left.set(first, false);
            let mut blocks = vec![first];
            let mut next = 0;
            while let Some(&block) = blocks.get(next) {
                next += 1;
                for near in left.around(block, BLOCK_GAP + 1) {
                    if left.contains(near) {
                        left.set(near, false);
                        blocks.push(near);
                    }
                }
            }
            let areas = blocks.iter().map(|&block| self.grid.area(block));
            let Some(bounds) = areas.reduce(|all, area| all.union(&area)) else {
                continue;
            };
            things.push(Thing {
                pixels: self.extent(bounds).unwrap_or(bounds),
                share: blocks.len() as f64 / all,
                density: self.density(&counts, &blocks),
                bounds,
                blocks,
            });
        }
        things
    }

    /// Iterates over the changed pixels in an area, row by row, each by its column in the area.
    pub(super) fn columns(&self, area: Area) -> impl Iterator<Item = usize> {
        let (columns, rows) = self.inside(area);
        let width = self.grid.width() as usize;
        rows.flat_map(move |row| {
            let row = &self.changed[row * width..][columns.clone()];
            row.iter().enumerate().filter(|(_, changed)| **changed).map(|(x, _)| x)
        })
    }

    /// Returns whether a group of changed pixels that reaches into an area is large enough, judged by its width and its
    /// number of pixels.
    pub(super) fn has_group(&self, area: Area, gap: i64, is_enough: impl Fn(i64, usize) -> bool) -> bool {
        let width = self.grid.width() as usize;
        let (columns, rows) = self.inside(area);
        let mut left = self.changed.clone();
        for (y, x) in rows.flat_map(|row| columns.clone().map(move |column| (row, column))) {
            if !std::mem::take(&mut left[y * width + x]) {
                continue;
            }
            let mut group = vec![(x, y)];
            let (mut first, mut last, mut next) = (x, x, 0);
            while let Some(&(x, y)) = group.get(next) {
                next += 1;
                (first, last) = (first.min(x), last.max(x));
                if is_enough((last - first + 1) as i64, next) {
                    return true;
                }
                let side = 2 * (gap + 1) as u32 + 1;
                let (columns, rows) = self.inside(Area {
                    x: x as i32 - (gap + 1) as i32,
                    y: y as i32 - (gap + 1) as i32,
                    width: side,
                    height: side,
                });
                for (y, x) in rows.flat_map(|row| columns.clone().map(move |column| (row, column))) {
                    if std::mem::take(&mut left[y * width + x]) {
                        group.push((x, y));
                    }
                }
            }
        }
        false
    }

    fn density(&self, counts: &BlockCounts, blocks: &[(usize, usize)]) -> f64 {
        let changed: u32 = blocks.iter().map(|block| counts.of_block(*block)).sum();
        let areas = blocks.iter().map(|block| self.grid.area(*block));
        let pixels: u32 = areas.map(|area| area.width * area.height).sum();
        f64::from(changed) / f64::from(pixels.max(1))
    }

    fn counts(&self) -> BlockCounts {
        let mut counts = BlockCounts::of(self.grid);
        let width = self.grid.width() as usize;
        for (y, row) in self.changed.chunks_exact(width.max(1)).enumerate() {
            if row.contains(&true) {
                let changed = row.iter().enumerate().filter(|(_, changed)| **changed);
                changed.for_each(|(x, _)| counts.add(x, y));
            }
        }
        counts
    }

    /// Returns the smallest area that contains all changed pixels in an area.
    fn extent(&self, area: Area) -> Option<Area> {
        let width = self.grid.width() as usize;
        let (columns, rows) = self.inside(area);
        let mut extent: Option<Area> = None;
        for y in rows {
            let row = &self.changed[y * width..][columns.clone()];
            let (Some(first), Some(last)) = (row.iter().position(|set| *set), row.iter().rposition(|set| *set)) else {
                continue;
            };
            let part = Area {
                x: (columns.start + first) as i32,
                y: y as i32,
                width: (last - first + 1) as u32,
                height: 1,
            };
            extent = Some(extent.map_or(part, |before| before.union(&part)));
        }
        extent
    }

    /// Returns the columns and rows of an area that lie in the picture.
    fn inside(&self, area: Area) -> (Range<usize>, Range<usize>) {
        let whole = Area::whole(self.grid.width(), self.grid.height());
        match area.intersection(&whole) {
            None => (0..0, 0..0),
            Some(inside) => {
                let (x, y) = (inside.x as usize, inside.y as usize);
                (x..x + inside.width as usize, y..y + inside.height as usize)
            }
        }
    }
}

/// The number of changed pixels in each block.
pub(super) struct BlockCounts {
    grid: Grid,
    columns: usize,
    counts: Vec<u32>,
}

impl BlockCounts {
    pub(super) fn of(grid: Grid) -> BlockCounts {
        let columns = grid.columns();
        BlockCounts {
            grid,
            columns,
            counts: vec![0; columns * grid.rows()],
        }
    }

    pub(super) fn add(&mut self, x: usize, y: usize) {
        self.counts[self.grid.index(y) * self.columns + self.grid.index(x)] += 1;
    }

    fn of_block(&self, (column, row): (usize, usize)) -> u32 {
        self.counts[row * self.columns + column]
    }

    /// Returns the blocks with enough changed pixels.
    pub(super) fn changed(&self) -> Blocks {
        let mut blocks = Blocks::none(self.grid);
        for (index, _) in self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count >= PIXELS_IN_BLOCK)
        {
            blocks.set((index % self.columns, index / self.columns), true);
        }
        blocks
    }
}

/// Returns whether two pictures have the same size and format and can therefore be compared.
pub(super) fn alike(one: &Frame, other: &Frame) -> bool {
    let form = |frame: &Frame| (frame.width(), frame.height(), frame.format());
    form(one) == form(other)
}

/// Calls `changed` for every pixel that differs between two pictures of the same size and format.
pub(super) fn compare(seen: &Frame, now: &Frame, mut changed: impl FnMut(usize, usize)) {
    let step = now.format().bytes();
    let stride = now.width() as usize * step;
    let rows = seen.data().chunks_exact(stride).zip(now.data().chunks_exact(stride));
    for (y, (seen, now)) in rows.enumerate().filter(|(_, (seen, now))| seen != now) {
        // The number of bytes to compare at a time. Comparing many at once pays off because most of a row is usually
        // the same.
        const PIECE: usize = 64;
        let pieces = seen.chunks(PIECE * step).zip(now.chunks(PIECE * step));
        for (piece, (seen, now)) in pieces.enumerate().filter(|(_, (seen, now))| seen != now) {
            let pixels = seen.chunks_exact(step).zip(now.chunks_exact(step));
            for (x, (seen, now)) in pixels.enumerate() {
                if differs(seen, now) {
                    changed(piece * PIECE + x, y);
                }
            }
        }
    }
}

/// Returns whether two pixels differ visibly. The fourth byte of a screen's pixels has no meaning.
pub(super) fn differs(seen: &[u8], now: &[u8]) -> bool {
    let channels = seen.iter().zip(now).take(3);
    channels.fold(false, |differs, (seen, now)| differs | (seen.abs_diff(*now) > CHANNEL))
}
