//! The desktop of a compositor that programs see and control only through the desktop portal, as with GNOME and KDE.
//!
//! In reading order: [`bus`] calls the portal and never waits forever, and [`session`] is what the person allows. Then
//! [`screens`] are the monitors with their pictures, which [`pipewire`] receives. [`typing`] decides what goes by key,
//! and [`clipboard`] passes on the rest.
//!
//! The person is asked only when something needs the session, so that merely opening the display asks nothing. When the
//! session ends, however that happens, the compositor releases the keys and buttons that it held.

mod bus;
mod clipboard;
mod pipewire;
mod screens;
mod session;
mod typing;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use franz_action::Button;
use franz_action::keys::Key;
use franz_frame::{Area, Frame};
use franz_home::Home;
use xkeysym::Keysym;
use zbus::DynamicType;

use super::cursor::CursorImage;
use super::display::{Display, DisplayError, GestureWatch, IsOver, Monitor, Press};
use super::gesture::Input;
use super::hold::Hold;
use super::pasting::{SLICE, lacking};
use super::wayland;
use bus::{ANSWER, Bus, NoAnswer};
use clipboard::Clipboard;
use screens::Screens;
use session::{NoSession, Options, REMOTE_DESKTOP, SCREEN_CAST, Session};
use typing::Typable;

/// The longest double-click time that toolkits use by default.
const DOUBLE_CLICK: Duration = Duration::from_millis(500);

/// How long the portal may take to report that a session has ended.
const REPORTED: Duration = Duration::from_millis(500);

/// The distance that programs take for one notch of the wheel.
const NOTCH: i32 = 10;

/// The version of KDE's remote desktop since Plasma 6.
const OF_PLASMA_6: u32 = 2;

/// The file with the person's consent, and its greatest length.
const CONSENT: &str = "consent";
const LONGEST_CONSENT: u64 = 4096;

/// What to do if the portal is of no use.
const INSTEAD: &str = "log in to an X11 (Xorg) session, use a VNC server of this desktop with --screen vnc://HOST, or use \
                       a private screen with --screen virtual or --screen browser";

/// Whether the person, or the compositor, has ended a session of this process. The next one would need new consent, or
/// with stored consent, would begin against the person's will.
static IS_WITHDRAWN: AtomicBool = AtomicBool::new(false);

/// A desktop behind the portal.
struct Portal {
    name: String,
    socket: PathBuf,
    bus: Bus,
    is_over: IsOver,
    /// Whether KWin is behind the portal.
    is_kwin: bool,
    /// The directory that keeps the person's consent.
    consent: Option<PathBuf>,
    open: Option<Open>,
    /// Why the session is lost.
    lost: Option<String>,
    /// What this display holds down.
    down: Vec<Hold>,
    pointer: Option<(i32, i32)>,
    lock: Option<File>,
}

/// What a session gives access to.
struct Open {
    session: Session,
    screens: Screens,
    clipboard: Clipboard,
    typable: Typable,
}

/// Opens the desktop through the portal; returns `None` if there is no portal for it.
pub(super) fn open(consent: Option<PathBuf>, is_over: IsOver) -> Result<Option<Box<dyn Display>>, DisplayError> {
    let socket = wayland::session_socket()?;
    let Ok(bus) = Bus::connect(Arc::clone(&is_over)) else {
        return Ok(None);
    };
    let mut versions = [0; 2];
    for (version, place) in versions.iter_mut().zip([REMOTE_DESKTOP, SCREEN_CAST]) {
        *version = match session::version(&bus, place) {
            Ok(version) => version,
            Err(NoAnswer::Failed(_)) => return Ok(None),
            Err(error) => return Err(DisplayError::failed("opening the desktop", error)),
        };
    }
    let is_kwin = bus.has("org.kde.KWin").unwrap_or_default();
    if is_kwin && versions[0] < OF_PLASMA_6 {
        return Err(DisplayError::Unavailable(format!(
            "this is Plasma 5, whose portal lets a program control the desktop without a question, and keeps down what a \
             killed program held; update it to Plasma 6, {INSTEAD}"
        )));
    }
    Ok(Some(Box::new(Portal {
        name: wayland::shown(&socket),
        socket,
        bus,
        is_over,
        is_kwin,
        consent,
        open: None,
        lost: None,
        down: Vec::new(),
        pointer: None,
        lock: None,
    })))
}

impl Portal {
    /// Asks the person, unless that has been done.
    fn start(&mut self) -> Result<&mut Open, DisplayError> {
        const DOING: &str = "starting a session of the desktop portal";
        if let Some(why) = &self.lost {
            return Err(lost(DOING, why.clone()));
        }
        if self.open.as_ref().is_some_and(|open| open.session.is_closed()) {
            return Err(self.lose(DOING, &"it was ended"));
        }
        if self.open.is_none() {
            let opened = self.begin();
            self.open = Some(opened?);
            self.learn_layouts()?;
        }
        self.open
            .as_mut()
            .ok_or_else(|| lost(DOING, io::Error::from(io::ErrorKind::NotConnected)))
    }

    fn begin(&mut self) -> Result<Open, DisplayError> {
        if IS_WITHDRAWN.load(Ordering::Relaxed) {
            return Err(DisplayError::Withdrawn(
                "the person ended FRANZ's control of this desktop, so FRANZ does not take it again".to_owned(),
            ));
        }
        let (home, kept) = self.kept_consent();
        let mut session = Session::begin(&self.bus, kept.as_deref(), !self.is_kwin).map_err(no_session)?;
        if let Some(home) = &home {
            // Consent serves for one session, which returns a new one. Without it, the person is asked again.
            let _ = match &session.token {
                Some(token) => home.replace(CONSENT, token.as_bytes(), false).map_err(io::Error::other),
                None => home.remove_if_there(CONSENT),
            };
        }
        if session.sources.iter().any(|source| source.place.is_none()) {
            let monitors = wayland::rectangles(&self.socket, Arc::clone(&self.is_over))?;
            screens::locate(&mut session.sources, monitors);
        }
        let screens = Screens::receive(&self.bus, &session)?;
        let clipboard = if self.is_kwin {
            Clipboard::of_kwin(&self.socket, &self.is_over)
        } else {
            Clipboard::of(&self.bus, &session, &self.is_over)?
        };
        Ok(Open {
            session,
            screens,
            clipboard,
            typable: Typable::default(),
        })
    }

    /// Returns the directory for the person's consent, and the consent if there is any.
    fn kept_consent(&self) -> (Option<Home>, Option<String>) {
        let home = self.consent.as_ref().and_then(|path| Home::claim(path).ok());
        let kept = home.as_ref().and_then(|home| home.read(CONSENT, LONGEST_CONSENT).ok());
        (home, kept.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Returns whether the session was ended from outside. Consent that was given before then no longer counts.
    fn heed_end(&self) -> bool {
        let Some(open) = &self.open else { return false };
        let deadline = Instant::now() + REPORTED;
        // PipeWire can be sooner than the portal.
        while !open.session.is_closed() && !(self.is_over)() && Instant::now() < deadline {
            std::thread::sleep(SLICE);
        }
        let is_ended = open.session.is_closed();
        if is_ended {
            IS_WITHDRAWN.store(true, Ordering::Relaxed);
            let home = self.consent.as_ref().and_then(|path| Home::claim(path).ok());
            // A file that stays there lets a later run begin without a question.
            let _ = home.map(|home| home.remove_if_there(CONSENT));
        }
        is_ended
    }

    /// Gives up the session; the compositor then releases what it held.
    fn lose(&mut self, doing: &'static str, why: &dyn ToString) -> DisplayError {
        let is_ended = self.heed_end();
        let why = if is_ended {
            "the person or the desktop ended the session".to_owned()
        } else {
            why.to_string()
        };
        self.lost = Some(why.clone());
        self.open = None;
        self.down.clear();
        // Opening the desktop again also claims it again.
        self.lock = None;
        lost(doing, why)
    }

    /// Sends input. Waits for the answer, so that the portal passes it on in the right order.
    fn notify<B: serde::Serialize + DynamicType>(
        &mut self,
        doing: &'static str,
        method: &str,
        body: impl FnOnce(&Open) -> B,
    ) -> Result<(), DisplayError> {
        let body = body(self.start()?);
        let sent = REMOTE_DESKTOP.call::<()>(&self.bus.connection, method, &body);
        let sent = self.bus.wait(ANSWER, sent);
        sent.map_err(|error| self.lose(doing, &error))
    }

    fn note(&mut self, hold: Hold, press: Press) {
        self.down.retain(|other| *other != hold);
        if press == Press::Down {
            self.down.push(hold);
        }
    }

    fn keysym(&mut self, keysym: Keysym, press: Press) -> Result<(), DisplayError> {
        let number = keysym.raw().cast_signed();
        self.notify("pressing a key", "NotifyKeyboardKeysym", |open| {
            (open.session.path.clone(), Options::new(), number, state(press))
        })
    }

    fn keycode(&mut self, code: u32, press: Press) -> Result<(), DisplayError> {
        let code = code.cast_signed();
        self.notify("pressing a key", "NotifyKeyboardKeycode", |open| {
            (open.session.path.clone(), Options::new(), code, state(press))
        })
    }
}

/// Returns the number that stands for a press.
fn state(press: Press) -> u32 {
    u32::from(press == Press::Down)
}

fn lost(doing: &'static str, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DisplayError {
    DisplayError::Lost {
        doing,
        source: why.into(),
    }
}

/// Explains why there is no session.
fn no_session(error: NoSession) -> DisplayError {
    match error {
        NoSession::Denied => DisplayError::Withdrawn(format!(
            "the desktop asked whether FRANZ may control it, and the answer was no; start again and allow it, or {INSTEAD}"
        )),
        NoSession::Ended => DisplayError::Withdrawn(format!(
            "the desktop asked whether FRANZ may control it, but the dialog was closed; start again, or {INSTEAD}"
        )),
        NoSession::Incomplete(what) => DisplayError::Withdrawn(format!(
            "the desktop gave FRANZ access to {what}; start again, choose a monitor and allow remote interaction"
        )),
        NoSession::NotBegun => DisplayError::failed("asking for control of the desktop", error),
        NoSession::Unanswered => DisplayError::Withdrawn(format!(
            "nobody answered when the desktop asked whether FRANZ may control it; start again and allow it, or {INSTEAD}"
        )),
        NoSession::NoAnswer(NoAnswer::Late) => DisplayError::Unavailable(format!(
            "the desktop portal is not responding; restart it (systemctl --user restart xdg-desktop-portal), or {INSTEAD}"
        )),
        NoSession::NoAnswer(error) => DisplayError::failed("asking for control of the desktop", error),
    }
}

impl Display for Portal {
    fn name(&self) -> String {
        format!("Wayland display {} through the desktop portal", self.name)
    }

    fn consent(&self) -> Option<String> {
        let choose = if self.is_kwin {
            ""
        } else {
            "choose the monitors, allow remote interaction and access to the clipboard, and "
        };
        self.open.is_none().then(|| {
            format!(
                "the desktop asks whether FRANZ may control it, unless you have let it remember your answer: {choose}press Share"
            )
        })
    }

    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError> {
        const DOING: &str = "listing the monitors";
        let is_over = Arc::clone(&self.is_over);
        let placed = self.start()?.screens.place(&is_over);
        placed.map_err(|error| self.lose(DOING, &error))
    }

    fn capture(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError> {
        let captured = self.start()?.screens.capture(area, frame);
        captured.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => self.lose("capturing the screen", &error),
            _ => DisplayError::failed("capturing the screen", error),
        })
    }

    /// Returns an arrow, because the pictures have no cursor.
    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError> {
        Ok(self.pointer.map(crate::browser::arrow_at))
    }

    fn pointer(&mut self) -> Result<Option<(i32, i32)>, DisplayError> {
        Ok(None)
    }

    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError> {
        let Some(aim) = self.start()?.screens.aim((x, y)) else {
            return Ok(());
        };
        self.pointer = Some(aim.pixel);
        self.notify("moving the pointer", "NotifyPointerMotionAbsolute", |open| {
            let (x, y) = aim.place;
            (open.session.path.clone(), Options::new(), aim.node, x, y)
        })
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError> {
        // Their numbers in Linux.
        let number = match button {
            Button::Left => 0x110,
            Button::Right => 0x111,
            Button::Middle => 0x112,
        };
        self.notify("pressing a button", "NotifyPointerButton", |open| {
            (open.session.path.clone(), Options::new(), number, state(press))
        })?;
        self.note(Hold::Button(button), press);
        Ok(())
    }

    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError> {
        // KDE's portal passes a step on as a distance.
        let step = if self.is_kwin { NOTCH } else { 1 };
        for (axis, steps) in [(0u32, dy.signum() * step), (1, dx.signum() * step)] {
            if steps != 0 {
                self.notify("turning the wheel", "NotifyPointerAxisDiscrete", |open| {
                    (open.session.path.clone(), Options::new(), axis, steps)
                })?;
            }
        }
        Ok(())
    }

    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError> {
        match *key {
            Key::Char(character) => {
                if press == Press::Down && !self.start()?.typable.has(character) {
                    return Err(DisplayError::Refused(format!(
                        "this screen's keyboard has no key {key}"
                    )));
                }
                match self.start()?.typable.stroke(character) {
                    Some(stroke) => self.stroke(stroke, press)?,
                    None => self.keysym(Keysym::from_char(character), press)?,
                }
            }
            named => {
                let (code, _) = wayland::fixed(named)
                    .ok_or_else(|| DisplayError::Refused(format!("this screen's keyboard has no key {key}")))?;
                self.keycode(code, press)?;
            }
        }
        self.note(Hold::Key(*key), press);
        Ok(())
    }

    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError> {
        self.type_or_paste(text, goes_on).map(drop)
    }

    fn lacks(&mut self, text: &str) -> Result<Vec<char>, DisplayError> {
        self.learn_layouts()?;
        let open = self.start()?;
        Ok(lacking(text, |character| open.types(character)))
    }

    fn double_click_time(&mut self) -> Duration {
        DOUBLE_CLICK
    }

    fn clipboard(&mut self) -> Result<Option<String>, DisplayError> {
        self.start()?;
        let Some(open) = &mut self.open else { return Ok(None) };
        open.clipboard.read(&self.bus)
    }

    fn set_clipboard(&mut self, text: &str) -> Result<(), DisplayError> {
        self.start()?;
        let Some(open) = &mut self.open else { return Ok(()) };
        open.clipboard.write(&self.bus, text)
    }

    fn claim(&mut self) -> Result<(), DisplayError> {
        if self.lock.is_none() {
            self.lock = Some(wayland::claim(&self.socket, &self.name)?);
        }
        Ok(())
    }

    /// Returns what this display itself holds, because nothing else can be held: the compositor releases what a session
    /// held when it ends.
    fn held(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(Some(self.down.iter().map(ToString::to_string).collect()))
    }

    /// Returns `None` where another program's session can keep the compositor from releasing what a session held, and a new
    /// session needs no question.
    fn release(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        if self.is_kwin && self.open.is_none() && self.kept_consent().1.is_some() {
            return Ok(None);
        }
        let mut names = Vec::new();
        while let Some(hold) = self.down.last().copied() {
            hold.put(self, Press::Up)?;
            names.push(hold.to_string());
        }
        Ok(Some(names))
    }

    /// Watches nothing, because the portal shows no program the person's input.
    fn watch(&mut self, _: Box<dyn FnMut(Input) + Send>) -> Result<Option<GestureWatch>, DisplayError> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portal_that_does_not_respond_is_not_taken_for_a_person_who_does_not_answer() {
        for (error, is_withdrawn, says) in [
            (NoSession::Unanswered, true, "nobody answered when the desktop asked"),
            (NoSession::Denied, true, "the answer was no"),
            (
                NoAnswer::Late.into(),
                false,
                "the desktop portal is not responding; restart it",
            ),
        ] {
            let error = no_session(error);
            assert_eq!(matches!(error, DisplayError::Withdrawn(_)), is_withdrawn, "{error}");
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}
