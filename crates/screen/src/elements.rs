//! The elements of programs: buttons, fields, menus and the like, as programs report them through accessibility
//! interfaces.
//!
//! In reading order: `layer` orders windows and menus from the top, `role` names the kinds of elements, `states` their
//! states, and `sieve` keeps the elements in view. `tree` walks through a program's tree, `accessible` queries its
//! objects over D-Bus, and `reader` limits the time.

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

use crate::window::WindowId;

pub use layer::DesktopLayer;
#[cfg(all(unix, not(target_os = "macos")))]
pub use reader::{ElementReader, ElementsError};

/// One element in view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessibleElement<Place = Area> {
    /// The kind of element, in a word or two: `button`.
    pub role: &'static str,
    /// Its name, which is text from the screen; can be empty.
    pub name: String,
    /// Its visible part.
    pub place: Place,
    /// Whether it reacts to input.
    pub is_enabled: bool,
    /// Whether it is on, if it can be switched.
    pub is_checked: bool,
}

/// An element on a screen. Its place is given by its first and last visible pixels.
pub type ScreenElement = AccessibleElement<(Point, Point)>;

/// The elements in view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements<Place = Area> {
    /// The elements in reading order, those of the topmost window first.
    pub list: Vec<AccessibleElement<Place>>,
    /// How many more elements the list leaves out.
    pub left_out: usize,
    /// Whether all programs answered in time.
    pub is_complete: bool,
    /// The windows whose programs reported no elements.
    pub silent: Vec<WindowId>,
}

/// The elements on a screen.
pub type ScreenElements = Elements<(Point, Point)>;

/// A source of elements.
pub trait ElementSource: Send {
    /// Returns the elements in view within this part of the desktop, given the layers on it, the topmost first. Returns
    /// within the time that a turn allows.
    fn read(&mut self, layers: &[DesktopLayer], seen: Area) -> Elements;
}

impl AccessibleElement {
    /// Returns the element as a screen of this part of the desktop shows it, or `None` if it is outside.
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
    /// Returns the elements as a screen of this part of the desktop shows them.
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
