//! Releases the keys and buttons that program input holds down.

use x11rb::protocol::xinput::{ConnectionExt as _, InputStateData};
use x11rb::protocol::xproto::{ConnectionExt as _, KeyButMask};

use super::buttons;
use super::devices::Artificial;
use super::keyboard::{self, Keyboard};
use super::server::{Answer, Server};
use crate::desktop::display::Press;

/// Keys and buttons that are down, by number.
#[derive(Debug, Default)]
struct Down {
    keys: Vec<u8>,
    buttons: Vec<u8>,
}

/// Releases everything not held by a person; returns the names.
pub(super) fn release(server: &Server, keyboard: &mut Keyboard) -> Answer<Vec<String>> {
    let down = down(server)?;
    // Release buttons first, because the modifiers held when a drag ends decide what the drag does.
    for &button in &down.buttons {
        buttons::put(server, button, Press::Up)?;
    }
    for &key in &down.keys {
        keyboard::put(server, key, Press::Up)?;
    }
    names(server, keyboard, &down)
}

/// Returns the names of everything that is not held by a person.
pub(super) fn held(server: &Server, keyboard: &mut Keyboard) -> Answer<Vec<String>> {
    let down = down(server)?;
    names(server, keyboard, &down)
}

fn down(server: &Server) -> Answer<Down> {
    match Artificial::of(server)? {
        Some(artificial) => by_programs(server, &artificial),
        None => by_anyone(server),
    }
}

fn names(server: &Server, keyboard: &mut Keyboard, down: &Down) -> Answer<Vec<String>> {
    let layout = keyboard.layout(server)?;
    let key = |&key: &u8| keyboard::name(layout.plain(key)).unwrap_or_else(|| format!("key {key}"));
    let buttons = down.buttons.iter().map(|&button| button_name(button));
    Ok(buttons.chain(down.keys.iter().map(key)).collect())
}

/// Returns the keys and buttons that the devices for program input hold.
fn by_programs(server: &Server, artificial: &Artificial) -> Answer<Down> {
    let mut down = Down::default();
    for &device in artificial.pointers.iter().chain(&artificial.keyboards) {
        let Ok(device) = u8::try_from(device) else { continue };
        server.connection.xinput_open_device(device)?.reply()?;
        for class in server.connection.xinput_query_device_state(device)?.reply()?.classes {
            match class.data {
                InputStateData::Key(state) => down.keys.extend(bits(&state.keys)),
                InputStateData::Button(state) => down.buttons.extend(bits(&state.buttons)),
                _ => {}
            }
        }
    }
    Ok(down)
}

/// Returns everything that is held, for a server that cannot tell who holds it.
fn by_anyone(server: &Server) -> Answer<Down> {
    let keys = server.connection.query_keymap()?.reply()?.keys;
    let mask = server.connection.query_pointer(server.root)?.reply()?.mask;
    let masks = [KeyButMask::BUTTON1, KeyButMask::BUTTON2, KeyButMask::BUTTON3];
    let buttons = (1..).zip(masks).filter(|(_, button)| mask.contains(*button));
    Ok(Down {
        keys: bits(&keys).collect(),
        buttons: buttons.map(|(number, _)| number).collect(),
    })
}

/// Returns the numbers of the bits that are set.
fn bits(bytes: &[u8]) -> impl Iterator<Item = u8> {
    (0..=u8::MAX).filter(|&number| {
        let byte = bytes.get(usize::from(number / 8));
        byte.is_some_and(|byte| byte >> (number % 8) & 1 == 1)
    })
}

fn button_name(number: u8) -> String {
    match number {
        1 => "left button".to_owned(),
        2 => "middle button".to_owned(),
        3 => "right button".to_owned(),
        other => format!("button {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_numbered_from_the_lowest_of_the_first_byte() {
        assert_eq!(bits(&[0b11, 0, 0x80]).collect::<Vec<_>>(), [0, 1, 23]);
        assert_eq!(bits(&[0xff; 32]).count(), 256);
        assert_eq!(bits(&[]).count(), 0);
    }
}
