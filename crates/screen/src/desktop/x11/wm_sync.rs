//! Checks whether input has got past the window manager. The manager holds every press back until it has decided
//! whether to handle it. Anything sent meanwhile queues up in the server, and programs see it all at once, or not at
//! all.

use std::time::Instant;

use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, Property, Window, WindowClass,
};

use super::server::{Answer, Server};

/// Asks the window manager for the size of its frames (EWMH). Once the manager answers, it has handled everything sent
/// before.
pub(super) struct WmSync {
    window: Window,
    request: Atom,
    extents: Atom,
}

impl WmSync {
    /// Prepares the question; returns `None` if there is no window manager, or it does not support the question.
    pub(super) fn of(server: &Server) -> Answer<Option<WmSync>> {
        let connection = &server.connection;
        let request = server.atom("_NET_REQUEST_FRAME_EXTENTS")?;
        let supported = server.atom("_NET_SUPPORTED")?;
        let asked = connection.get_property(false, server.root, supported, AtomEnum::ATOM, 0, 1024)?;
        if !asked
            .reply()?
            .value32()
            .is_some_and(|mut atoms| atoms.any(|atom| atom == request))
        {
            return Ok(None);
        }
        let window = connection.generate_id()?;
        let aux = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let class = WindowClass::INPUT_OUTPUT;
        connection.create_window(0, window, server.root, -1, -1, 1, 1, 0, class, 0, &aux)?;
        Ok(Some(WmSync {
            window,
            request,
            extents: server.atom("_NET_FRAME_EXTENTS")?,
        }))
    }

    /// Waits for the answer; returns `false` if there is none before the deadline, or `goes_on` returns `false`.
    pub(super) fn wait(&self, server: &Server, deadline: Instant, goes_on: &mut dyn FnMut() -> bool) -> Answer<bool> {
        let connection = &server.connection;
        let question = ClientMessageEvent::new(32, self.window, self.request, [0; 5]);
        let to_manager = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        connection.send_event(false, server.root, to_manager, question)?;
        while let Some(event) = server.event_while(deadline, goes_on)? {
            if let Event::PropertyNotify(changed) = event
                && changed.atom == self.extents
                && changed.state == Property::NEW_VALUE
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
