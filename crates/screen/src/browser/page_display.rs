//! The page in front, as a display.

mod answers;
mod keyboard;
mod mouse;
mod picture;

use std::time::Duration;

use franz_action::Button;
use franz_action::keys::Key;
use franz_frame::{Area, Frame, Lettering};
use serde_json::{Value, json};

use super::arrow;
use super::connection::Connection;
use super::dialog::Choice;
use super::keys::ModifierBits;
use super::message::Command;
use super::tabs::{Tab, Viewport};
use crate::desktop::{CursorImage, Display, DisplayError, GestureWatch, Hold, Input, Monitor, Press};
use crate::elements::DesktopLayer;
use crate::window::Window;
use crate::window::WindowId;
use mouse::{Click, DOUBLE_CLICK, button_name};

/// How long to wait for a page to process one event before sending the next.
const LOOK: Duration = Duration::from_millis(100);

/// How long to wait for a page to process all events.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long the browser may take for commands that involve no page.
const BROWSER: Duration = Duration::from_secs(5);

/// How far one notch of the wheel scrolls, in pixels of a page.
const NOTCH: i32 = 100;

/// Only the browser's pages can reach its clipboard.
const NO_CLIPBOARD: &str =
    "only the browser's pages can use its clipboard; copy with ctrl+c and paste with ctrl+v there";

/// Who received the press of a key or button, and will receive its release.
#[derive(Clone, Debug, PartialEq)]
enum Told {
    Page(String),
    /// The browser itself, or a dialog.
    Nobody,
}

/// The page in front as a display with one monitor.
pub(super) struct PageDisplay {
    connection: Connection,
    name: String,
    viewport: Viewport,
    lettering: Lettering,
    /// The last picture, and the page that it shows.
    shown: Option<(WindowId, Frame)>,
    pointer: Option<(i32, i32)>,
    modifiers: ModifierBits,
    /// The keys and buttons that are down.
    held: Vec<(Hold, Told)>,
    click: Option<Click>,
    /// The dialog answer whose button the mouse is pressing.
    choice: Option<Choice>,
}

impl PageDisplay {
    pub(super) fn new(connection: Connection, name: String, viewport: Viewport) -> PageDisplay {
        PageDisplay {
            connection,
            name,
            viewport,
            lettering: Lettering::new(),
            shown: None,
            pointer: None,
            modifiers: ModifierBits::default(),
            held: Vec::new(),
            click: None,
            choice: None,
        }
    }

    fn whole(&self) -> Area {
        Area::whole(self.viewport.width, self.viewport.height)
    }

    /// Calls `look` with the page in front, waiting until there is one.
    fn front<T>(&self, doing: &'static str, look: impl Fn(&mut Tab) -> T) -> Result<T, DisplayError> {
        self.connection.wait_for_tabs(BROWSER, |tabs| tabs.front().is_some());
        let found = self.connection.with_tabs(|tabs| tabs.front_mut().map(look));
        if let Some(found) = found {
            return Ok(found);
        }
        let check = self.connection.check(BROWSER);
        check.map_err(|error| error.while_doing(doing))?;
        Err(DisplayError::failed(doing, "the browser has no page"))
    }

    /// Asks for the titles of all pages, because the browser does not report title changes.
    fn look_up_titles(&self) -> Result<(), DisplayError> {
        let all = Command::to_browser(
            "Target.getTargets",
            json!({ "filter": [{ "type": "page" }, { "exclude": true }] }),
        );
        let answer = self.connection.ask(&all, BROWSER);
        let answer = answer.map_err(|error| error.while_doing("looking for pages"))?;
        self.connection.with_tabs(|tabs| {
            answer["targetInfos"]
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|info| tabs.name(info));
        });
        Ok(())
    }

    fn session(&self, doing: &'static str) -> Result<String, DisplayError> {
        self.front(doing, |tab| tab.session.clone())
    }

    /// Returns the session of the page in front, or `None` if a dialog blocks it.
    fn listening(&self, doing: &'static str) -> Result<Option<String>, DisplayError> {
        self.front(doing, |tab| tab.dialog.is_none().then(|| tab.session.clone()))
    }

    fn send(&self, session: &str, method: &'static str, params: Value) -> Result<(), DisplayError> {
        let sent = self.connection.input(session, method, params);
        sent.map_err(|error| error.while_doing("sending input"))
    }

    fn tell(&self, command: &Command, doing: &'static str) -> Result<(), DisplayError> {
        self.connection.tell(command).map_err(|error| error.while_doing(doing))
    }
}

impl Display for PageDisplay {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError> {
        Ok(vec![Monitor {
            name: "page".to_owned(),
            area: self.whole(),
        }])
    }

    fn capture(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError> {
        let picture = self.picture()?;
        let stride = picture.width() as usize * 4;
        let start = area.y as usize * stride + area.x as usize * 4;
        let rows = picture.data().get(start..).unwrap_or_default();
        Ok(frame.update(Area::whole(area.width, area.height), rows, stride))
    }

    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError> {
        Ok(self.pointer.map(arrow::at))
    }

    fn pointer(&mut self) -> Result<Option<(i32, i32)>, DisplayError> {
        Ok(self.pointer)
    }

    fn windows(&mut self) -> Result<Option<Vec<Window>>, DisplayError> {
        let whole = self.whole();
        self.look_up_titles()?;
        let list = self.connection.with_tabs(|tabs| {
            let mut windows = Vec::new();
            for (place, tab) in tabs.front_first().enumerate() {
                let window = |id, title, class: &str| Window {
                    id,
                    title,
                    class: class.to_owned(),
                    place: (place == 0).then_some(whole),
                    is_active: false,
                    dialog_of: None,
                };
                if let Some(dialog) = &tab.dialog {
                    windows.push(Window {
                        is_active: place == 0,
                        dialog_of: Some(tab.id),
                        ..window(dialog.id, dialog.title(), "dialog")
                    });
                }
                windows.push(Window {
                    is_active: place == 0 && tab.dialog.is_none(),
                    ..window(tab.id, tab.name(), "tab")
                });
            }
            windows
        });
        Ok(Some(list))
    }

    fn layers(&mut self, windows: &[Window]) -> Result<Option<Vec<DesktopLayer>>, DisplayError> {
        let layers = windows.iter().filter_map(|window| {
            let area = window.place?;
            Some(DesktopLayer {
                area,
                path: area,
                process: None,
                window: Some(window.id),
                maker: None,
                names: Vec::new(),
            })
        });
        Ok(Some(layers.collect()))
    }

    fn focus(&mut self, window: WindowId) -> Result<bool, DisplayError> {
        let command = self.connection.with_tabs(|tabs| tabs.bring_to_front(window));
        match command {
            Some(command) => self.tell(&command, "changing to another page").map(|()| true),
            None => Ok(false),
        }
    }

    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError> {
        self.pointer = Some((x, y));
        let Some(session) = self.listening("moving the pointer")? else {
            return Ok(());
        };
        let buttons = self.held.iter().rev().find_map(|(hold, _)| match hold {
            Hold::Button(button) => Some(button_name(*button)),
            Hold::Key(_) | Hold::Place(..) => None,
        });
        self.mouse(&session, "mouseMoved", json!({ "button": buttons.unwrap_or("none") }))
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError> {
        match press {
            Press::Down => self.press_button(button),
            Press::Up => self.release_button(button),
        }
    }

    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError> {
        let Some(session) = self.listening("turning the wheel")? else {
            return Ok(());
        };
        self.mouse(
            &session,
            "mouseWheel",
            json!({ "deltaX": dx * NOTCH, "deltaY": dy * NOTCH }),
        )
    }

    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError> {
        match press {
            Press::Down => self.press_key(*key),
            Press::Up => self.release_key(*key),
        }
    }

    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError> {
        for character in text.chars() {
            self.type_character(character)?;
            if !goes_on(Some(character)) {
                break;
            }
        }
        let session = self.session("typing")?;
        self.connection.rest(&session, 0, PATIENCE, &mut || goes_on(None));
        Ok(())
    }

    fn taken(&mut self, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, DisplayError> {
        let session = self.session("waiting for the page")?;
        Ok(self.connection.rest(&session, 0, within, goes_on))
    }

    fn double_click_time(&mut self) -> Duration {
        DOUBLE_CLICK
    }

    fn clipboard(&mut self) -> Result<Option<String>, DisplayError> {
        Err(DisplayError::Refused(NO_CLIPBOARD.to_owned()))
    }

    fn set_clipboard(&mut self, _: &str) -> Result<(), DisplayError> {
        Err(DisplayError::Refused(NO_CLIPBOARD.to_owned()))
    }

    /// Claims nothing, because no other agent knows of this browser.
    fn claim(&mut self) -> Result<(), DisplayError> {
        Ok(())
    }

    fn held(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(Some(self.held.iter().map(|(hold, _)| hold.to_string()).collect()))
    }

    fn release(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        let mut released = Vec::new();
        while let Some((hold, _)) = self.held.last().cloned() {
            match hold {
                Hold::Button(button) => self.release_button(button)?,
                Hold::Key(key) => self.release_key(key)?,
                Hold::Place(..) => {}
            }
            released.push(hold.to_string());
        }
        Ok(Some(released))
    }

    /// Watches nothing, because the browser has no window for a user to act in.
    fn watch(&mut self, _: Box<dyn FnMut(Input) + Send>) -> Result<Option<GestureWatch>, DisplayError> {
        Ok(None)
    }
}
