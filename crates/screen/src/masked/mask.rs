//! The masks that a person sets.

use franz_frame::Area;

use super::glob::Glob;
use crate::window::NOT_RESPONDING;

/// A part of the screen that the model may not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    /// What the mask covers.
    pub target: MaskTarget,
    /// The text to paint on the mask after the word `masked`.
    pub name: Option<String>,
}

/// The target of a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaskTarget {
    /// A rectangle: left, top, right and bottom, in thousandths of the screen.
    Area([u16; 4]),
    /// The windows whose title or class matches.
    Window(Glob),
}

impl Mask {
    /// Returns the text painted on the mask.
    pub(super) fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("masked: {name}"),
            None => "masked".to_owned(),
        }
    }

    /// Returns whether the mask covers a window with one of these titles and classes. A window that stops responding
    /// stays covered, although its title then says so.
    pub(super) fn is_of(&self, mut names: impl Iterator<Item = impl AsRef<str>>) -> bool {
        match &self.target {
            MaskTarget::Area(_) => false,
            MaskTarget::Window(pattern) => names.any(|name| {
                let name = name.as_ref();
                pattern.fits(name) || responding(name).is_some_and(|name| pattern.fits(name))
            }),
        }
    }

    /// Returns whether the mask covers windows.
    pub(super) fn is_for_windows(&self) -> bool {
        matches!(self.target, MaskTarget::Window(_))
    }
}

/// Returns the title that a window had while it responded, if its title says that it no longer does.
fn responding(title: &str) -> Option<&str> {
    let (own, remark) = title.split_at_checked(title.len().checked_sub(NOT_RESPONDING.len())?)?;
    remark.eq_ignore_ascii_case(NOT_RESPONDING).then_some(own)
}

/// Returns the pixels of a rectangle given in thousandths, including those that it covers only in part.
pub(super) fn pixels([left, top, right, bottom]: [u16; 4], whole: Area) -> Area {
    let side = |from: u16, to: u16, size: u32| {
        let last = u64::from(size.saturating_sub(1));
        let first = u64::from(from) * last / 1000;
        let behind = (u64::from(to) * last).div_ceil(1000) + 1;
        (first as i32, behind.saturating_sub(first) as u32)
    };
    let ((x, width), (y, height)) = (side(left, right, whole.width), side(top, bottom, whole.height));
    Area { x, y, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;
    use franz_action::Point;
    use proptest::prelude::*;

    #[test]
    fn a_window_that_stops_responding_stays_covered() {
        let mask = Mask {
            target: MaskTarget::Window(Glob::new("*Bank")),
            name: None,
        };
        for (title, covered) in [
            ("My Bank", true),
            ("My Bank (not responding)", true),
            ("My Bank (Not Responding)", true),
            ("My Bank (closed)", false),
            ("Straße (not responding)", false),
            ("nk", false),
        ] {
            assert_eq!(mask.is_of([title].into_iter()), covered, "{title}");
        }
    }

    #[test]
    fn a_rectangle_covers_whole_pixels() {
        let whole = Area::whole(101, 1001);
        for (area, pixels_of) in [
            ([0, 0, 1000, 1000], "101x1001 at 0,0"),
            ([500, 500, 1000, 1000], "51x501 at 50,500"),
            ([11, 11, 12, 12], "2x2 at 1,11"),
        ] {
            assert_eq!(pixels(area, whole).to_string(), pixels_of);
        }
    }

    proptest! {
        #[test]
        fn every_point_of_a_rectangle_is_in_its_pixels(
            (left, top, width, height) in (0..999u16, 0..999u16, 1..1000u16, 1..1000u16),
            (x, y) in (0.0..=1.0f64, 0.0..=1.0f64),
            size in (1..5000u32, 1..3000u32),
        ) {
            let (right, bottom) = ((left + width).min(1000), (top + height).min(1000));
            let between = |from: u16, to: u16, share: f64| f64::from(from) + share * f64::from(to - from);
            let at = Point::nearest(between(left, right, x), between(top, bottom, y));
            let whole = Area::whole(size.0, size.1);
            let (x, y) = whole.pixel(at);
            let pixels = pixels([left, top, right, bottom], whole);
            prop_assert!(pixels.contains(x, y), "{} {} {}", pixels, x, y);
            prop_assert_eq!(pixels.intersection(&whole), Some(pixels));
        }
    }
}
