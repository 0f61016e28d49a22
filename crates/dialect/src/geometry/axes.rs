//! The order in which a model writes x and y.

/// The order of a place's two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// x, then y.
    Xy,
    /// y, then x.
    Yx,
}

impl Axes {
    /// Both orders, by name.
    pub const NAMES: [(&'static str, Axes); 2] = [("xy", Axes::Xy), ("yx", Axes::Yx)];

    /// Returns the name used in family files.
    pub fn name(self) -> &'static str {
        match self {
            Axes::Xy => "xy",
            Axes::Yx => "yx",
        }
    }

    /// Returns the names of a box's numbers in this order, written as a list.
    pub(crate) fn box_form(self) -> &'static str {
        match self {
            Axes::Xy => "[x1, y1, x2, y2]",
            Axes::Yx => "[y1, x1, y2, x2]",
        }
    }

    /// Returns x and y in this order, or turns a pair in this order back into x and y. Both are the same, because
    /// swapping is its own inverse.
    pub fn ordered<T>(self, [first, second]: [T; 2]) -> [T; 2] {
        match self {
            Axes::Xy => [first, second],
            Axes::Yx => [second, first],
        }
    }
}
