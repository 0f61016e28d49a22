//! Asks the program with the keyboard focus, by `_NET_WM_PING` (EWMH), whether it has processed earlier input.

use std::time::{Duration, Instant};

use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, Window,
};

use super::server::{Answer, Server};
use super::wm_sync::WmSync;

/// A program that never answers, such as xterm, is assumed to have processed its input after this time.
const SILENT: Duration = Duration::from_millis(250);

/// How long to wait after an interruption for programs to process the keys already pressed. An interruption must take
/// effect within 200 ms.
const SHORT: Duration = Duration::from_millis(100);

/// The longest wait for a program that answers.
const BUSY: Duration = Duration::from_secs(1);

/// Sends pings on a separate connection, because pongs reach the root window among many other events.
pub(super) struct ClientSync {
    server: Server,
    active_window: Atom,
    protocols: Atom,
    ping: Atom,
    asked: u32,
    /// `None` when the window manager cannot be asked.
    passage: Option<WmSync>,
}

impl ClientSync {
    pub(super) fn of(server: Server) -> Answer<ClientSync> {
        Ok(ClientSync {
            active_window: server.atom("_NET_ACTIVE_WINDOW")?,
            protocols: server.atom("WM_PROTOCOLS")?,
            ping: server.atom("_NET_WM_PING")?,
            asked: 0,
            passage: WmSync::of(&server)?,
            server,
        })
    }

    /// Waits until the program with the keyboard focus has processed everything sent to it, or can be assumed to have.
    /// Returns whether it has. Stops when `goes_on` returns `false`.
    pub(super) fn wait(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Answer<bool> {
        let now = Instant::now();
        self.wait_until(now + SILENT, now + BUSY, goes_on)
    }

    /// Waits only as long as the program needs to process the keys sent up to `last`, because typing is being
    /// interrupted.
    pub(super) fn wait_shortly(&mut self, last: Instant) -> Answer<bool> {
        self.wait_until(last + SHORT, Instant::now() + SHORT, &mut || true)
    }

    /// Waits until `busy` for a program that answers, and until `silent` for any other.
    fn wait_until(&mut self, silent: Instant, busy: Instant, goes_on: &mut dyn FnMut() -> bool) -> Answer<bool> {
        if let Some(window) = self.listener()? {
            // Ask twice: a program that fetches the keyboard layout when it learns of a change has it by the second
            // answer.
            return self.ask(window, 2, busy, goes_on);
        }
        while self.server.event_while(silent, goes_on)?.is_some() {}
        Ok(Instant::now() >= silent)
    }

    /// Waits until presses have got past the window manager; returns whether they have.
    pub(super) fn pass(&mut self, most: Duration, goes_on: &mut dyn FnMut() -> bool) -> Answer<bool> {
        match &self.passage {
            Some(passage) => passage.wait(&self.server, Instant::now() + most, goes_on),
            None => Ok(true),
        }
    }

    /// Waits until the program under the pointer has processed everything sent to it, if it answers pings; returns
    /// whether it has.
    pub(super) fn wait_under_pointer(&mut self, most: Duration, goes_on: &mut dyn FnMut() -> bool) -> Answer<bool> {
        let deadline = Instant::now() + most;
        if !self.pass(most, goes_on)? {
            return Ok(false);
        }
        let mut window = self.server.root;
        // Windows are nested; a program's window is only a few levels down.
        for _ in 0..8 {
            window = self.server.connection.query_pointer(window)?.reply()?.child;
            if window == x11rb::NONE {
                break;
            }
            if self.answers(window)? {
                return self.ask(window, 1, deadline, goes_on);
            }
        }
        Ok(true)
    }

    fn ask(
        &mut self,
        window: Window,
        times: u32,
        deadline: Instant,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Answer<bool> {
        self.listen(EventMask::SUBSTRUCTURE_NOTIFY)?;
        let answered = (0..times).try_fold(true, |all, _| Ok(all && self.ask_once(window, deadline, goes_on)?));
        self.listen(EventMask::NO_EVENT)?;
        answered
    }

    fn ask_once(&mut self, window: Window, deadline: Instant, goes_on: &mut dyn FnMut() -> bool) -> Answer<bool> {
        self.asked = self.asked.wrapping_add(1);
        let data = [self.ping, self.asked, window, 0, 0];
        let ping = ClientMessageEvent::new(32, window, self.protocols, data);
        let connection = &self.server.connection;
        connection.send_event(false, window, EventMask::NO_EVENT, ping)?;
        while let Some(event) = self.server.event_while(deadline, goes_on)? {
            if let Event::ClientMessage(pong) = event
                && pong.type_ == self.protocols
                && pong.data.as_data32().get(..2) == Some(&[self.ping, self.asked])
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn listen(&self, mask: EventMask) -> Answer<()> {
        let aux = ChangeWindowAttributesAux::new().event_mask(mask);
        self.server
            .connection
            .change_window_attributes(self.server.root, &aux)?;
        Ok(())
    }

    /// Returns the active window, if it answers pings.
    fn listener(&self) -> Answer<Option<Window>> {
        let connection = &self.server.connection;
        let (root, kind) = (self.server.root, AtomEnum::WINDOW);
        let active = connection
            .get_property(false, root, self.active_window, kind, 0, 1)?
            .reply()?;
        let Some(window) = active
            .value32()
            .and_then(|mut windows| windows.next())
            .filter(|&window| window != 0)
        else {
            return Ok(None);
        };
        Ok(if self.answers(window)? { Some(window) } else { None })
    }

    /// Checks whether the program of a window answers pings.
    fn answers(&self, window: Window) -> Answer<bool> {
        let connection = &self.server.connection;
        let spoken = connection
            .get_property(false, window, self.protocols, AtomEnum::ATOM, 0, 64)?
            .reply();
        // The window might be gone.
        let answers = spoken
            .ok()
            .and_then(|spoken| Some(spoken.value32()?.any(|atom| atom == self.ping)));
        Ok(answers.unwrap_or(false))
    }
}
