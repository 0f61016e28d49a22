//! Types text exactly, whatever the keyboard layout.

use x11rb::protocol::xkb::{ConnectionExt as _, ID};

use super::keyboard::{Keyboard, no_room, put};
use super::layout::{Layout, Stroke, symbol_of};
use super::server::{Answer, Server, While};
use crate::desktop::display::{DisplayError, Press};

const DOING: &str = "typing";

impl Keyboard {
    /// Types text. `goes_on` is called after each character and during waits, and returns whether to continue.
    pub(super) fn type_text(
        &mut self,
        server: &Server,
        text: &str,
        goes_on: &mut dyn FnMut(Option<char>) -> bool,
    ) -> Result<(), DisplayError> {
        let mut fingers = Fingers {
            server,
            held: Vec::new(),
        };
        let done = self.unlock(server).during(DOING);
        let done = done.and_then(|()| self.type_parts(&mut fingers, text, goes_on));
        let up = fingers.up().during(DOING);
        // After an interruption, the rest of the text is not typed.
        let all = matches!(done, Ok(true));
        let back = self.settle(server, &mut || all && goes_on(None)).during(DOING);
        done.and(up).and(back)
    }

    /// Returns the characters of `text` that have neither a key nor a spare key to assign, each of them once.
    pub(super) fn lacks(&mut self, server: &Server, text: &str) -> Answer<Vec<char>> {
        let layout = self.layout(server)?;
        let mut lacking = Vec::new();
        for character in text.chars() {
            let has_key = stroke(character, &layout).is_some();
            let can_have = !character.is_control() && !layout.spare().is_empty();
            if !has_key && !can_have && !lacking.contains(&character) {
                lacking.push(character);
            }
        }
        Ok(lacking)
    }

    /// Unlocks `CapsLock` and other locks, which would change what is typed; `NumLock` would not.
    fn unlock(&mut self, server: &Server) -> Answer<()> {
        let num_lock = self.layout(server)?.num_lock;
        let state = server.connection.xkb_get_state(ID::USE_CORE_KBD.into())?.reply()?;
        self.loan.unlock(server, u16::from(state.locked_mods) as u8, num_lock)
    }

    /// Types the text in parts, each as long as possible without changing the keyboard in between. Returns whether all
    /// of it was typed.
    fn type_parts(
        &mut self,
        fingers: &mut Fingers<'_>,
        text: &str,
        goes_on: &mut dyn FnMut(Option<char>) -> bool,
    ) -> Result<bool, DisplayError> {
        let server = fingers.server;
        let layout = self.layout(server).during(DOING)?;
        let characters: Vec<_> = text.chars().collect();
        let mut rest = &characters[..];
        while !rest.is_empty() {
            let (part, lacking) = part(rest, &layout);
            if part == 0 {
                return Err(rest
                    .first()
                    .map_or_else(|| no_room("it"), |character| no_room(&shown(*character))));
            }
            let mut lent = Vec::new();
            if !lacking.is_empty() {
                fingers.up().during(DOING)?;
                self.wait_for_struck(&mut || goes_on(None)).during(DOING)?;
                if !goes_on(None) {
                    return Ok(false);
                }
                let symbols: Vec<_> = lacking.iter().copied().map(symbol_of).collect();
                lent = self.loan.exchange(server, &layout, &symbols).during(DOING)?;
                self.attention.wait(&mut || goes_on(None)).during(DOING)?;
                if !goes_on(None) {
                    return Ok(false);
                }
            }
            let (now, later) = rest.split_at(part);
            for &character in now {
                let key = lacking.iter().position(|&lacking| lacking == character);
                let lent = key
                    .and_then(|key| lent.get(key))
                    .map(|&code| Stroke { code, held: Vec::new() });
                if let Some(stroke) = lent.as_ref().or_else(|| stroke(character, &layout)) {
                    self.note(stroke.code);
                    fingers.strike(stroke).during(DOING)?;
                }
                if !goes_on(Some(character)) {
                    return Ok(false);
                }
            }
            rest = later;
        }
        Ok(true)
    }
}

/// Returns how many characters can be typed with the available spare keys, and which of them need a spare key.
fn part(text: &[char], layout: &Layout) -> (usize, Vec<char>) {
    let mut lacking = Vec::new();
    for (place, &character) in text.iter().enumerate() {
        if stroke(character, layout).is_some() || lacking.contains(&character) {
            continue;
        }
        if character.is_control() || lacking.len() == layout.spare().len() {
            return (place, lacking);
        }
        lacking.push(character);
    }
    (text.len(), lacking)
}

/// Returns the stroke that types a character on this layout.
fn stroke(character: char, layout: &Layout) -> Option<&Stroke> {
    match character {
        '\n' | '\r' => layout.symbol(xkeysym::key::Return),
        '\t' => layout.symbol(xkeysym::key::Tab),
        character => layout.character(character),
    }
}

fn shown(character: char) -> String {
    format!("{} (U+{:04X})", character.escape_default(), u32::from(character))
}

/// The keys held from one character to the next, such as Shift for a word in capitals.
struct Fingers<'a> {
    server: &'a Server,
    held: Vec<u8>,
}

impl Fingers<'_> {
    fn strike(&mut self, stroke: &Stroke) -> Answer<()> {
        if self.held != stroke.held {
            self.up()?;
            for &code in &stroke.held {
                self.held.push(code);
                put(self.server, code, Press::Down)?;
            }
        }
        // Release the key even if the press failed: the failure might have been noticed only after the key went down.
        let down = put(self.server, stroke.code, Press::Down);
        down.and(put(self.server, stroke.code, Press::Up))
    }

    fn up(&mut self) -> Answer<()> {
        while let Some(&code) = self.held.last() {
            put(self.server, code, Press::Up)?;
            self.held.pop();
        }
        Ok(())
    }
}

/// Leaves no key down, even if a function passed by the caller panics.
impl Drop for Fingers<'_> {
    fn drop(&mut self) {
        let _ = self.up();
    }
}
