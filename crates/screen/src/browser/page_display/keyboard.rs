//! The keyboard for the page in front, and the browser's own keys.

use franz_action::keys::{Key, Modifier};
use serde_json::json;

use super::{BROWSER, LOOK, PageDisplay, Told};
use crate::browser::EMPTY;
use crate::browser::connection::Unanswered;
use crate::browser::keys::{ModifierBits, PageKey};
use crate::browser::message::Command;
use crate::browser::shortcut::Shortcut;
use crate::desktop::{Display as _, DisplayError, Hold};

/// How many events may be pending during typing.
const AHEAD: usize = 16;

impl PageDisplay {
    pub(super) fn press_key(&mut self, key: Key) -> Result<(), DisplayError> {
        let hold = Hold::Key(key);
        if let Key::Modifier(modifier) = key {
            self.modifiers = self.modifiers.with(modifier);
        }
        let Some(session) = self.listening("pressing a key")? else {
            self.held.push((hold, Told::Nobody));
            // The only way out of a page that keeps opening dialogs is to close its tab.
            return match Shortcut::of(key, self.modifiers) {
                Some(shortcut @ (Shortcut::CloseTab | Shortcut::NewTab | Shortcut::NextTab)) => self.perform(shortcut),
                _ => self.key_to_dialog(key),
            };
        };
        if let Some(shortcut) = Shortcut::of(key, self.modifiers) {
            self.held.push((hold, Told::Nobody));
            return self.perform(shortcut);
        }
        let Some(page_key) = PageKey::of(key) else {
            self.held.push((hold, Told::Nobody));
            if let Key::Char(character) = key {
                self.insert(&session, character)?;
            }
            return Ok(());
        };
        self.held.push((hold, Told::Page(session.clone())));
        let modifiers = self.shifted(&page_key);
        self.send(&session, "Input.dispatchKeyEvent", page_key.down(modifiers))?;
        self.connection.rest(&session, 0, LOOK, &mut || true);
        Ok(())
    }

    pub(super) fn release_key(&mut self, key: Key) -> Result<(), DisplayError> {
        if let Key::Modifier(modifier) = key {
            self.modifiers = self.modifiers.without(modifier);
        }
        let (Some(Told::Page(session)), Some(page_key)) = (self.let_go_of(Hold::Key(key)), PageKey::of(key)) else {
            return Ok(());
        };
        let modifiers = self.shifted(&page_key);
        self.send(&session, "Input.dispatchKeyEvent", page_key.up(modifiers))
    }

    pub(super) fn shifted(&self, key: &PageKey) -> ModifierBits {
        if key.is_shifted {
            self.modifiers.with(Modifier::Shift)
        } else {
            self.modifiers
        }
    }

    pub(super) fn insert(&self, session: &str, character: char) -> Result<(), DisplayError> {
        // Text travels by a different route from key presses, and must not overtake them.
        self.connection.rest(session, 0, LOOK, &mut || true);
        self.send(session, "Input.insertText", json!({ "text": character.to_string() }))?;
        self.connection.rest(session, 0, LOOK, &mut || true);
        Ok(())
    }

    /// Types a character into the page or the dialog in front.
    pub(super) fn type_character(&mut self, character: char) -> Result<(), DisplayError> {
        let key = match character {
            '\n' | '\r' => Key::Named("enter"),
            '\t' => Key::Named("tab"),
            other => Key::Char(other),
        };
        let Some(session) = self.listening("typing")? else {
            return self.key_to_dialog(key);
        };
        let Some(page_key) = PageKey::of(key) else {
            return self.insert(&session, character);
        };
        let modifiers = self.shifted(&page_key);
        self.send(&session, "Input.dispatchKeyEvent", page_key.down(modifiers))?;
        self.send(&session, "Input.dispatchKeyEvent", page_key.up(modifiers))?;
        // Enter can open another page or a dialog, which must get the characters that follow.
        let ahead = if key == Key::Named("enter") { 0 } else { AHEAD };
        self.connection.rest(&session, ahead, LOOK, &mut || true);
        Ok(())
    }

    pub(super) fn perform(&mut self, shortcut: Shortcut) -> Result<(), DisplayError> {
        const DOING: &str = "using the browser";
        match shortcut {
            Shortcut::Back => self.travel(-1),
            Shortcut::Forward => self.travel(1),
            Shortcut::Reload => {
                let session = self.session(DOING)?;
                self.tell(&Command::to_page(&session, "Page.reload", json!({})), DOING)
            }
            Shortcut::NewTab => {
                let new = Command::to_browser("Target.createTarget", json!({ "url": EMPTY }));
                self.ask_browser(&new, DOING)
            }
            Shortcut::CloseTab => match self.connection.with_tabs(|tabs| tabs.close_front()) {
                Some(close) => {
                    let id = self.front(DOING, |tab| tab.id)?;
                    self.ask_browser(&close, DOING)?;
                    self.connection
                        .wait_for_tabs(BROWSER, |tabs| tabs.front().is_some_and(|tab| tab.id != id));
                    Ok(())
                }
                None => Ok(()),
            },
            Shortcut::NextTab => {
                let last = self
                    .connection
                    .with_tabs(|tabs| tabs.front_first().last().map(|tab| tab.id));
                match last {
                    Some(id) => self.focus(id).map(drop),
                    None => Ok(()),
                }
            }
        }
    }

    pub(super) fn ask_browser(&self, command: &Command, doing: &'static str) -> Result<(), DisplayError> {
        match self.connection.ask(command, BROWSER) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.while_doing(doing)),
        }
    }

    /// Moves this many steps through the history of the page in front, if the history is that long.
    pub(super) fn travel(&self, steps: i64) -> Result<(), DisplayError> {
        const DOING: &str = "going back or forward";
        let session = self.session(DOING)?;
        let history = Command::to_page(&session, "Page.getNavigationHistory", json!({}));
        let history = match self.connection.ask(&history, BROWSER) {
            Ok(history) => history,
            Err(Unanswered::InDialog) => return Ok(()),
            Err(error) => return Err(error.while_doing(DOING)),
        };
        let wanted = history["currentIndex"].as_i64().map(|current| current + steps);
        let wanted = wanted.and_then(|wanted| usize::try_from(wanted).ok());
        let entry = wanted.and_then(|wanted| history["entries"].get(wanted));
        // The history might begin with the empty page that a tab starts with. Never go back to that page.
        let Some(entry) = entry.filter(|_| wanted > Some(0) || history["entries"][0]["url"] != EMPTY) else {
            return Ok(());
        };
        let go = Command::to_page(
            &session,
            "Page.navigateToHistoryEntry",
            json!({ "entryId": entry["id"] }),
        );
        self.tell(&go, DOING)
    }
}
