//! Tracks movement on a screen: whether the screen has stopped changing, and which parts never stop.

use std::time::Instant;

use super::difference::{BlockCounts, alike, compare};
use super::{Blocks, Grid, RESTLESS_AFTER, RESTLESS_PAUSE, RESTLESS_REACH};
use crate::frame::Frame;

/// The movement of each block since the screen was first watched.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// The previous picture.
    before: Option<Frame>,
    /// For each block, the time at which an unbroken movement near it began, and the time of its last movement.
    moves: Vec<Option<(Instant, Instant)>>,
    restless: Blocks,
    /// The start of the current watch.
    began: Option<Instant>,
}

impl Motion {
    /// Starts watching a screen that currently shows this picture.
    pub fn begin(&mut self, now: &Frame, at: Instant) {
        let grid = Grid::of(now.width(), now.height());
        let blocks = Blocks::none(grid);
        if self.moves.len() != grid.columns() * grid.rows() {
            self.moves = vec![None; grid.columns() * grid.rows()];
            self.restless = blocks;
        }
        self.began = Some(at);
        self.remember(now);
    }

    /// Looks again. Returns whether anything has moved, apart from the parts that move all the time.
    pub fn look(&mut self, now: &Frame, at: Instant) -> bool {
        let Some(before) = self.before.take().filter(|before| alike(before, now)) else {
            self.begin(now, at);
            return true;
        };
        if before.data() == now.data() {
            self.before = Some(before);
            return false;
        }
        let grid = Grid::of(now.width(), now.height());
        let mut counts = BlockCounts::of(grid);
        compare(&before, now, |x, y| counts.add(x, y));
        self.before = Some(before);
        self.remember(now);
        let changed = counts.changed();
        for block in changed.iter() {
            for (column, row) in changed.around(block, RESTLESS_REACH) {
                let moves = &mut self.moves[row * grid.columns() + column];
                let since = moves
                    .filter(|(_, last)| at - *last < RESTLESS_PAUSE)
                    .map_or(at, |(since, _)| since);
                *moves = Some((since, at));
            }
        }
        changed
            .iter()
            .any(|block| !self.restless.contains(block) && !self.is_restless(grid, block, at))
    }

    /// Ends the watch and determines which blocks move all the time.
    pub fn end(&mut self, at: Instant) {
        let Some((grid, began)) = self.grid().zip(self.began) else {
            return;
        };
        let mut restless = Blocks::none(grid);
        for row in 0..grid.rows() {
            for block in (0..grid.columns()).map(|column| (column, row)) {
                let moved = self.moves[row * grid.columns() + block.0].is_some_and(|(_, last)| last >= began);
                let still = self.restless.contains(block) && moved;
                restless.set(block, still || self.is_restless(grid, block, at));
            }
        }
        self.restless = restless;
    }

    /// Returns the blocks that were moving all the time when the last watch ended.
    pub fn restless(&self) -> &Blocks {
        &self.restless
    }

    fn is_restless(&self, grid: Grid, (column, row): (usize, usize), at: Instant) -> bool {
        self.moves[row * grid.columns() + column]
            .is_some_and(|(since, last)| last - since >= RESTLESS_AFTER && at - last < RESTLESS_PAUSE)
    }

    fn grid(&self) -> Option<Grid> {
        self.before
            .as_ref()
            .map(|frame| Grid::of(frame.width(), frame.height()))
    }

    fn remember(&mut self, now: &Frame) {
        match &mut self.before {
            Some(before) if alike(before, now) => before.data_mut().copy_from_slice(now.data()),
            before => *before = Some(now.clone()),
        }
    }
}
