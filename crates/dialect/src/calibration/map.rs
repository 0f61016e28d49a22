//! Maps the numbers of an answer to pixels of the picture as sent, and back.

use crate::geometry::Axes;

/// A straight line for each axis: `place = answer * scale + offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    pub(super) axes: Axes,
    pub(super) scale: [f64; 2],
    pub(super) offset: [f64; 2],
}

impl Map {
    pub(super) fn place(&self, answer: [f64; 2]) -> [f64; 2] {
        let answer = self.axes.ordered(answer);
        [0, 1].map(|axis| answer[axis] * self.scale[axis] + self.offset[axis])
    }

    pub(super) fn answer(&self, place: [f64; 2]) -> [f64; 2] {
        let answer = [0, 1].map(|axis| (place[axis] - self.offset[axis]) / self.scale[axis]);
        self.axes.ordered(answer)
    }
}
