//! Divides a picture into blocks. Pictures of every size have the same number of rows, so that a block covers the same
//! part of a scaled copy.

use super::ROWS;
use crate::area::Area;

/// The division of a picture into blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    width: u32,
    height: u32,
}

impl Grid {
    /// Creates the grid for a picture of this size.
    pub fn of(width: u32, height: u32) -> Grid {
        Grid { width, height }
    }

    /// Returns the picture's width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the picture's height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        (self.width * ROWS).div_ceil(self.height.max(1)) as usize
    }

    /// Returns the number of rows, which is the same for every picture.
    pub fn rows(&self) -> usize {
        ROWS as usize
    }

    /// Returns the column or row that a pixel belongs to.
    pub(super) fn index(self, pixel: usize) -> usize {
        pixel * ROWS as usize / self.height.max(1) as usize
    }

    /// Returns the first pixel of a column or row.
    fn start(self, index: usize) -> u32 {
        (index as u32 * self.height).div_ceil(ROWS)
    }

    /// Returns the pixels that show a block of this grid in a copy of the picture, whatever the copy's size and shape.
    pub(super) fn area_in(self, copy: Grid, block: (usize, usize)) -> Area {
        let area = self.area(block);
        let scale = |pixel: i32, from: u32, to: u32| f64::from(pixel) * f64::from(to) / f64::from(from.max(1));
        let across = |x: i32| scale(x, self.width, copy.width);
        let down = |y: i32| scale(y, self.height, copy.height);
        let (left, top) = (across(area.x).floor(), down(area.y).floor());
        let (right, bottom) = (
            across(area.x + area.width as i32).ceil(),
            down(area.y + area.height as i32).ceil(),
        );
        Area {
            x: left as i32,
            y: top as i32,
            width: (right - left) as u32,
            height: (bottom - top) as u32,
        }
    }

    /// Returns the pixels of a block, by column and row.
    pub fn area(&self, (column, row): (usize, usize)) -> Area {
        let (left, top) = (self.start(column), self.start(row));
        Area {
            x: left as i32,
            y: top as i32,
            width: self.start(column + 1).min(self.width).saturating_sub(left),
            height: self.start(row + 1).min(self.height).saturating_sub(top),
        }
    }
}

/// A set of blocks of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    grid: Grid,
    columns: usize,
    set: Vec<bool>,
}

impl Blocks {
    /// Returns an empty set of blocks of this grid.
    pub fn none(grid: Grid) -> Blocks {
        Blocks {
            grid,
            columns: grid.columns(),
            set: vec![false; grid.columns() * grid.rows()],
        }
    }

    /// Returns the grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        !self.set.contains(&true)
    }

    /// Returns whether the set contains this block, given by column and row.
    pub fn contains(&self, (column, row): (usize, usize)) -> bool {
        column < self.columns && self.set.get(row * self.columns + column).is_some_and(|set| *set)
    }

    /// Adds or removes a block, which must be in the grid.
    pub(super) fn set(&mut self, (column, row): (usize, usize), value: bool) {
        self.set[row * self.columns + column] = value;
    }

    /// Returns the blocks in the set, by column and row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        let columns = self.columns.max(1);
        let set = self.set.iter().enumerate().filter(|(_, set)| **set);
        set.map(move |(index, _)| (index % columns, index / columns))
    }

    /// Returns these blocks and all blocks at most this many blocks away from one of them, including diagonally.
    #[must_use]
    pub fn grown(&self, by: usize) -> Blocks {
        let mut grown = self.clone();
        for block in self.iter() {
            for near in self.around(block, by) {
                grown.set(near, true);
            }
        }
        grown
    }

    /// Returns the blocks of the grid that are at most this many blocks away from this one, including the block itself.
    pub(super) fn around(
        &self,
        (column, row): (usize, usize),
        reach: usize,
    ) -> impl Iterator<Item = (usize, usize)> + use<> {
        let rows = self.set.len().checked_div(self.columns).unwrap_or(0);
        let across = column.saturating_sub(reach)..(column + reach + 1).min(self.columns);
        let down = row.saturating_sub(reach)..(row + reach + 1).min(rows);
        down.flat_map(move |row| across.clone().map(move |column| (column, row)))
    }
}
