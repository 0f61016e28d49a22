//! The windows of programs.

use std::fmt;

use franz_action::Point;
use franz_frame::Area;

/// What Windows adds to the title of a window that does not respond, and FRANZ to that of a page.
pub(crate) const NOT_RESPONDING: &str = " (not responding)";

/// Identifies a window for as long as it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub u64);

impl fmt::Display for WindowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// A window of a program as it is now, including its frame. Menus, tooltips and the background are not windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window<Place = Area> {
    /// Which window it is.
    pub id: WindowId,
    /// Its title, which is text from the screen; can be empty.
    pub title: String,
    /// The program's name for its kind of window; can be empty.
    pub class: String,
    /// Its place; `None` if it is minimised, on another workspace, or outside the visible part.
    pub place: Option<Place>,
    /// Whether it is in front and has the keyboard focus.
    pub is_active: bool,
    /// The window that this dialog belongs to, if the system reports it.
    pub dialog_of: Option<WindowId>,
}

/// A window on a screen. Its place is given by its first and last visible pixels. Other windows can cover it.
pub type ScreenWindow = Window<(Point, Point)>;

impl Window {
    /// Returns the window as it is on a screen that shows this part of the desktop.
    pub(crate) fn seen_in(self, seen: Area) -> ScreenWindow {
        let visible = self.place.and_then(|area| area.intersection(&seen));
        Window {
            id: self.id,
            title: self.title,
            class: self.class,
            place: visible.map(|area| seen.corners(&area)),
            is_active: self.is_active,
            dialog_of: self.dialog_of,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_shows_its_part_of_a_window() {
        let seen = Area {
            x: 100,
            y: 0,
            width: 101,
            height: 101,
        };
        for (x, width, expected) in [
            (100, 101, Some((0, 1000))),
            (150, 51, Some((500, 1000))),
            (0, 151, Some((0, 500))),
            (0, 100, None),
            (201, 10, None),
        ] {
            let area = Area {
                x,
                width,
                ..Area::whole(1, 101)
            };
            let window = Window {
                id: WindowId(7),
                title: "a".to_owned(),
                class: "b".to_owned(),
                place: Some(area),
                is_active: true,
                dialog_of: None,
            };
            let points = |(left, right)| (Point::clamped(left, 0), Point::clamped(right, 1000));
            assert_eq!(window.seen_in(seen).place, expected.map(points), "{area}");
        }
    }
}
