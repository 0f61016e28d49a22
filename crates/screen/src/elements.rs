//! The elements of programs: buttons, fields, menus and the like, as their accessibility reports them.
//!
//! In reading order: `layer` orders windows and menus from the top, `role` names the kinds of elements, `states` what they
//! are, `sieve` keeps those in view. `tree` walks through a program's tree, `accessible` asks its objects over D-Bus, and
//! `reader` bounds the time.

#[cfg(all(unix, not(target_os = "macos")))]
mod accessible;
pub(crate) mod layer;
#[cfg(all(unix, not(target_os = "macos")))]
mod reader;
pub(crate) mod role;
pub(crate) mod sieve;
#[cfg(all(unix, not(target_os = "macos")))]
mod states;
#[cfg(all(unix, not(target_os = "macos")))]
mod tree;

use franz_action::Point;
use franz_frame::Area;

use crate::desktop::WindowId;

pub use layer::DesktopLayer;
#[cfg(all(unix, not(target_os = "macos")))]
pub use reader::{ElementReader, ElementsError};

/// One element in view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessibleElement<Place = Area> {
    /// What it is, in a word or two: `button`.
    pub role: &'static str,
    /// Its name, which is text of the screen; may be empty.
    pub name: String,
    /// The part of it that can be seen.
    pub place: Place,
    /// Whether it reacts.
    pub is_enabled: bool,
    /// Whether it is on, if it can be.
    pub is_checked: bool,
}

/// An element on a screen: its place is the points of its first and last visible pixel.
pub type ScreenElement = AccessibleElement<(Point, Point)>;

/// The elements in view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements<Place = Area> {
    /// In reading order, those of the topmost window first.
    pub list: Vec<AccessibleElement<Place>>,
    /// How many more there are.
    pub left_out: usize,
    /// Whether all programs have answered in time.
    pub is_complete: bool,
    /// The windows whose programs reported none.
    pub silent: Vec<WindowId>,
}

/// The elements on a screen.
pub type ScreenElements = Elements<(Point, Point)>;

/// What elements are read from.
pub trait ElementSource: Send {
    /// Returns the elements in view within this part of the desktop, given what is on it, the topmost first. Takes no
    /// longer than a turn allows.
    fn read(&mut self, layers: &[DesktopLayer], seen: Area) -> Elements;
}

impl AccessibleElement {
    /// Returns the element as it is on a screen that shows this part of the desktop; `None` if it is outside.
    fn seen_in(self, seen: Area) -> Option<ScreenElement> {
        let visible = self.place.intersection(&seen)?;
        Some(AccessibleElement {
            role: self.role,
            name: self.name,
            place: seen.corners(&visible),
            is_enabled: self.is_enabled,
            is_checked: self.is_checked,
        })
    }
}

impl Elements {
    /// Returns the elements as they are on a screen that shows this part of the desktop.
    pub(crate) fn seen_in(self, seen: Area) -> ScreenElements {
        Elements {
            list: self
                .list
                .into_iter()
                .filter_map(|element| element.seen_in(seen))
                .collect(),
            left_out: self.left_out,
            is_complete: self.is_complete,
            silent: self.silent,
        }
    }
}
