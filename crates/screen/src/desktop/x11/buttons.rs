//! The mouse: its position, its buttons and its wheel.

use x11rb::protocol::xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _, MOTION_NOTIFY_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;

use franz_action::Button;

use super::server::{Answer, Server};
use crate::desktop::display::Press;

/// Moves the pointer to a position.
pub(super) fn move_to(server: &Server, (x, y): (i32, i32)) -> Answer<()> {
    let clamped = |at: i32| at.clamp(0, i16::MAX.into()) as i16;
    let (root, now) = (server.root, x11rb::CURRENT_TIME);
    let moved = server
        .connection
        .xtest_fake_input(MOTION_NOTIFY_EVENT, 0, now, root, clamped(x), clamped(y), 0)?;
    Ok(moved.check()?)
}

/// Presses or releases the button with this number.
pub(super) fn put(server: &Server, number: u8, press: Press) -> Answer<()> {
    let event = match press {
        Press::Down => BUTTON_PRESS_EVENT,
        Press::Up => BUTTON_RELEASE_EVENT,
    };
    let done = server
        .connection
        .xtest_fake_input(event, number, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0)?;
    Ok(done.check()?)
}

/// The button numbers. A left-handed user might have swapped them.
pub(super) struct Buttons {
    /// The numbers that programs see for the buttons 1, 2, and so on.
    mapping: Vec<u8>,
}

impl Buttons {
    pub(super) fn of(server: &Server) -> Answer<Buttons> {
        let mapping = server.connection.get_pointer_mapping()?.reply()?.map;
        Ok(Buttons { mapping })
    }

    pub(super) fn number(&self, button: Button) -> u8 {
        self.saying(match button {
            Button::Left => 1,
            Button::Middle => 2,
            Button::Right => 3,
        })
    }

    /// Returns the numbers of the buttons that turn the wheel, one for each axis.
    pub(super) fn wheel(&self, dx: i32, dy: i32) -> impl Iterator<Item = u8> {
        let axis = |by: i32, back, forth| (by != 0).then(|| self.saying(if by < 0 { back } else { forth }));
        axis(dy, 4, 5).into_iter().chain(axis(dx, 6, 7))
    }

    /// Returns the number of the button that programs see as `heard`.
    fn saying(&self, heard: u8) -> u8 {
        let place = self.mapping.iter().position(|&number| number == heard);
        place.and_then(|place| u8::try_from(place + 1).ok()).unwrap_or(heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_buttons_are_swapped_back() {
        let buttons = Buttons {
            mapping: vec![3, 2, 1, 4, 5, 6, 7],
        };
        assert_eq!(buttons.number(Button::Left), 3);
        assert_eq!(buttons.number(Button::Middle), 2);
        assert_eq!(buttons.number(Button::Right), 1);
        let none = Buttons { mapping: Vec::new() };
        assert_eq!(none.number(Button::Right), 3);
        for ((dx, dy), numbers) in [
            ((0, 1), vec![5]),
            ((0, -1), vec![4]),
            ((1, 0), vec![7]),
            ((-1, 1), vec![5, 6]),
        ] {
            assert_eq!(buttons.wheel(dx, dy).collect::<Vec<_>>(), numbers);
        }
    }
}
