//! A desktop of a Wayland compositor that lets programs see and control it, such as sway, labwc or Hyprland.
//!
//! In reading order: [`socket`] finds the compositor, [`connection`] talks to it and never waits forever, and
//! [`events`] holds what it has sent. [`outputs`] are the monitors, and [`capture`] copies what they show. [`mod@pointer`]
//! and [`keyboard`] act, the latter with a keyboard layout of our own, written by [`keymap`]. [`clipboard`] exchanges text
//! with programs, [`mod@claim`] keeps a second agent out, and [`toplevels`] counts windows. On sway, [`sway`] lists them.
//!
//! The compositor lets a program see neither the person's input nor what is held down, and does not report where the
//! pointer is. This display knows only the input that it has sent itself.

mod capture;
mod claim;
pub(super) mod clipboard;
mod connection;
mod events;
mod keyboard;
mod keymap;
mod layouts;
mod outputs;
mod pointer;
mod socket;
mod sway;
mod toplevels;

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use franz_action::Button;
use franz_action::keys::Key;
use franz_frame::{Area, Frame};

use super::cursor::CursorImage;
use super::display::{Display, DisplayError, GestureWatch, IsOver, Monitor, Press};
use super::gesture::Input;
use crate::elements::DesktopLayer;
use crate::window::{Window, WindowId};
use capture::Capture;
pub(super) use capture::paint;
pub(super) use claim::claim;
use clipboard::Offered;
use connection::{Connection, Globals};
use keyboard::Keyboard;
pub(super) use keymap::fixed;
pub(super) use layouts::layouts;
use outputs::Placed;
pub(super) use outputs::{Extent, Rectangle, areas, rectangles};
use pointer::VirtualPointer;
pub(super) use socket::{is_set, only_x_programs, shown};
use sway::Sway;
pub(crate) use toplevels::count_windows;

#[cfg(fuzzing)]
pub(in crate::desktop) use sway::windows_in;

/// The longest double-click time that toolkits use by default.
const DOUBLE_CLICK: Duration = Duration::from_millis(500);

/// How long a program gets for each typed character. A compositor disconnects a program that reads its events too
/// slowly.
const CHARACTER: Duration = Duration::from_millis(1);

/// A desktop of a Wayland compositor.
struct Wayland {
    name: String,
    socket: PathBuf,
    connection: Connection,
    capture: Capture,
    pointer: VirtualPointer,
    keyboard: Keyboard,
    sway: Option<Sway>,
    offered: Option<Offered>,
    lock: Option<File>,
}

/// Why the session's compositor cannot be used.
pub(super) enum NoWayland {
    /// Nothing is listening where the session says that its compositor is.
    Absent(DisplayError),
    /// The compositor does not let programs control it.
    Lacking(DisplayError),
    /// Something else failed.
    Failed(DisplayError),
}

impl NoWayland {
    pub(super) fn into_error(self) -> DisplayError {
        match self {
            NoWayland::Absent(error) | NoWayland::Lacking(error) | NoWayland::Failed(error) => error,
        }
    }
}

/// Returns the path of the session's socket.
pub(super) fn session_socket() -> Result<PathBuf, DisplayError> {
    socket::path(None)
}

/// Opens the compositor with this name or path, or the session's.
pub(super) fn open(name: Option<&str>, is_over: IsOver) -> Result<Box<dyn Display>, NoWayland> {
    let socket = socket::path(name).map_err(NoWayland::Absent)?;
    let stream = socket::connect(&socket).map_err(NoWayland::Absent)?;
    open_on(stream, socket, is_over)
}

/// Opens the compositor at the other end of a stream, which was connected to this socket.
fn open_on(stream: UnixStream, socket: PathBuf, is_over: IsOver) -> Result<Box<dyn Display>, NoWayland> {
    let sway = Sway::behind(&stream, &socket);
    let mut connection = Connection::over(stream, is_over).map_err(NoWayland::Failed)?;
    let globals = connection.globals().map_err(NoWayland::Failed)?;
    let lacking = globals.lacking();
    if !lacking.is_empty() {
        return Err(NoWayland::Lacking(socket::lacks(&lacking)));
    }
    start(socket, connection, &globals, sway).map_err(NoWayland::Failed)
}

/// Opens the compositor at the other end of a stream.
#[cfg(fuzzing)]
pub(in crate::desktop) fn over(stream: UnixStream) -> Result<Box<dyn Display>, DisplayError> {
    let never = std::sync::Arc::new(|| false);
    open_on(stream, PathBuf::from("/nowhere/wayland-1"), never).map_err(NoWayland::into_error)
}

fn start(
    socket: PathBuf,
    mut connection: Connection,
    globals: &Globals,
    sway: Option<Sway>,
) -> Result<Box<dyn Display>, DisplayError> {
    let (capture, pointer, keyboard) = {
        let handle = connection.handle();
        let capture = Capture::of(globals, &handle);
        let pointer = VirtualPointer::of(globals, &handle);
        let keyboard = Keyboard::of(globals, &handle)?;
        (capture, pointer, keyboard)
    };
    connection.sync("opening the desktop")?;
    Ok(Box::new(Wayland {
        name: socket::shown(&socket),
        socket,
        connection,
        capture,
        pointer,
        keyboard,
        sway,
        offered: None,
        lock: None,
    }))
}

impl Wayland {
    /// Returns the monitors and their places, according to what the compositor has sent.
    fn placed(&mut self) -> Result<Vec<Placed>, DisplayError> {
        outputs::placed(self.connection.outputs())
    }

    /// Closes a display that failed, so that opening it again also claims it again.
    fn after<T>(&mut self, done: Result<T, DisplayError>) -> Result<T, DisplayError> {
        if done.as_ref().is_err_and(DisplayError::is_lost) {
            self.lock = None;
        }
        done
    }

    fn sync(&mut self, doing: &'static str) -> Result<(), DisplayError> {
        let done = self.connection.sync(doing);
        self.after(done)
    }

    /// Sends a press, or a release of which the compositor must have heard: it drops what a closed connection has sent,
    /// and does not release buttons on its own.
    fn send_press(&mut self, doing: &'static str, press: Press) -> Result<(), DisplayError> {
        match press {
            Press::Down => self.send(doing),
            Press::Up => self.sync(doing),
        }
    }

    fn send(&mut self, doing: &'static str) -> Result<(), DisplayError> {
        let done = self.connection.flush(doing);
        self.after(done)
    }
}

impl Display for Wayland {
    fn name(&self) -> String {
        format!("Wayland display {}", self.name)
    }

    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError> {
        self.sync("listing the monitors")?;
        let placed = self.placed()?;
        Ok(placed
            .into_iter()
            .map(|output| Monitor {
                name: output.name,
                area: output.area,
            })
            .collect())
    }

    fn capture(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError> {
        self.sync("capturing the screen")?;
        let placed = self.placed()?;
        let done = self.capture.update(&mut self.connection, &placed, area, frame);
        self.after(done)
    }

    /// Returns an arrow, because the compositor does not report its cursor.
    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError> {
        Ok(self.pointer.place().map(crate::browser::arrow_at))
    }

    fn pointer(&mut self) -> Result<Option<(i32, i32)>, DisplayError> {
        Ok(None)
    }

    fn windows(&mut self) -> Result<Option<Vec<Window>>, DisplayError> {
        self.sync("listing the windows")?;
        let placed = self.placed()?;
        let list = |sway: &Sway| sway.windows(&placed, &self.connection.is_over());
        self.sway.as_ref().map(list).transpose()
    }

    /// Fails, because sway does not report menus, which a mask for their window must cover, too.
    fn layers(&mut self, _: &[Window]) -> Result<Option<Vec<DesktopLayer>>, DisplayError> {
        Err(DisplayError::Refused(
            "a Wayland compositor does not report the menus of windows; mask an area instead".to_owned(),
        ))
    }

    fn focus(&mut self, window: WindowId) -> Result<bool, DisplayError> {
        let Some(sway) = &self.sway else {
            return Err(DisplayError::Refused(
                "this compositor does not report its windows; click on the window".to_owned(),
            ));
        };
        let is_there = sway.focus(window, &self.connection.is_over())?;
        self.sync("bringing a window to the front")?;
        Ok(is_there)
    }

    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError> {
        let placed = self.placed()?;
        self.pointer.move_to(&self.connection.handle(), &placed, (x, y));
        self.send("moving the pointer")
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError> {
        self.pointer.button(button, press);
        self.send_press("pressing a button", press)
    }

    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError> {
        self.pointer.notch(dx, dy);
        self.send("turning the wheel")
    }

    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError> {
        self.keyboard.key(*key, press)?;
        self.send_press("pressing a key", press)
    }

    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError> {
        let mut left = text.chars();
        while let Some(character) = left.next() {
            self.keyboard.tap(character, left.as_str())?;
            // The press and the release of a key travel together, so that nothing stays down after a kill.
            self.send("typing")?;
            let taken = Instant::now() + CHARACTER;
            if !goes_on(Some(character)) {
                break;
            }
            std::thread::sleep(taken.saturating_duration_since(Instant::now()));
        }
        self.sync("typing")
    }

    fn lacks(&mut self, text: &str) -> Result<Vec<char>, DisplayError> {
        let mut lacking = Vec::new();
        for character in text.chars() {
            if !keymap::can_type(character) && !lacking.contains(&character) {
                lacking.push(character);
            }
        }
        Ok(lacking)
    }

    /// Waits until the compositor has passed on all input; it does not tell when programs have processed it.
    fn taken(&mut self, _: Duration, _: &mut dyn FnMut() -> bool) -> Result<bool, DisplayError> {
        self.sync("passing on input")?;
        Ok(true)
    }

    fn double_click_time(&mut self) -> Duration {
        DOUBLE_CLICK
    }

    fn clipboard(&mut self) -> Result<Option<String>, DisplayError> {
        clipboard::read(&self.socket, &self.connection.is_over())
    }

    fn set_clipboard(&mut self, text: &str) -> Result<(), DisplayError> {
        // The previous text stays until the new one is there.
        self.offered = Some(clipboard::offer(&self.socket, text, &self.connection.is_over())?);
        Ok(())
    }

    fn claim(&mut self) -> Result<(), DisplayError> {
        if self.lock.is_none() {
            self.lock = Some(claim::claim(&self.socket, &self.name)?);
        }
        Ok(())
    }

    /// Returns `None`, because a Wayland compositor does not report what is held.
    fn held(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(None)
    }

    fn release(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(None)
    }

    /// Watches nothing, because a Wayland compositor shows no program the person's input.
    fn watch(&mut self, _: Box<dyn FnMut(Input) + Send>) -> Result<Option<GestureWatch>, DisplayError> {
        Ok(None)
    }
}
