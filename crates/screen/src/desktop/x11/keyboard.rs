//! The keyboard: keys by name, and which of them are held.

use std::sync::Arc;
use std::time::{Duration, Instant};

use franz_action::keys::{Key, Modifier};
use x11rb::protocol::xkb::{ConnectionExt as _, ID};
use x11rb::protocol::xproto::{KEY_PRESS_EVENT, KEY_RELEASE_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;
use xkeysym::key;

use super::client_sync::ClientSync;
use super::key_remap::KeyRemap;
use super::layout::{Layout, Stroke, symbol_of};
use super::server::{Answer, Server, failed};
use crate::desktop::display::{DisplayError, Press};

/// The longest wait for a window manager that reloads the keyboard.
const RELOADING: Duration = Duration::from_secs(3);

/// Presses or releases the key with this code.
pub(super) fn put(server: &Server, code: u8, press: Press) -> Answer<()> {
    let event = match press {
        Press::Down => KEY_PRESS_EVENT,
        Press::Up => KEY_RELEASE_EVENT,
    };
    let done = server
        .connection
        .xtest_fake_input(event, code, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0)?;
    Ok(done.check()?)
}

/// A key that is down, with the keys held only for it.
struct Held {
    key: Key,
    codes: Vec<u8>,
}

/// The keyboard.
pub(super) struct Keyboard {
    pub(super) loan: KeyRemap,
    pub(super) attention: ClientSync,
    /// The layout and its group; `None` when it must be read again.
    layout: Option<(u8, Arc<Layout>)>,
    held: Vec<Held>,
    /// When a lent key was last struck; `None` once programs have processed all such strokes.
    struck: Option<Instant>,
}

impl Keyboard {
    pub(super) fn of(server: &Server, attention: ClientSync) -> Answer<Keyboard> {
        Ok(Keyboard {
            loan: KeyRemap::of(server)?,
            attention,
            layout: None,
            held: Vec::new(),
            struck: None,
        })
    }

    /// Forgets the layout, because it has changed.
    pub(super) fn forget(&mut self) {
        self.layout = None;
    }

    /// Returns the layout of the current group.
    pub(super) fn layout(&mut self, server: &Server) -> Answer<Arc<Layout>> {
        let state = server.connection.xkb_get_state(ID::USE_CORE_KBD.into())?.reply()?;
        let group = u8::from(state.group);
        if self.layout.as_ref().is_some_and(|(known, _)| *known != group) {
            self.layout = None;
        }
        if self.layout.is_none() && !self.loan.is_out() {
            self.loan.repair(server)?;
        }
        let layout = match self.layout.take() {
            Some((_, known)) => known,
            None => Arc::new(Layout::read(server, group)?),
        };
        self.layout = Some((group, Arc::clone(&layout)));
        Ok(layout)
    }

    /// Lends keys to the symbols that the layout lacks, and waits until programs have noticed.
    pub(super) fn prepare(
        &mut self,
        server: &Server,
        keys: &[Key],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), DisplayError> {
        let mut lent = false;
        for key in keys {
            if self.stroke(server, *key, keys).map_err(pressing)?.is_none() {
                let layout = self.layout(server).map_err(pressing)?;
                let code = self.loan.lend(server, &layout, symbol(*key)).map_err(pressing)?;
                code.ok_or_else(|| no_room(&key.to_string()))?;
                lent = true;
            }
        }
        if lent {
            self.attention.wait(goes_on).map_err(pressing)?;
        }
        Ok(())
    }

    /// Undoes the lending of keys, once programs have processed the strokes, and waits until the window manager has
    /// noticed: while it reloads the keyboard, it passes no click on.
    pub(super) fn settle(&mut self, server: &Server, goes_on: &mut dyn FnMut() -> bool) -> Answer<()> {
        let understood = self.wait_for_struck(goes_on);
        let shortly = match (self.struck, goes_on()) {
            (Some(last), false) => self.attention.wait_shortly(last).map(drop),
            _ => Ok(()),
        };
        let was_out = self.loan.is_out();
        let back = self.give_back(server);
        let noticed = if was_out && goes_on() {
            self.attention.pass(RELOADING, goes_on).map(drop)
        } else {
            Ok(())
        };
        understood.and(shortly).and(back).and(noticed)
    }

    /// Waits until programs have processed the strokes of lent keys.
    pub(super) fn wait_for_struck(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Answer<()> {
        if self.struck.is_some() && self.attention.wait(goes_on)? {
            self.struck = None;
        }
        Ok(())
    }

    /// Records a stroke.
    pub(super) fn note(&mut self, code: u8) {
        if self.loan.is_lent(code) {
            self.struck = Some(Instant::now());
        }
    }

    pub(super) fn press(&mut self, server: &Server, key: Key) -> Result<(), DisplayError> {
        let together: Vec<_> = self.held.iter().map(|held| held.key).collect();
        let stroke = self.stroke(server, key, &together).map_err(pressing)?;
        let stroke = stroke.ok_or_else(|| no_room(&key.to_string()))?;
        self.note(stroke.code);
        let down = |code: &u8| self.held.iter().any(|held| held.codes.contains(code));
        let mut codes: Vec<_> = stroke.held.into_iter().filter(|code| !down(code)).collect();
        codes.push(stroke.code);
        // Record the keys before pressing them, so that they are released even if the press fails halfway.
        let to_press = codes.clone();
        self.held.push(Held { key, codes });
        to_press
            .into_iter()
            .try_for_each(|code| put(server, code, Press::Down))
            .map_err(pressing)
    }

    pub(super) fn release(&mut self, server: &Server, key: Key) -> Result<(), DisplayError> {
        let Some(place) = self.held.iter().rposition(|held| held.key == key) else {
            return Ok(());
        };
        for code in self
            .held
            .get(place)
            .map_or_else(Vec::new, |held| held.codes.clone())
            .into_iter()
            .rev()
        {
            put(server, code, Press::Up).map_err(pressing)?;
            // A key repeats until it is released.
            self.note(code);
        }
        self.held.remove(place);
        Ok(())
    }

    /// Releases everything pressed here, and restores the keyboard.
    pub(super) fn let_go(&mut self, server: &Server) -> Answer<()> {
        while let Some(held) = self.held.last() {
            for &code in held.codes.iter().rev() {
                put(server, code, Press::Up)?;
            }
            self.held.pop();
        }
        self.give_back(server)
    }

    pub(super) fn give_back(&mut self, server: &Server) -> Answer<()> {
        if self.loan.is_out() {
            self.forget();
        }
        self.struck = None;
        self.loan.give_back(server)
    }

    /// Returns the key, and what must be held when it is pressed together with the others; `None` if there is no such
    /// key.
    fn stroke(&mut self, server: &Server, key: Key, together: &[Key]) -> Answer<Option<Stroke>> {
        // Chords name keys as they are printed: Ctrl+T does not include Shift.
        let commanding = together
            .iter()
            .any(|key| matches!(key, Key::Modifier(modifier) if *modifier != Modifier::Shift));
        let layout = self.layout(server)?;
        let stroke = match key {
            Key::Char(character) => {
                let small = small(character).filter(|_| commanding);
                let small = small.and_then(|small| layout.character(small));
                small.or_else(|| layout.character(character))
            }
            Key::Named("printscreen") => layout.symbol(key::Print).or_else(|| layout.symbol(key::Sys_Req)),
            key => layout.symbol(symbol(key)),
        };
        let mut stroke = stroke.cloned();
        if let (Some(stroke), false) = (&mut stroke, matches!(key, Key::Char(_))) {
            // On any level but its own, a named key would be a different key.
            stroke.held.retain(|_| matches!(key, Key::Function(_)));
        }
        let lent = || self.loan.key(symbol(key)).map(|code| Stroke { code, held: Vec::new() });
        Ok(stroke.or_else(lent))
    }
}

fn pressing(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DisplayError {
    failed("pressing a key", error)
}

/// Creates the error for something that cannot be typed on this keyboard.
pub(super) fn no_room(what: &str) -> DisplayError {
    DisplayError::Refused(format!(
        "the keyboard has no key for {what}, and no spare key to assign it to; choose a layout that has it"
    ))
}

fn small(character: char) -> Option<char> {
    let mut small = character.to_lowercase();
    small.next().filter(|_| small.next().is_none())
}

/// Returns the symbol of a key (X11's `keysymdef.h`).
fn symbol(key: Key) -> u32 {
    match key {
        Key::Char(character) => symbol_of(character),
        Key::Function(number) => key::F1 + u32::from(number.saturating_sub(1)),
        Key::Modifier(Modifier::Ctrl) => key::Control_L,
        Key::Modifier(Modifier::Alt) => key::Alt_L,
        Key::Modifier(Modifier::Shift) => key::Shift_L,
        Key::Modifier(Modifier::Win) => key::Super_L,
        Key::Named(name) => named(name),
    }
}

/// The symbols of [`Key::NAMED`].
const NAMED: [(&str, u32); 21] = [
    ("enter", key::Return),
    ("esc", key::Escape),
    ("tab", key::Tab),
    ("space", key::space),
    ("backspace", key::BackSpace),
    ("delete", key::Delete),
    ("insert", key::Insert),
    ("home", key::Home),
    ("end", key::End),
    ("pageup", key::Page_Up),
    ("pagedown", key::Page_Down),
    ("up", key::Up),
    ("down", key::Down),
    ("left", key::Left),
    ("right", key::Right),
    ("capslock", key::Caps_Lock),
    ("numlock", key::Num_Lock),
    ("scrolllock", key::Scroll_Lock),
    ("printscreen", key::Print),
    ("pause", key::Pause),
    ("menu", key::Menu),
];

fn named(name: &str) -> u32 {
    let found = NAMED.iter().find(|(known, _)| *known == name);
    found.map_or(super::layout::NONE, |(_, symbol)| *symbol)
}

/// Returns the name that people use for a symbol.
pub(super) fn name(symbol: u32) -> Option<String> {
    let modifier = match symbol {
        key::Control_L | key::Control_R => "ctrl",
        key::Alt_L | key::Alt_R | key::Meta_L | key::Meta_R => "alt",
        key::Shift_L | key::Shift_R => "shift",
        key::Super_L | key::Super_R => "win",
        key::ISO_Level3_Shift => "altgr",
        _ => "",
    };
    let named = NAMED.iter().find(|(_, known)| *known == symbol).map(|(name, _)| *name);
    let known = Some(modifier)
        .filter(|name| !name.is_empty())
        .or(named)
        .map(str::to_owned);
    let function = || {
        (key::F1..=key::F24)
            .contains(&symbol)
            .then(|| format!("f{}", symbol - key::F1 + 1))
    };
    let printed = || xkeysym::Keysym::new(symbol).key_char().map(String::from);
    known.or_else(function).or_else(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_key_has_a_symbol() {
        for name in Key::NAMED {
            let symbol = symbol(Key::Named(name));
            assert_ne!(symbol, super::super::layout::NONE, "{name}");
            assert_eq!(super::name(symbol).as_deref(), Some(name));
        }
        assert_eq!(symbol(Key::Function(24)), key::F24);
        assert_eq!(name(symbol(Key::Function(13))).as_deref(), Some("f13"));
        assert_eq!(name(symbol(Key::Modifier(Modifier::Win))).as_deref(), Some("win"));
        assert_eq!(name(symbol(Key::Char('é'))).as_deref(), Some("é"));
        assert_eq!(small('ß'), Some('ß'));
        assert_eq!(small('İ'), None, "two characters are no key");
    }
}
