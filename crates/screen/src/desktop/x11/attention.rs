//! Whether the program that has the keyboard has taken notice of what went before: it is asked by `_NET_WM_PING` (EWMH).

use std::time::{Duration, Instant};

use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, Window,
};

use super::server::{Answer, Server};

/// A program that does not answer at all, such as xterm, has taken notice after that time.
const SILENT: Duration = Duration::from_millis(250);

/// No program that answers is waited for any longer than that.
const BUSY: Duration = Duration::from_secs(1);

/// Asks, by a connection of its own: pongs come to the root window with many other events.
pub(super) struct Attention {
    server: Server,
    active_window: Atom,
    protocols: Atom,
    ping: Atom,
    asked: u32,
}

impl Attention {
    pub(super) fn of(server: Server) -> Answer<Attention> {
        Ok(Attention {
            active_window: server.atom("_NET_ACTIVE_WINDOW")?,
            protocols: server.atom("WM_PROTOCOLS")?,
            ping: server.atom("_NET_WM_PING")?,
            asked: 0,
            server,
        })
    }

    /// Waits until the program with the keyboard has seen all that was sent to it, or would have; `most` is the longest wait.
    pub(super) fn wait(&mut self, most: Option<Duration>) -> Answer<()> {
        let most = |time: Duration| most.map_or(time, |most| most.min(time));
        let Some(window) = self.listener()? else {
            let deadline = Instant::now() + most(SILENT);
            while self.server.event_before(deadline)?.is_some() {}
            return Ok(());
        };
        self.listen(EventMask::SUBSTRUCTURE_NOTIFY)?;
        // Twice: a program that fetches the keyboard's layout when it hears that it has changed has got it by the second time.
        let deadline = Instant::now() + most(BUSY);
        let answered = self.ask(window, deadline).and_then(|()| self.ask(window, deadline));
        self.listen(EventMask::NO_EVENT)?;
        answered
    }

    fn ask(&mut self, window: Window, deadline: Instant) -> Answer<()> {
        self.asked = self.asked.wrapping_add(1);
        let data = [self.ping, self.asked, window, 0, 0];
        let ping = ClientMessageEvent::new(32, window, self.protocols, data);
        let connection = &self.server.connection;
        connection.send_event(false, window, EventMask::NO_EVENT, ping)?;
        while let Some(event) = self.server.event_before(deadline)? {
            if let Event::ClientMessage(pong) = event
                && pong.type_ == self.protocols
                && pong.data.as_data32().get(..2) == Some(&[self.ping, self.asked])
            {
                break;
            }
        }
        Ok(())
    }

    fn listen(&self, mask: EventMask) -> Answer<()> {
        let aux = ChangeWindowAttributesAux::new().event_mask(mask);
        self.server
            .connection
            .change_window_attributes(self.server.root, &aux)?;
        Ok(())
    }

    /// The active window, when it answers pings.
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
        let spoken = connection
            .get_property(false, window, self.protocols, AtomEnum::ATOM, 0, 64)?
            .reply();
        let answers = spoken
            .ok()
            .and_then(|spoken| Some(spoken.value32()?.any(|atom| atom == self.ping)));
        Ok(answers.unwrap_or(false).then_some(window))
    }
}
