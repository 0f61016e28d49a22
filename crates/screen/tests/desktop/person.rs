//! A person at the desktop: events of the server's own mouse and keyboard, as opposed to the devices for program input.

use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::xinput::{self, ConnectionExt as _, Device};

use super::client::Client;

const KEY_PRESS: u8 = 1;
const KEY_RELEASE: u8 = 2;
const BUTTON_PRESS: u8 = 3;
const BUTTON_RELEASE: u8 = 4;
const MOTION: u8 = 5;
/// The detail that marks a movement as relative.
const RELATIVE: u8 = 1;
/// Keys by their numbers on a PC keyboard. A row of letters is given by its first key's number.
pub(crate) const ESCAPE: u8 = 9;
const CONTROL: u8 = 37;
const ENTER: u8 = 36;
const SPACE: u8 = 65;
const ROWS: [(u8, &str); 3] = [(24, "qwertyuiop"), (38, "asdfghjkl"), (52, "zxcvbnm")];

pub(crate) struct Person {
    pub(crate) client: Client,
    mouse: u8,
    keyboard: u8,
}

impl Person {
    pub(crate) fn at(client: Client) -> Person {
        let devices = client.connection.xinput_xi_query_device(Device::ALL).unwrap();
        let devices = devices.reply().unwrap().infos;
        let named = |name: &[u8]| devices.iter().find(|device| device.name == name).unwrap().deviceid as u8;
        let (mouse, keyboard) = (named(b"Xvfb mouse"), named(b"Xvfb keyboard"));
        for device in [mouse, keyboard] {
            client.connection.xinput_open_device(device).unwrap().reply().unwrap();
        }
        Person {
            client,
            mouse,
            keyboard,
        }
    }

    pub(crate) fn press_escape_twice(&self) {
        self.strike(ESCAPE);
        self.strike(ESCAPE);
    }

    /// Types text that consists of lower-case letters, spaces and line breaks.
    pub(crate) fn write(&self, text: &str) {
        for character in text.chars() {
            self.strike(key(character));
        }
    }

    pub(crate) fn press_ctrl_s(&self) {
        self.hold(CONTROL);
        self.strike(key('s'));
        self.fake(KEY_RELEASE, CONTROL, self.keyboard, &[]);
    }

    /// Presses and releases the key with this number.
    pub(crate) fn strike(&self, key: u8) {
        self.hold(key);
        self.fake(KEY_RELEASE, key, self.keyboard, &[]);
    }

    /// Presses a key and keeps it down.
    pub(crate) fn hold(&self, key: u8) {
        self.fake(KEY_PRESS, key, self.keyboard, &[]);
    }

    /// Moves the mouse in one step.
    pub(crate) fn move_by(&self, dx: i32, dy: i32) {
        self.fake(MOTION, RELATIVE, self.mouse, &[dx, dy]);
    }

    /// Clicks at this position with the left button.
    pub(crate) fn click(&self, x: i16, y: i16) {
        let (from_x, from_y) = self.client.pointer();
        self.move_by(i32::from(x - from_x), i32::from(y - from_y));
        self.fake(BUTTON_PRESS, 1, self.mouse, &[]);
        self.fake(BUTTON_RELEASE, 1, self.mouse, &[]);
    }

    /// Sends the `FakeInput` request for a device. The axes make it longer than the request for the core pointer.
    fn fake(&self, kind: u8, detail: u8, device: u8, axes: &[i32]) {
        let connection = &self.client.connection;
        let extension = |name| connection.extension_information(name).unwrap().unwrap();
        let xtest = extension(x11rb::protocol::xtest::X11_EXTENSION_NAME).major_opcode;
        let first = extension(xinput::X11_EXTENSION_NAME).first_event;
        let mut request = vec![xtest, 2, 0, 0, first + kind, detail, 0, 0];
        request.resize(35, 0);
        request.push(device);
        if !axes.is_empty() {
            // A DeviceValuator event: its type, the device, the number of axes and the first of them, then six values.
            request.extend([first, device, 0, 0, 0, 0, axes.len() as u8, 0]);
            for place in 0..6 {
                request.extend(axes.get(place).copied().unwrap_or_default().to_ne_bytes());
            }
        }
        let length = (request.len() / 4) as u16;
        request[2..4].copy_from_slice(&length.to_ne_bytes());
        let slices = [std::io::IoSlice::new(&request)];
        let sent = connection.send_request_without_reply(&slices, Vec::new()).unwrap();
        sent.check().unwrap();
        connection.flush().unwrap();
    }
}

/// Returns the key that types a character.
fn key(character: char) -> u8 {
    let on_row = |(first, letters): (u8, &str)| Some(first + letters.find(character)? as u8);
    match character {
        '\n' => ENTER,
        ' ' => SPACE,
        _ => ROWS.into_iter().find_map(on_row).unwrap(),
    }
}
