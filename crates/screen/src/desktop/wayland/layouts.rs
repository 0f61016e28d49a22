//! The keyboard layouts of the compositor, which its keymap describes.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use wayland_client::protocol::{wl_keyboard, wl_seat};
use wayland_client::{Connection as Client, Dispatch, QueueHandle, WEnum};

use super::connection::Connection;
use super::events::Events;
use super::socket;
use crate::desktop::display::{DisplayError, IsOver};

/// The longest keymap to accept.
const LONGEST: u32 = 4 << 20;

/// Returns the keymap in XKB's text format, which is empty if there is no keyboard.
pub(in crate::desktop) fn layouts(path: &Path, is_over: IsOver) -> Result<String, DisplayError> {
    const DOING: &str = "reading the keyboard layout";
    let mut connection = Connection::over(socket::connect(path)?, is_over)?;
    let seat: Option<wl_seat::WlSeat> = connection.bind(1, 7);
    connection.sync(DOING)?;
    let Some(seat) = seat.filter(|_| connection.events().keymap.is_expected) else {
        return Ok(String::new());
    };
    seat.get_keyboard(&connection.handle(), ());
    connection.sync(DOING)?;
    let Some((file, length)) = connection.events().keymap.file.take() else {
        return Ok(String::new());
    };
    let mut text = vec![0; length.min(LONGEST) as usize];
    let read = File::from(file).read_exact_at(&mut text, 0);
    read.map_err(|error| DisplayError::failed(DOING, error))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

impl Dispatch<wl_keyboard::WlKeyboard, ()> for Events {
    fn event(
        events: &mut Events,
        _: &wl_keyboard::WlKeyboard,
        event: wl_keyboard::Event,
        (): &(),
        _: &Client,
        _: &QueueHandle<Events>,
    ) {
        if let wl_keyboard::Event::Keymap {
            format: WEnum::Value(wl_keyboard::KeymapFormat::XkbV1),
            fd,
            size,
        } = event
        {
            events.keymap.file = Some((fd, size));
        }
    }
}

impl Dispatch<wl_seat::WlSeat, ()> for Events {
    fn event(
        events: &mut Events,
        _: &wl_seat::WlSeat,
        event: wl_seat::Event,
        (): &(),
        _: &Client,
        _: &QueueHandle<Events>,
    ) {
        if let wl_seat::Event::Capabilities {
            capabilities: WEnum::Value(has),
        } = event
        {
            events.keymap.is_expected = has.contains(wl_seat::Capability::Keyboard);
        }
    }
}
