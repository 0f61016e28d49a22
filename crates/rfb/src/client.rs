//! A connection to a VNC server: pictures on request, and input.

use std::io::{Read, Write};

use crate::clipboard::{self, Clipboard, ServerClipboard};
use crate::error::RfbError;
use crate::framebuffer::{Framebuffer, Rectangle, STEP, ServerCursor};
use crate::handshake::{ServerStart, shake};
use crate::keysym::{self, NamedKeysym};
use crate::password::VncPassword;
use crate::wire::Wire;
use crate::zrle::Zrle;

/// The numbers of the pixel encodings, and of the pseudo-encodings for everything else.
const RAW: i32 = 0;
const COPY_RECT: i32 = 1;
const ZRLE: i32 = 16;
const DESKTOP_SIZE: i32 = -223;
const LAST_RECT: i32 = -224;
const CURSOR: i32 = -239;
const QEMU_KEYS: i32 = -258;
const EXTENDED_DESKTOP_SIZE: i32 = -308;
const EXTENDED_CLIPBOARD: i32 = 0xc0a1_e5ce_u32 as i32;

/// The encodings that this client can read, in order of preference.
const READABLE: [i32; 9] = [
    COPY_RECT,
    ZRLE,
    RAW,
    CURSOR,
    DESKTOP_SIZE,
    EXTENDED_DESKTOP_SIZE,
    LAST_RECT,
    QEMU_KEYS,
    EXTENDED_CLIPBOARD,
];

/// The pixel format that this client requests: 32 bits, the low 24 of them blue, green and red, lowest byte first.
const FORMAT: [u8; 16] = [32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0];

/// The longest side of a mouse cursor, in pixels.
const LARGEST_CURSOR: u16 = 1024;

/// The longest clipboard message, in bytes, that the client skips instead of keeping it. A longer one is an error.
const LONGEST_CLIPBOARD: usize = 256 << 20;

/// How many bytes of compressed pixels to read before telling that they have arrived.
const PIECE: usize = 16 << 10;

/// How many times one update may draw each pixel of the screen. No server needs this many.
const DRAWN: usize = 8;

/// The rectangle count of an update of unknown length, which ends with a marker rectangle.
const UNCOUNTED: u16 = u16::MAX;

/// What an update changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateSummary {
    /// How many pixels the update drew.
    pub drawn: usize,
    /// Whether it drew the pixel in the top left corner.
    pub has_corner: bool,
    /// Whether the screen has a new size. In that case, nothing has been drawn at this size yet.
    pub resized: bool,
}

/// A client of a single server, over any kind of connection.
pub struct VncClient<T> {
    wire: Wire<T>,
    name: String,
    screen: Framebuffer,
    cursor: Option<ServerCursor>,
    zrle: Zrle,
    packed: Vec<u8>,
    takes_scancodes: bool,
    clipboard: Clipboard,
    /// What to do with the connection whenever pixels have arrived.
    on_pixels: fn(&mut T),
}

impl<T: Read + Write> VncClient<T> {
    /// Performs the handshake with a server.
    pub fn connect(connection: T, password: Option<&VncPassword>) -> Result<VncClient<T>, RfbError> {
        let mut wire = Wire::new(connection);
        let ServerStart { width, height, name } = shake(&mut wire, password)?;
        let screen = Framebuffer::black(width, height)?;
        let clipboard = Clipboard::of_server(&name);
        let mut format = vec![0; 4];
        format.extend(FORMAT);
        wire.send(&format)?;
        let mut readable = vec![2, 0];
        readable.extend((READABLE.len() as u16).to_be_bytes());
        readable.extend(READABLE.iter().flat_map(|encoding| encoding.to_be_bytes()));
        wire.send(&readable)?;
        Ok(VncClient {
            wire,
            name,
            screen,
            cursor: None,
            zrle: Zrle::new(),
            packed: Vec::new(),
            takes_scancodes: false,
            clipboard,
            on_pixels: |_| {},
        })
    }

    /// Returns the name that the server gives to its screen.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the connection.
    pub fn connection(&self) -> &T {
        self.wire.connection()
    }

    /// Returns the connection, so that the caller can change its timeouts.
    pub fn connection_mut(&mut self) -> &mut T {
        self.wire.connection_mut()
    }

    /// From now on, calls this function whenever pixels have arrived, so that the caller can extend the connection's
    /// timeouts.
    pub fn on_pixels(&mut self, extend: fn(&mut T)) {
        self.on_pixels = extend;
    }

    /// Returns whether the server has sent something that [`update`](VncClient::update) has yet to read.
    pub fn has_more(&self) -> bool {
        self.wire.has_more()
    }

    /// Returns the screen's contents, as far as the server has sent them.
    pub fn screen(&self) -> &Framebuffer {
        &self.screen
    }

    /// Returns the screen's contents, so that the caller can collect the damage.
    pub fn screen_mut(&mut self) -> &mut Framebuffer {
        &mut self.screen
    }

    /// Returns the mouse cursor, or `None` while the server draws the cursor into the picture.
    pub fn cursor(&self) -> Option<&ServerCursor> {
        self.cursor.as_ref()
    }

    /// Requests the changes in a part since the server last sent it. The server answers once something has changed.
    pub fn ask_for_changes(&mut self, part: Rectangle) -> Result<(), RfbError> {
        self.ask(true, part)
    }

    /// Requests a part in full.
    pub fn ask_for(&mut self, part: Rectangle) -> Result<(), RfbError> {
        self.ask(false, part)
    }

    fn ask(&mut self, changes_only: bool, part: Rectangle) -> Result<(), RfbError> {
        let mut message = vec![3, u8::from(changes_only)];
        for number in [part.x, part.y, part.width, part.height] {
            message.extend(number.to_be_bytes());
        }
        self.wire.send(&message)
    }

    /// Reads the server's messages until the end of the next update.
    ///
    /// The connection is unusable after an error.
    pub fn update(&mut self) -> Result<UpdateSummary, RfbError> {
        loop {
            if let Some(update) = self.message()? {
                return Ok(update);
            }
        }
    }

    /// Reads one message; returns `None` if it is not an update.
    ///
    /// The connection is unusable after an error.
    pub fn message(&mut self) -> Result<Option<UpdateSummary>, RfbError> {
        match self.wire.u8()? {
            0 => return self.rectangles().map(Some),
            1 => {
                let [_, _, _, high, low] = self.wire.bytes()?;
                self.wire.skip(6 * usize::from(u16::from_be_bytes([high, low])))?;
            }
            // A bell.
            2 => {}
            3 => {
                let _: [u8; 3] = self.wire.bytes()?;
                let length = self.wire.i32()?;
                self.read_clipboard(length)?;
            }
            _ => return Err(RfbError::Invalid("an unknown message")),
        }
        Ok(None)
    }

    /// Reads clipboard text or, if the length is negative, a message of the extended clipboard.
    fn read_clipboard(&mut self, length: i32) -> Result<(), RfbError> {
        let is_extended = length < 0;
        let length = length.unsigned_abs() as usize;
        if length > LONGEST_CLIPBOARD {
            return Err(RfbError::Invalid("clipboard data that is too long"));
        }
        if length > clipboard::MOST_PACKED {
            self.clipboard.pass_over();
            return self.wire.skip(length);
        }
        let mut bytes = Vec::new();
        self.wire.append(length, &mut bytes)?;
        if !is_extended {
            self.clipboard.take_plain(&bytes);
        } else if let Some(answer) = self.clipboard.take(&bytes)? {
            self.wire.send(&answer)?;
        }
        Ok(())
    }

    fn rectangles(&mut self) -> Result<UpdateSummary, RfbError> {
        let _ = self.wire.u8()?;
        let count = self.wire.u16()?;
        let mut summary = UpdateSummary::default();
        let mut left = count;
        while left > 0 {
            let part = Rectangle {
                x: self.wire.u16()?,
                y: self.wire.u16()?,
                width: self.wire.u16()?,
                height: self.wire.u16()?,
            };
            let encoding = self.wire.i32()?;
            if encoding == LAST_RECT {
                break;
            }
            self.rectangle(encoding, part, &mut summary)?;
            if count != UNCOUNTED {
                left -= 1;
            }
        }
        Ok(summary)
    }

    fn rectangle(&mut self, encoding: i32, part: Rectangle, summary: &mut UpdateSummary) -> Result<(), RfbError> {
        match encoding {
            RAW | COPY_RECT | ZRLE => {
                self.screen.check(part)?;
                self.pixels(encoding, part)?;
                self.screen.note(part);
                summary.drawn += part.pixels();
                summary.has_corner |= (part.x, part.y) == (0, 0) && part.pixels() > 0;
                if summary.drawn > DRAWN * self.screen.whole().pixels() {
                    return Err(RfbError::Invalid("an endless update"));
                }
            }
            CURSOR => self.read_cursor(part)?,
            DESKTOP_SIZE => self.resize(part, summary)?,
            EXTENDED_DESKTOP_SIZE => {
                let [monitors, ..] = self.wire.bytes::<4>()?;
                self.wire.skip(16 * usize::from(monitors))?;
                // Reason 1 with a nonzero status means that the server refused this client's request for another size.
                let is_refused = part.x == 1 && part.y != 0;
                if !is_refused {
                    self.resize(part, summary)?;
                }
            }
            QEMU_KEYS => self.takes_scancodes = true,
            _ => return Err(RfbError::Invalid("pixels in an encoding that FRANZ did not request")),
        }
        Ok(())
    }

    fn pixels(&mut self, encoding: i32, part: Rectangle) -> Result<(), RfbError> {
        match encoding {
            RAW => {
                for row in 0..usize::from(part.height) {
                    let row = self.screen.row_mut(part, row);
                    self.wire.fill(row)?;
                    // Servers can put anything into the fourth byte.
                    row.chunks_exact_mut(STEP).for_each(|pixel| pixel[3] = 0);
                    (self.on_pixels)(self.wire.connection_mut());
                }
            }
            COPY_RECT => {
                let (x, y) = (self.wire.u16()?, self.wire.u16()?);
                self.screen.check(Rectangle { x, y, ..part })?;
                self.screen.copy((x, y), part);
                (self.on_pixels)(self.wire.connection_mut());
            }
            _ => {
                let length = self.wire.u32()? as usize;
                // Data that cannot be compressed becomes slightly larger.
                if length > 2 * Zrle::most(part) + 1024 {
                    return Err(RfbError::Invalid("more compressed pixels than the rectangle has"));
                }
                self.packed.clear();
                let mut left = length;
                while left > 0 {
                    let piece = left.min(PIECE);
                    self.wire.append(piece, &mut self.packed)?;
                    (self.on_pixels)(self.wire.connection_mut());
                    left -= piece;
                }
                self.zrle.draw(&self.packed, part, &mut self.screen)?;
            }
        }
        Ok(())
    }

    fn resize(&mut self, to: Rectangle, summary: &mut UpdateSummary) -> Result<(), RfbError> {
        if (to.width, to.height) != (self.screen.width(), self.screen.height()) {
            self.screen = Framebuffer::black(to.width, to.height)?;
            *summary = UpdateSummary {
                resized: true,
                ..UpdateSummary::default()
            };
        }
        Ok(())
    }

    fn read_cursor(&mut self, part: Rectangle) -> Result<(), RfbError> {
        if part.width > LARGEST_CURSOR || part.height > LARGEST_CURSOR {
            return Err(RfbError::Invalid("a mouse cursor that is too large"));
        }
        let row = usize::from(part.width).div_ceil(8);
        let mut bytes = Vec::new();
        self.wire
            .append(part.pixels() * STEP + row * usize::from(part.height), &mut bytes)?;
        let (colours, mask) = bytes.split_at(part.pixels() * STEP);
        let width = usize::from(part.width).max(1);
        let pixels = colours.chunks_exact(STEP).enumerate().map(|(at, colour)| {
            let (x, y) = (at % width, at / width);
            let is_seen = mask[y * row + x / 8] >> (7 - x % 8) & 1 == 1;
            let [blue, green, red, _] = [colour[0], colour[1], colour[2], colour[3]];
            if is_seen {
                u32::from_be_bytes([255, red, green, blue])
            } else {
                0
            }
        });
        self.cursor = Some(ServerCursor {
            width: part.width,
            height: part.height,
            hot_spot: (part.x, part.y),
            pixels: pixels.collect(),
        });
        Ok(())
    }

    /// Sends the pointer position with each of these button states, in order: 1 left, 2 middle, 4 right, and the wheel
    /// 8 up, 16 down, 32 left, 64 right. One write carries all of them, so nothing can come between them.
    pub fn pointer(&mut self, x: u16, y: u16, buttons: &[u8]) -> Result<(), RfbError> {
        let mut message = Vec::new();
        for buttons in buttons {
            message.extend([5, *buttons]);
            message.extend(x.to_be_bytes());
            message.extend(y.to_be_bytes());
        }
        self.wire.send(&message)
    }

    /// Presses or releases the key that types a character.
    pub fn key(&mut self, keysym: u32, is_down: bool) -> Result<(), RfbError> {
        self.wire.send(&key(keysym, is_down))
    }

    /// Presses or releases a character's key together with Shift, in one message.
    pub fn shifted_key(&mut self, keysym: u32, is_down: bool) -> Result<(), RfbError> {
        let (shift, key) = (self.message_of(keysym::SHIFT, is_down), key(keysym, is_down));
        self.wire.send(&if is_down {
            [&shift[..], &key].concat()
        } else {
            [&key[..], &shift].concat()
        })
    }

    /// Presses and releases a character's key, in one message, while holding down another key if one is given.
    pub fn tap(&mut self, keysym: u32, with: Option<NamedKeysym>) -> Result<(), RfbError> {
        let mut message = [key(keysym, true), key(keysym, false)].concat();
        if let Some(held) = with {
            message.splice(0..0, self.message_of(held, true));
            message.extend(self.message_of(held, false));
        }
        self.wire.send(&message)
    }

    /// Presses or releases a key that types no character. Sends its scancode too if the server accepts scancodes.
    pub fn named_key(&mut self, named: NamedKeysym, is_down: bool) -> Result<(), RfbError> {
        let message = self.message_of(named, is_down);
        self.wire.send(&message)
    }

    /// Returns the state of the server's clipboard, as far as the server has reported it.
    pub fn clipboard(&self) -> &ServerClipboard {
        &self.clipboard.server
    }

    /// Returns whether the server supports the extended clipboard, which accepts any text and reports its contents on
    /// request. A server announces it soon after the client connects. Any other server reports only what is copied from
    /// then on.
    pub fn has_extended_clipboard(&self) -> bool {
        self.clipboard.is_extended
    }

    /// Returns whether the clipboard accepts this character, according to what the server has announced so far. Every
    /// server accepts Latin-1.
    pub fn clipboard_takes(&self, character: char) -> bool {
        self.clipboard.takes(character)
    }

    /// Returns how often the server has fetched the text set with [`set_clipboard`](VncClient::set_clipboard). The
    /// server asks for the text when one of its programs wants it, and [`message`](VncClient::message) answers.
    pub fn fetched(&self) -> u64 {
        self.clipboard.fetched
    }

    /// Asks whether there is text on the clipboard.
    pub fn ask_about_clipboard(&mut self) -> Result<(), RfbError> {
        self.wire.send(&clipboard::peek())
    }

    /// Asks for the text that the server offers.
    pub fn ask_for_clipboard(&mut self) -> Result<(), RfbError> {
        self.wire.send(&clipboard::request())
    }

    /// Puts text on the clipboard.
    pub fn set_clipboard(&mut self, text: &str) -> Result<(), RfbError> {
        let message = self.clipboard.offer(text);
        self.wire.send(&message)
    }

    fn message_of(&self, named: NamedKeysym, is_down: bool) -> Vec<u8> {
        if !self.takes_scancodes {
            return key(named.keysym, is_down).into();
        }
        let mut message = vec![255, 0, 0, u8::from(is_down)];
        message.extend(named.keysym.to_be_bytes());
        message.extend(named.scancode.to_be_bytes());
        message
    }
}

fn key(keysym: u32, is_down: bool) -> [u8; 8] {
    let [a, b, c, d] = keysym.to_be_bytes();
    [4, u8::from(is_down), 0, 0, a, b, c, d]
}
