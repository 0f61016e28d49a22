//! Temporarily assigns symbols to keys that have none, so that every character can be typed, and removes them
//! afterwards.
//!
//! Before lending a symbol to a key, this process records the change in a property of the root window. It also owns a
//! selection for as long as it lives. Any other process can then detect and repair the changes that a killed process
//! has left.

use std::time::Instant;

use x11rb::connection::Connection as _;
use x11rb::protocol::xkb::{ConnectionExt as _, Group, ID};
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, PropMode, Window, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

use super::layout::{Layout, NONE};
use super::server::{Answer, LINGERING, Server};

/// The name of the property and of the selection.
const NAME: &str = "_FRANZ_KEYBOARD";

/// The changes made to the keyboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Changes {
    /// Modifiers that were locked, such as `CapsLock`, and are temporarily unlocked.
    unlocked: u8,
    /// Keys that had no symbol, each with the symbol lent to it.
    lent: Vec<(u8, u32)>,
}

impl Changes {
    fn words(&self) -> Vec<u32> {
        let lent = self.lent.iter().flat_map(|&(code, symbol)| [u32::from(code), symbol]);
        std::iter::once(u32::from(self.unlocked)).chain(lent).collect()
    }

    fn from_words(words: &[u32]) -> Changes {
        let (unlocked, lent) = words.split_first().unwrap_or((&0, &[]));
        let pair = |pair: &[u32]| match pair {
            [code, symbol] => Some((u8::try_from(*code).ok()?, *symbol)),
            _ => None,
        };
        Changes {
            unlocked: *unlocked as u8,
            lent: lent.chunks_exact(2).filter_map(pair).collect(),
        }
    }
}

/// Temporary changes to the keyboard.
pub(super) struct KeyRemap {
    mark: Atom,
    /// The window that owns the selection.
    window: Window,
    changes: Changes,
}

impl KeyRemap {
    pub(super) fn of(server: &Server) -> Answer<KeyRemap> {
        let window = server.connection.generate_id()?;
        let (class, aux) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
        server
            .connection
            .create_window(0, window, server.root, -1, -1, 1, 1, 0, class, 0, &aux)?;
        Ok(KeyRemap {
            mark: server.atom(NAME)?,
            window,
            changes: Changes::default(),
        })
    }

    /// Lends a symbol to a spare key in addition to those already lent; returns `None` if there is no such key.
    pub(super) fn lend(&mut self, server: &Server, layout: &Layout, symbol: u32) -> Answer<Option<u8>> {
        let free = layout.spare().iter().copied().find(|code| !self.is_lent(*code));
        if let Some(code) = free {
            self.changes.lent.push((code, symbol));
            self.note(server)?;
            set(server, &[(code, symbol)])?;
        }
        Ok(free)
    }

    /// Lends these symbols to the first spare keys, whatever was lent to them before; returns the keys.
    pub(super) fn exchange(&mut self, server: &Server, layout: &Layout, symbols: &[u32]) -> Answer<Vec<u8>> {
        let spare = layout.spare().iter().copied();
        let lent: Vec<_> = spare.zip(symbols.iter().copied()).collect();
        let is_new = |code: u8| lent.iter().any(|(new, _)| *new == code);
        self.changes.lent.retain(|(code, _)| !is_new(*code));
        self.changes.lent.extend(&lent);
        self.note(server)?;
        set(server, &lent)?;
        Ok(lent.into_iter().map(|(code, _)| code).collect())
    }

    /// Unlocks `CapsLock` and the like, except for the modifiers in `but`.
    pub(super) fn unlock(&mut self, server: &Server, locked: u8, but: u8) -> Answer<()> {
        let unlocked = locked & !but;
        if unlocked != 0 {
            self.changes.unlocked |= unlocked;
            self.note(server)?;
            lock(server, unlocked, 0)?;
        }
        Ok(())
    }

    /// Returns whether any symbol is lent.
    pub(super) fn is_out(&self) -> bool {
        !self.changes.lent.is_empty()
    }

    /// Returns the key that was lent this symbol.
    pub(super) fn key(&self, symbol: u32) -> Option<u8> {
        let lent = self.changes.lent.iter().find(|(_, lent)| *lent == symbol);
        lent.map(|(code, _)| *code)
    }

    /// Returns whether this key was lent a symbol.
    pub(super) fn is_lent(&self, code: u8) -> bool {
        self.changes.lent.iter().any(|(lent, _)| *lent == code)
    }

    /// Restores the keyboard.
    pub(super) fn give_back(&mut self, server: &Server) -> Answer<()> {
        if self.changes == Changes::default() {
            return Ok(());
        }
        undo(server, &self.changes)?;
        server.connection.delete_property(server.root, self.mark)?.check()?;
        self.changes = Changes::default();
        Ok(())
    }

    /// Undoes the changes that a process left when it was killed.
    pub(super) fn repair(&self, server: &Server) -> Answer<()> {
        let connection = &server.connection;
        let (kind, most) = (AtomEnum::CARDINAL, 1 + 2 * 256);
        let deadline = Instant::now() + LINGERING;
        let mut changes = loop {
            let owner = connection.get_selection_owner(self.mark)?.reply()?.owner;
            let left = connection
                .get_property(false, server.root, self.mark, kind, 0, most)?
                .reply()?;
            match left.value32() {
                Some(words) if owner == x11rb::NONE => break Changes::from_words(&words.collect::<Vec<_>>()),
                Some(_) if Instant::now() < deadline => std::thread::sleep(LINGERING / 20),
                _ => return Ok(()),
            }
        };
        // If the user has chosen another layout since, these keys might now have symbols that should stay.
        let mut still = Vec::new();
        for (code, symbol) in changes.lent {
            let now = connection.get_keyboard_mapping(code, 1)?.reply();
            if now.is_ok_and(|now| now.keysyms.first() == Some(&symbol)) {
                still.push((code, symbol));
            }
        }
        changes.lent = still;
        undo(server, &changes)?;
        connection.delete_property(server.root, self.mark)?.check()?;
        Ok(())
    }

    /// Records the changes before they are made.
    fn note(&self, server: &Server) -> Answer<()> {
        let connection = &server.connection;
        connection.set_selection_owner(self.window, self.mark, x11rb::CURRENT_TIME)?;
        let (kind, words) = (AtomEnum::CARDINAL, self.changes.words());
        connection
            .change_property32(PropMode::REPLACE, server.root, self.mark, kind, &words)?
            .check()?;
        Ok(())
    }
}

fn undo(server: &Server, changes: &Changes) -> Answer<()> {
    let empty: Vec<_> = changes.lent.iter().map(|(code, _)| (*code, NONE)).collect();
    set(server, &empty)?;
    if changes.unlocked != 0 {
        lock(server, changes.unlocked, changes.unlocked)?;
    }
    Ok(())
}

/// Assigns symbols to keys, with one request per run of adjacent keys, because every program reloads its whole keyboard
/// after each.
fn set(server: &Server, symbols: &[(u8, u32)]) -> Answer<()> {
    let mut sorted = symbols.to_vec();
    sorted.sort_unstable();
    let mut asked = Vec::new();
    for run in sorted.chunk_by(|(before, _), (code, _)| before.checked_add(1) == Some(*code)) {
        // Set the symbol twice, because a single symbol would become a capital letter with Shift.
        let pairs: Vec<_> = run.iter().flat_map(|&(_, symbol)| [symbol, symbol]).collect();
        if let Some((first, _)) = run.first() {
            let count = run.len() as u8;
            asked.push(server.connection.change_keyboard_mapping(count, *first, 2, &pairs)?);
        }
    }
    for request in asked {
        request.check()?;
    }
    Ok(())
}

fn lock(server: &Server, affected: u8, locked: u8) -> Answer<()> {
    let core = u16::from(ID::USE_CORE_KBD);
    let (affected, locked) = (affected.into(), locked.into());
    let asked =
        server
            .connection
            .xkb_latch_lock_state(core, affected, locked, false, Group::M1, 0u16.into(), false, 0)?;
    Ok(asked.check()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyboard_changes_round_trip_through_words() {
        let changes = Changes {
            unlocked: 2,
            lent: vec![(97, 0x0100_00e9), (98, 0xe9)],
        };
        assert_eq!(Changes::from_words(&changes.words()), changes);
        assert_eq!(Changes::from_words(&[]), Changes::default());
        assert_eq!(
            Changes::from_words(&[0, 999, 1, 8]),
            Changes::default(),
            "what is no key is left alone"
        );
    }
}
