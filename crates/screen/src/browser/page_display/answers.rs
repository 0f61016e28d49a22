//! Answers dialogs with keys or buttons.

use franz_action::keys::{Key, Modifier};
use serde_json::{Value, json};

use super::{BROWSER, PageDisplay};
use crate::browser::dialog::{Choice, DialogKind};
use crate::browser::message::Command;
use crate::browser::tabs::Tab;
use crate::desktop::DisplayError;

impl PageDisplay {
    /// Answers the dialog of the page in front, and waits until it is closed.
    pub(super) fn answer(&mut self, choice: Choice) -> Result<(), DisplayError> {
        const DOING: &str = "answering a dialog";
        let dialog = self.front(DOING, |tab| Some((tab.session.clone(), tab.dialog.clone()?)))?;
        let Some((session, dialog)) = dialog else { return Ok(()) };
        let command = if dialog.kind == DialogKind::Crash {
            self.connection.with_tabs(|tabs| {
                if let Some(tab) = tabs.of_session_mut(&session) {
                    tab.dialog = None;
                }
            });
            Command::to_page(&session, "Page.reload", json!({}))
        } else {
            let mut params = json!({ "accept": choice == Choice::Accept });
            if dialog.kind == DialogKind::Prompt {
                params["promptText"] = Value::from(dialog.field.as_str());
            }
            Command::to_page(&session, "Page.handleJavaScriptDialog", params)
        };
        self.tell(&command, DOING)?;
        self.connection.wait_for_tabs(BROWSER, |tabs| {
            let open = tabs.of_session(&session).and_then(|tab| tab.dialog.as_ref());
            open.is_none_or(|open| open.id != dialog.id)
        });
        Ok(())
    }

    /// Passes a key to the dialog of the page in front.
    pub(super) fn key_to_dialog(&mut self, key: Key) -> Result<(), DisplayError> {
        let ctrl = self.modifiers.has(Modifier::Ctrl);
        let take = |tab: &mut Tab| tab.dialog.as_mut().and_then(|dialog| dialog.take(key, ctrl));
        match self.front("sending input", take)? {
            Some(choice) => self.answer(choice),
            None => Ok(()),
        }
    }

    /// Returns the answer whose button in the open dialog is at this position.
    pub(super) fn choice_at(&mut self, at: (i32, i32)) -> Result<Option<Choice>, DisplayError> {
        let dialog = self.front("sending input", |tab| tab.dialog.clone())?;
        let layout = dialog.map(|dialog| dialog.layout(self.whole(), &mut self.lettering));
        Ok(layout.and_then(|layout| layout.choice(at)))
    }
}
