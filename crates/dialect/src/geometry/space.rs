//! Coordinate spaces: what a model's numbers mean.

/// What a place's numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// 0 to 1000 on both axes.
    Thousandths,
    /// 0 to 1024 on both axes.
    Parts1024,
    /// Pixels of the picture as the model saw it.
    Pixels,
    /// 0 to 1 on both axes.
    Fractions,
    /// 0 to 100 on both axes.
    Percent,
    /// Thousandths of a square with the picture in its middle.
    Letterboxed,
    /// Unknown, so no place can be read.
    Unknown,
}

impl Space {
    /// All spaces, by name.
    pub const NAMES: [(&'static str, Space); 7] = [
        ("thousandths", Space::Thousandths),
        ("1024ths", Space::Parts1024),
        ("pixels", Space::Pixels),
        ("fractions", Space::Fractions),
        ("percent", Space::Percent),
        ("letterboxed", Space::Letterboxed),
        ("unknown", Space::Unknown),
    ];

    /// Returns the name used in family files.
    pub fn name(self) -> &'static str {
        let found = Space::NAMES.iter().find(|(_, space)| *space == self);
        found.map_or("unknown", |(name, _)| name)
    }
}
