//! A VNC server's screen as a display with one monitor.

use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use franz_action::Button;
use franz_action::keys::Key;
use franz_frame::{Area, Frame};
use franz_rfb::{Rectangle, RfbError, VncClient, keysym};

use super::connection::{PICTURE, PatientStream};
use super::keyboard::{RemoteKey, RemoteKeyboard, delay};
use super::{VncServer, claim, wait_from_now};
use crate::desktop::pasting::{lacking, rest_until};
use crate::desktop::{CursorImage, Display, DisplayError, GestureWatch, Input, Monitor, Press};

/// On the most common systems, two clicks within this time are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(500);

/// The pixel to request with every picture. The server answers such a request immediately, along with all changes.
const CORNER: Rectangle = Rectangle {
    x: 0,
    y: 0,
    width: 1,
    height: 1,
};

/// The buttons of the wheel.
const UP: u8 = 8;
const DOWN: u8 = 16;
const LEFT: u8 = 32;
const RIGHT: u8 = 64;

/// A VNC server's screen.
pub(super) struct RemoteDisplay {
    pub(super) client: VncClient<PatientStream>,
    server: VncServer,
    peer: SocketAddr,
    pub(super) keyboard: RemoteKeyboard,
    /// How long the server takes for one press or release.
    delay: Duration,
    /// Why the connection has failed and is therefore unusable.
    lost: Option<Arc<RfbError>>,
    /// Whether to request the whole screen.
    wants_all: bool,
    /// The part that the frame of the last capture shows.
    shown: Option<Area>,
    /// Where this connection has moved the pointer.
    pointer: Option<(u16, u16)>,
    /// The buttons that this connection holds down.
    buttons: u8,
    lock: Option<File>,
}

impl RemoteDisplay {
    pub(super) fn new(mut client: VncClient<PatientStream>, server: VncServer, peer: SocketAddr) -> RemoteDisplay {
        client.on_pixels(PatientStream::pixels_arrived);
        RemoteDisplay {
            keyboard: server.keyboard.of_server(client.name()),
            delay: delay(client.name()),
            client,
            server,
            peer,
            lost: None,
            wants_all: true,
            shown: None,
            pointer: None,
            buttons: 0,
            lock: None,
        }
    }

    /// Runs `act` on the connection. An error closes the connection.
    pub(super) fn during<T>(
        &mut self,
        doing: &'static str,
        act: impl FnOnce(&mut Self) -> Result<T, RfbError>,
    ) -> Result<T, DisplayError> {
        if let Some(error) = &self.lost {
            return Err(lost(doing, Arc::clone(error)));
        }
        wait_from_now(&mut self.client);
        act(self).map_err(|error| {
            let error = Arc::new(error);
            self.lost = Some(Arc::clone(&error));
            // Opening the screen again also claims it again.
            self.lock = None;
            self.client.connection().hang_up();
            lost(doing, error)
        })
    }

    /// Updates the known state of the screen, after reading everything that the server has already sent.
    pub(super) fn refresh(&mut self) -> Result<(), RfbError> {
        let picture = Instant::now() + PICTURE;
        self.client.connection_mut().wait_for_picture_until(picture);
        // Read the answers to earlier requests first, so that they are not mistaken for the answer to this one.
        while self.client.has_more() || self.client.connection().is_ready() {
            let update = self.client.message()?;
            self.wants_all |= update.is_some_and(|update| update.resized);
        }
        let mut drawn = 0;
        self.ask()?;
        loop {
            let update = self.client.update()?;
            if update.resized {
                self.wants_all = true;
                drawn = 0;
                self.ask()?;
                continue;
            }
            drawn += update.drawn;
            let whole = self.client.screen().whole();
            let is_answered = if self.wants_all {
                drawn >= whole.pixels()
            } else {
                update.has_corner
            };
            if is_answered {
                self.wants_all = false;
                return Ok(());
            }
            // Some servers answer every request for the whole screen only with updates about their monitors. The
            // requested pixels then arrive as changes.
            self.client.ask_for_changes(whole)?;
        }
    }

    fn ask(&mut self) -> Result<(), RfbError> {
        let whole = self.client.screen().whole();
        if self.wants_all {
            return self.client.ask_for(whole);
        }
        self.client.ask_for_changes(whole)?;
        self.client.ask_for(CORNER)
    }

    /// Returns the pointer's position, which is the middle of the screen until this connection moves the pointer.
    fn place(&self) -> (u16, u16) {
        let screen = self.client.screen();
        self.pointer.unwrap_or((screen.width() / 2, screen.height() / 2))
    }

    fn send_pointer(&mut self, doing: &'static str, buttons: &[u8]) -> Result<(), DisplayError> {
        let (x, y) = self.place();
        self.pointer = Some((x, y));
        self.during(doing, |display| display.client.pointer(x, y, buttons))
    }

    /// Presses the key of each character; returns `false` if it was interrupted.
    pub(super) fn tap(
        &mut self,
        text: &str,
        goes_on: &mut dyn FnMut(Option<char>) -> bool,
    ) -> Result<bool, DisplayError> {
        for character in text.chars() {
            // Press and release the key in one message, so that nothing stays down.
            let shift = self.keyboard.shifts(character).then_some(keysym::SHIFT);
            self.during("typing", |display| {
                display.client.tap(keysym::of_char(character), shift)
            })?;
            let taken = Instant::now() + self.delay * if shift.is_some() { 4 } else { 2 };
            if !goes_on(Some(character)) || !rest_until(taken, goes_on) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn whole(&self) -> Area {
        let screen = self.client.screen();
        Area::whole(screen.width().into(), screen.height().into())
    }
}

fn lost(doing: &'static str, error: Arc<RfbError>) -> DisplayError {
    DisplayError::Lost {
        doing,
        source: error.into(),
    }
}

impl Display for RemoteDisplay {
    fn name(&self) -> String {
        match self.client.name() {
            "" => self.server.address.to_string(),
            name => format!("{} ({name})", self.server.address),
        }
    }

    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError> {
        Ok(vec![Monitor {
            name: "screen".to_owned(),
            area: self.whole(),
        }])
    }

    fn capture(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError> {
        const DOING: &str = "taking a picture";
        let shown = self.shown.take().filter(|shown| *shown == area);
        let before = self.whole();
        self.during(DOING, RemoteDisplay::refresh)?;
        if self.whole() != before || area.intersection(&before) != Some(area) {
            return Err(DisplayError::failed(DOING, "the screen changed size"));
        }
        let drawn = self.client.screen_mut().take_damage();
        let part = match shown {
            Some(_) => drawn.and_then(|drawn| area_of(drawn).intersection(&area)),
            None => Some(area),
        };
        self.shown = Some(area);
        let Some(part) = part else { return Ok(None) };
        let screen = self.client.screen();
        let stride = usize::from(screen.width()) * 4;
        let rows = &screen.pixels()[part.y as usize * stride + part.x as usize * 4..];
        let inside = Area {
            x: part.x - area.x,
            y: part.y - area.y,
            ..part
        };
        Ok(frame.update(inside, rows, stride))
    }

    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError> {
        let (Some(cursor), Some((x, y))) = (self.client.cursor(), self.pointer) else {
            return Ok(None);
        };
        let is_seen = cursor.width > 0 && cursor.height > 0;
        Ok(is_seen.then(|| CursorImage {
            area: Area {
                x: i32::from(x) - i32::from(cursor.hot_spot.0),
                y: i32::from(y) - i32::from(cursor.hot_spot.1),
                width: cursor.width.into(),
                height: cursor.height.into(),
            },
            pixels: cursor.pixels.clone(),
        }))
    }

    fn pointer(&mut self) -> Result<Option<(i32, i32)>, DisplayError> {
        Ok(self.pointer.map(|(x, y)| (x.into(), y.into())))
    }

    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError> {
        let screen = self.client.screen();
        let within = |at: i32, side: u16| at.clamp(0, i32::from(side) - 1) as u16;
        self.pointer = Some((within(x, screen.width()), within(y, screen.height())));
        self.send_pointer("moving the pointer", &[self.buttons])
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError> {
        let bit = match button {
            Button::Left => 1,
            Button::Middle => 2,
            Button::Right => 4,
        };
        match press {
            Press::Down => self.buttons |= bit,
            Press::Up => self.buttons &= !bit,
        }
        self.send_pointer("pressing a button", &[self.buttons])
    }

    fn places_release(&self) -> bool {
        true
    }

    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError> {
        let notches = [(dy < 0, UP), (dy > 0, DOWN), (dx < 0, LEFT), (dx > 0, RIGHT)];
        for (_, bit) in notches.into_iter().filter(|(is_turned, _)| *is_turned) {
            self.send_pointer("turning the wheel", &[self.buttons | bit, self.buttons])?;
        }
        Ok(())
    }

    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError> {
        let is_down = press == Press::Down;
        let missing = || DisplayError::Refused(format!("this screen's keyboard has no key {key}"));
        let remote = RemoteKey::of(*key).ok_or_else(missing)?;
        let pressed = self.during("pressing a key", |display| match remote {
            RemoteKey::Char(character) if display.keyboard.shifts(character) => {
                display.client.shifted_key(keysym::of_char(character), is_down)
            }
            RemoteKey::Char(character) => display.client.key(keysym::of_char(character), is_down),
            RemoteKey::Named(named) => display.client.named_key(named, is_down),
        });
        std::thread::sleep(self.delay);
        pressed
    }

    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError> {
        if self.keyboard == RemoteKeyboard::Clipboard {
            self.paste_what_it_lacks(text, goes_on)?;
        } else {
            self.tap(text, goes_on)?;
        }
        Ok(())
    }

    fn lacks(&mut self, text: &str) -> Result<Vec<char>, DisplayError> {
        let has_clipboard = self.keyboard == RemoteKeyboard::Clipboard && !text.chars().all(|c| self.keyboard.has(c));
        if has_clipboard {
            // The server announces what its clipboard accepts soon after the connection, but not immediately.
            self.during("looking at the clipboard", RemoteDisplay::refresh)?;
        }
        Ok(lacking(text, |character| {
            self.keyboard.has(character) || (has_clipboard && self.takes(character))
        }))
    }

    fn double_click_time(&mut self) -> Duration {
        DOUBLE_CLICK
    }

    fn clipboard(&mut self) -> Result<Option<String>, DisplayError> {
        self.read_clipboard()
    }

    fn set_clipboard(&mut self, text: &str) -> Result<(), DisplayError> {
        self.write_clipboard(text)
    }

    fn claim(&mut self) -> Result<(), DisplayError> {
        if self.lock.is_none() {
            self.lock = Some(claim::claim(&self.server, self.peer)?);
        }
        Ok(())
    }

    /// Returns `None`, because a VNC server does not report what is held.
    fn held(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(None)
    }

    fn release(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(None)
    }

    /// Watches nothing, because a VNC server does not report who moves its mouse.
    fn watch(&mut self, _: Box<dyn FnMut(Input) + Send>) -> Result<Option<GestureWatch>, DisplayError> {
        Ok(None)
    }
}

fn area_of(part: Rectangle) -> Area {
    Area {
        x: part.x.into(),
        y: part.y.into(),
        width: part.width.into(),
        height: part.height.into(),
    }
}
