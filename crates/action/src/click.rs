//! Clicks: the button, the position, the number of clicks, and the keys held.

use crate::button::Button;
use crate::keys::Modifier;
use crate::point::Point;
use crate::verb::Verb;

/// One or more clicks at one point, in quick enough succession to belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Click {
    /// The point to click.
    pub at: Point,
    /// The button to click with.
    pub button: Button,
    /// The number of clicks, at least 1.
    pub count: u32,
    /// The keys held during the clicks, sorted and without duplicates.
    pub modifiers: Vec<Modifier>,
}

impl Click {
    /// Returns `count` clicks with the button.
    pub fn new(button: Button, count: u32, at: Point) -> Click {
        Click {
            at,
            button,
            count,
            modifiers: Vec::new(),
        }
    }

    /// Returns the clicks that a verb alone implies; `None` if the verb does not click.
    pub fn of(verb: Verb, at: Point) -> Option<Click> {
        let (button, count) = match verb {
            Verb::LeftClick => (Button::Left, 1),
            Verb::DoubleLeftClick => (Button::Left, 2),
            Verb::TripleClick => (Button::Left, 3),
            Verb::MiddleClick => (Button::Middle, 1),
            Verb::RightClick => (Button::Right, 1),
            _ => return None,
        };
        Some(Click::new(button, count, at))
    }

    /// Returns the verb that best describes the clicks.
    pub fn verb(&self) -> Verb {
        match (self.button, self.count) {
            (Button::Left, 2) => Verb::DoubleLeftClick,
            (Button::Left, 3) => Verb::TripleClick,
            (button, _) => button.click(),
        }
    }

    /// Checks whether the verb alone fully describes the clicks.
    pub fn is_plain(&self) -> bool {
        Click::of(self.verb(), self.at).as_ref() == Some(self)
    }

    /// Checks whether the verb implies the number of clicks.
    pub(crate) fn is_counted_by_verb(&self) -> bool {
        Click::of(self.verb(), self.at).is_some_and(|plain| plain.count == self.count)
    }
}
