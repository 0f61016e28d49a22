//! A virtual keyboard with our own layout.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::time::Instant;

use franz_action::keys::Key;
use rustix::fs::{MemfdFlags, memfd_create};
use wayland_client::QueueHandle;
use wayland_client::protocol::wl_keyboard::KeymapFormat;
use wayland_protocols_misc::zwp_virtual_keyboard_v1::client::zwp_virtual_keyboard_v1::ZwpVirtualKeyboardV1;

use super::connection::Globals;
use super::events::Events;
use super::keymap::{self, Code, Extra, SHIFT};
use crate::desktop::display::{DisplayError, Press};

pub(super) struct Keyboard {
    proxy: ZwpVirtualKeyboardV1,
    extra: Extra,
    /// The modifiers that are down.
    modifiers: u32,
    /// The keys for which this keyboard has pressed Shift.
    shifted: Vec<Code>,
    began: Instant,
}

impl Keyboard {
    pub(super) fn of(globals: &Globals, handle: &QueueHandle<Events>) -> Result<Keyboard, DisplayError> {
        let (Some(manager), Some(seat)) = (&globals.keyboards, &globals.seat) else {
            return Err(DisplayError::Unavailable("the desktop has no keyboard".to_owned()));
        };
        let keyboard = Keyboard {
            proxy: manager.create_virtual_keyboard(seat, handle, ()),
            extra: Extra::default(),
            modifiers: 0,
            shifted: Vec::new(),
            began: Instant::now(),
        };
        keyboard.upload()?;
        Ok(keyboard)
    }

    /// Presses or releases a key; a character that needs Shift gets it.
    pub(super) fn key(&mut self, key: Key, press: Press) -> Result<(), DisplayError> {
        let (code, shifts) = match (keymap::fixed(key), key) {
            (Some(fixed), _) => fixed,
            // A key that this keyboard has not made for the character is not down.
            (None, Key::Char(character)) if press == Press::Up => match self.extra.code(character) {
                Some(code) => (code, false),
                None => return Ok(()),
            },
            (None, Key::Char(character)) if keymap::can_type(character) => (self.made(character, "")?, false),
            _ => {
                return Err(DisplayError::Refused(format!(
                    "this screen's keyboard has no key {key}"
                )));
            }
        };
        match press {
            Press::Down => {
                if shifts && self.modifiers & 1 == 0 {
                    self.put(SHIFT, Press::Down);
                    self.shifted.push(code);
                }
                self.put(code, Press::Down);
            }
            Press::Up => {
                self.put(code, Press::Up);
                let before = self.shifted.len();
                self.shifted.retain(|other| *other != code);
                if self.shifted.len() < before && self.shifted.is_empty() {
                    self.put(SHIFT, Press::Up);
                }
            }
        }
        Ok(())
    }

    /// Presses and releases the key of a character. `then` is the text after it, whose characters get keys at the same
    /// time.
    pub(super) fn tap(&mut self, character: char, then: &str) -> Result<(), DisplayError> {
        let key = Key::Char(character);
        if keymap::fixed(key).is_none() {
            self.made(character, then)?;
        }
        self.key(key, Press::Down)?;
        self.key(key, Press::Up)
    }

    /// Returns the code of the key for a character, after making one if there is none.
    fn made(&mut self, character: char, then: &str) -> Result<Code, DisplayError> {
        if self.extra.code(character).is_none() {
            self.extra.add(character, then);
            self.upload()?;
        }
        self.extra
            .code(character)
            .ok_or_else(|| DisplayError::Refused(format!("this screen's keyboard has no key {character}")))
    }

    fn put(&mut self, code: Code, press: Press) {
        let now = self.began.elapsed().as_millis() as u32;
        self.proxy.key(now, code, u32::from(press == Press::Down));
        if let Some(changed) = keymap::modifier(code) {
            match press {
                Press::Down => self.modifiers |= changed,
                Press::Up => self.modifiers &= !changed,
            }
            self.proxy.modifiers(self.modifiers, 0, 0, 0);
        }
    }

    /// Sends the layout to the compositor, which passes it on to programs before any later key.
    fn upload(&self) -> Result<(), DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("making a keyboard layout", error);
        let mut text = self.extra.keymap().into_bytes();
        text.push(0);
        let file = memfd_create("franz-keymap", MemfdFlags::CLOEXEC).map_err(|error| failed(error.into()))?;
        let mut file = File::from(file);
        file.write_all(&text).map_err(failed)?;
        self.proxy
            .keymap(KeymapFormat::XkbV1.into(), file.as_fd(), text.len() as u32);
        if self.modifiers != 0 {
            self.proxy.modifiers(self.modifiers, 0, 0, 0);
        }
        Ok(())
    }
}
