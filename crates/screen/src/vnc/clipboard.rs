//! A VNC server's clipboard, and typing through it.

use std::time::{Duration, Instant};

use franz_rfb::{ServerClipboard, keysym};

use super::keyboard::RemoteKeyboard;
use super::remote_display::RemoteDisplay;
use crate::desktop::DisplayError;
use crate::desktop::pasting::{
    NOT_PASTED, NOTICED, Piece, SLICE, await_pasting, enter_all, lacking, pieces, rest_until,
};

/// How long to wait for a program to hand over the text that it has copied, or to fetch the text that it is to paste.
const PATIENCE: Duration = Duration::from_secs(1);

/// Most servers send text only when it is copied, and never again.
const UNTOLD: &str =
    "this VNC server has not sent its clipboard: it does so only when something is copied; copy the text again";

impl RemoteDisplay {
    pub(super) fn read_clipboard(&mut self) -> Result<Option<String>, DisplayError> {
        const DOING: &str = "reading the clipboard";
        self.during(DOING, RemoteDisplay::refresh)?;
        if *self.client.clipboard() == ServerClipboard::Untold && self.client.has_extended_clipboard() {
            self.during(DOING, |display| {
                display.client.ask_about_clipboard()?;
                display.refresh()
            })?;
        }
        if *self.client.clipboard() == ServerClipboard::Offered {
            self.during(DOING, |display| display.client.ask_for_clipboard())?;
            let deadline = Instant::now() + PATIENCE;
            while *self.client.clipboard() == ServerClipboard::Offered && Instant::now() < deadline {
                self.during(DOING, RemoteDisplay::refresh)?;
                std::thread::sleep(SLICE);
            }
        }
        let why = match self.client.clipboard() {
            ServerClipboard::Text(text) => return Ok(Some(text.clone())),
            ServerClipboard::Empty => return Ok(None),
            ServerClipboard::Untold if self.client.has_extended_clipboard() => return Ok(None),
            ServerClipboard::Untold => UNTOLD,
            ServerClipboard::Offered => {
                "the program that copied the text there is not handing it over; copy the text again"
            }
            ServerClipboard::TooLong => "the text on the clipboard there is too long to read; copy less of it",
        };
        Err(DisplayError::Refused(why.to_owned()))
    }

    pub(super) fn write_clipboard(&mut self, text: &str) -> Result<(), DisplayError> {
        const DOING: &str = "writing to the clipboard";
        // The server must have announced what its clipboard accepts.
        self.during(DOING, RemoteDisplay::refresh)?;
        let lacking = lacking(text, |character| self.takes(character));
        if !lacking.is_empty() {
            let some: String = lacking.iter().take(10).collect();
            return Err(DisplayError::Refused(format!(
                "nothing was written: the clipboard of this VNC server accepts only Latin-1, which lacks {some}; leave that out"
            )));
        }
        self.during(DOING, |display| {
            display.client.set_clipboard(text)?;
            display.refresh()
        })
    }

    /// Returns whether the clipboard accepts this character, according to what the server has announced so far.
    pub(super) fn takes(&self, character: char) -> bool {
        let is_text = !character.is_control() || matches!(character, '\n' | '\r' | '\t');
        is_text && self.client.clipboard_takes(character)
    }

    /// Types piece by piece, splitting at line breaks and tabs, and pastes each piece that has characters without a
    /// key.
    pub(super) fn paste_what_it_lacks(
        &mut self,
        text: &str,
        goes_on: &mut dyn FnMut(Option<char>) -> bool,
    ) -> Result<bool, DisplayError> {
        let pieces = pieces(text, |character| RemoteKeyboard::Us.has(character));
        enter_all(pieces, |piece| match piece {
            Piece::Typed(text) => self.tap(text, goes_on),
            Piece::Pasted(text) => self.paste(text, goes_on),
        })
    }

    fn paste(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<bool, DisplayError> {
        let before = self.client.fetched();
        self.write_clipboard(text)?;
        if !rest_until(Instant::now() + NOTICED, goes_on) {
            return Ok(false);
        }
        self.during("pasting", |display| {
            display.client.tap(keysym::of_char('v'), Some(keysym::CTRL))
        })?;
        let deadline = Instant::now() + PATIENCE;
        while self.client.has_extended_clipboard() && self.client.fetched() == before && Instant::now() < deadline {
            self.during("pasting", RemoteDisplay::refresh)?;
            if !rest_until(Instant::now() + SLICE, goes_on) {
                return Ok(false);
            }
        }
        if self.client.has_extended_clipboard() && self.client.fetched() == before {
            return Err(DisplayError::Refused(NOT_PASTED.to_owned()));
        }
        Ok(await_pasting(text, goes_on))
    }
}
