//! X11: pictures through shared memory, fetching only the redrawn parts; input through XTEST.
//!
//! In reading order: [`server`] is a connection, and [`timed_stream`] limits how long it waits. [`capture`] with [`damage`]
//! and [`segment`], [`monitors`] and [`cursor`] see the screen. [`window_list`] lists the windows, [`names`] finds
//! their titles and classes, [`layers`] finds their stacking order, and [`paths`] remembers where they were;
//! [`buttons`] and [`keyboard`] act. [`layout`] knows which key produces which character, [`typing`] types, and
//! [`key_remap`] assigns keys to characters that have none. [`client_sync`] waits until programs have processed input,
//! and [`wm_sync`] until the window manager has let it through. [`release`] releases what others have left pressed,
//! [`claim`] keeps a second agent out, [`user_input`] watches the user, and [`devices`] distinguishes the user's input
//! from ours. [`clipboard`] and [`clipboard_owner`] exchange text with programs, in the formats of [`selection`].

mod background;
mod buttons;
mod capture;
mod claim;
mod client_sync;
mod clipboard;
mod clipboard_owner;
mod cursor;
mod damage;
mod devices;
mod key_remap;
mod keyboard;
mod layers;
mod layout;
mod managed;
mod monitors;
mod names;
mod open;
mod paths;
mod release;
mod segment;
pub(super) mod selection;
mod server;
mod timed_stream;
mod typing;
mod user_input;
mod window_list;
mod wm_sync;

use std::time::{Duration, Instant};

use franz_action::Button;
use franz_action::keys::Key;
use franz_frame::{Area, Frame};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::Mapping;

use super::cursor::CursorImage;
use super::display::{Display, DisplayError, GestureWatch, Monitor, Press};
use super::gesture::Input;
use crate::elements::DesktopLayer;
use crate::window::{Window, WindowId};
use buttons::Buttons;
use capture::Capture;
use clipboard_owner::ClipboardOwner;
use cursor::Cursor;
use keyboard::Keyboard;
use monitors::Monitors;
use paths::Paths;
use server::{Server, While};
use window_list::WindowList;

pub(crate) use managed::{managed, windows};
pub(super) use open::open;
pub(crate) use open::open_at;
pub(crate) use server::{Address, wait as wait_for};

/// The longest double-click time that toolkits use by default: xterm 250 ms, GTK and Qt 400, Chromium 500.
const DOUBLE_CLICK: Duration = Duration::from_millis(500);

const FINDING: &str = "finding the pointer";

/// A desktop on an X server.
struct X11 {
    server: Server,
    monitors: Monitors,
    capture: Capture,
    cursor: Cursor,
    buttons: Buttons,
    keyboard: Keyboard,
    windows: WindowList,
    paths: Paths,
    offer: Option<ClipboardOwner>,
}

impl X11 {
    /// Processes the events that the server has sent in the meantime.
    fn take_in(&mut self) -> Result<(), DisplayError> {
        const DOING: &str = "listening to the X server";
        let now = Instant::now();
        while let Some(event) = self.server.connection.poll_for_event().during(DOING)? {
            match event {
                Event::ConfigureNotify(step) if step.window != self.server.root => self.paths.note(now, &step),
                Event::ConfigureNotify(_) | Event::RandrScreenChangeNotify(_) | Event::RandrNotify(_) => {
                    self.monitors.forget();
                }
                Event::XfixesCursorNotify(_) => self.cursor.forget(),
                Event::MappingNotify(changed) if changed.request == Mapping::POINTER => {
                    self.buttons = Buttons::of(&self.server).during(DOING)?;
                }
                Event::MappingNotify(_) | Event::XkbNewKeyboardNotify(_) | Event::XkbMapNotify(_) => {
                    self.keyboard.forget();
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Display for X11 {
    fn name(&self) -> String {
        format!("X11 display {}", self.server.name())
    }

    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError> {
        self.take_in()?;
        self.monitors.get(&self.server).during("listing the monitors")
    }

    fn capture(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError> {
        self.take_in()?;
        let changed = self.capture.update(&self.server, area, frame);
        if changed.is_err() {
            self.monitors.forget();
        }
        changed.during("capturing the screen")
    }

    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError> {
        // Events that the server sent before this reply have already arrived.
        let at = cursor::pointer(&self.server).during(FINDING)?;
        self.take_in()?;
        self.cursor.at(&self.server, at).during("fetching the mouse cursor")
    }

    fn pointer(&mut self) -> Result<Option<(i32, i32)>, DisplayError> {
        cursor::pointer(&self.server).during(FINDING).map(Some)
    }

    fn windows(&mut self) -> Result<Option<Vec<Window>>, DisplayError> {
        self.windows.list(&self.server).during("listing the windows")
    }

    fn layers(&mut self, windows: &[Window]) -> Result<Option<Vec<DesktopLayer>>, DisplayError> {
        const DOING: &str = "finding the window in front";
        self.paths.watch(&self.server).during(DOING)?;
        let mut layers = layers::layers(&self.server, windows).during(DOING)?;
        // The server reported all earlier moves of windows before it sent these answers.
        self.take_in()?;
        self.paths.forget_old(Instant::now());
        for (id, layer) in &mut layers {
            layer.path = self.paths.of(*id, layer.area);
        }
        Ok(Some(layers.into_iter().map(|(_, layer)| layer).collect()))
    }

    fn focus(&mut self, window: WindowId) -> Result<bool, DisplayError> {
        let done = self.windows.focus(&self.server, window);
        done.during("bringing a window to the front")?.ok_or_else(|| {
            DisplayError::Refused("the window manager did not bring the window to the front; click on it".to_owned())
        })
    }

    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError> {
        buttons::move_to(&self.server, (x, y)).during("moving the pointer")
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError> {
        self.take_in()?;
        buttons::put(&self.server, self.buttons.number(button), press).during("pressing a button")
    }

    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError> {
        for number in self.buttons.wheel(dx, dy) {
            let down = buttons::put(&self.server, number, Press::Down);
            down.and(buttons::put(&self.server, number, Press::Up))
                .during("turning the wheel")?;
        }
        Ok(())
    }

    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError> {
        self.take_in()?;
        match press {
            Press::Down => self.keyboard.press(&self.server, *key),
            Press::Up => self.keyboard.release(&self.server, *key),
        }
    }

    fn prepare(&mut self, keys: &[Key], goes_on: &mut dyn FnMut() -> bool) -> Result<(), DisplayError> {
        self.take_in()?;
        self.keyboard.prepare(&self.server, keys, goes_on)
    }

    fn settle(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), DisplayError> {
        self.keyboard
            .settle(&self.server, goes_on)
            .during("returning borrowed keys")
    }

    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError> {
        self.take_in()?;
        self.keyboard.type_text(&self.server, text, goes_on)
    }

    fn lacks(&mut self, text: &str) -> Result<Vec<char>, DisplayError> {
        self.take_in()?;
        self.keyboard.lacks(&self.server, text).during("reading the keyboard")
    }

    fn passed(&mut self, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, DisplayError> {
        let attention = &mut self.keyboard.attention;
        attention.pass(within, goes_on).during("waiting for the window manager")
    }

    fn taken(&mut self, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, DisplayError> {
        let attention = &mut self.keyboard.attention;
        attention
            .wait_under_pointer(within, goes_on)
            .during("waiting for a program")
    }

    fn double_click_time(&mut self) -> Duration {
        DOUBLE_CLICK
    }

    fn clipboard(&mut self) -> Result<Option<String>, DisplayError> {
        clipboard::read(&self.server)
    }

    fn clipboard_owner(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        let owner = clipboard::owner(&self.server);
        owner.during("finding the owner of the clipboard").map(Some)
    }

    fn set_clipboard(&mut self, text: &str) -> Result<(), DisplayError> {
        // Keep offering the previous text until the new offer is made.
        self.offer = Some(ClipboardOwner::make(&self.server, text)?);
        Ok(())
    }

    fn claim(&mut self) -> Result<(), DisplayError> {
        claim::claim(&self.server)
    }

    fn held(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        const DOING: &str = "checking what is held down";
        self.take_in()?;
        release::held(&self.server, &mut self.keyboard).during(DOING).map(Some)
    }

    fn release(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        const DOING: &str = "releasing keys and buttons";
        self.take_in()?;
        self.keyboard.let_go(&self.server).during(DOING)?;
        let names = release::release(&self.server, &mut self.keyboard).during(DOING)?;
        self.keyboard.loan.repair(&self.server).during(DOING)?;
        self.keyboard.forget();
        Ok(Some(names))
    }

    fn watch(&mut self, tell: Box<dyn FnMut(Input) + Send>) -> Result<Option<GestureWatch>, DisplayError> {
        user_input::watch(&self.server, tell)
    }
}

/// Restores the keyboard, even if a function passed by the caller panics.
impl Drop for X11 {
    fn drop(&mut self) {
        let _ = self.keyboard.let_go(&self.server);
    }
}
