//! Offers text on the clipboard, where programs can fetch it for as long as the offer lasts (ICCCM, section 2).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use x11rb::connection::RequestConnection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropMode, Property, PropertyNotifyEvent,
    SelectionNotifyEvent, SelectionRequestEvent, Timestamp, Window,
};
use x11rb::wrapper::ConnectionExt as _;

use super::background::Background;
use super::clipboard::window;
use super::selection::{Form, piece};
use super::server::{Answer, Server, While};
use crate::desktop::display::DisplayError;

/// The largest number of bytes handed over at once.
const PIECE: usize = 256 << 10;

/// How many programs may fetch long text at the same time. Beyond that, the oldest transfer is dropped, so that a
/// transfer that never finishes cannot block the others.
const FETCHING: usize = 16;

/// An offer of text on the clipboard. It lasts until it is dropped or a program replaces the text.
pub(super) struct ClipboardOwner {
    _background: Background,
}

impl ClipboardOwner {
    pub(super) fn make(server: &Server, text: &str) -> Result<ClipboardOwner, DisplayError> {
        const DOING: &str = "writing the clipboard";
        let server = server.again().during(DOING)?;
        let mut clerk = Clerk::new(&server, text).during(DOING)?;
        clerk.take_over(&server).during(DOING)?;
        let see = move |server: &Server, event: Event| clerk.see(server, &event);
        let background = Background::start("clipboard", server, see).during(DOING)?;
        Ok(ClipboardOwner {
            _background: background,
        })
    }
}

/// Text that is being sent to a program piece by piece.
struct Fetching {
    requestor: Window,
    property: Atom,
    form: Atom,
    at: usize,
    latin: bool,
}

/// Sends the text to the programs that ask for it.
struct Clerk {
    text: Vec<u8>,
    /// The same text for programs that know only Latin-1.
    latin: Vec<u8>,
    since: Timestamp,
    window: Window,
    clipboard: Atom,
    targets: Atom,
    timestamp: Atom,
    incremental: Atom,
    /// The targets that request UTF-8.
    forms: Vec<Atom>,
    /// How many bytes fit into one request.
    piece: usize,
    fetching: VecDeque<Fetching>,
}

impl Clerk {
    fn new(server: &Server, text: &str) -> Answer<Clerk> {
        let forms = ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain"];
        Ok(Clerk {
            text: Form::Utf8.write(text),
            latin: Form::Latin1.write(text),
            since: x11rb::CURRENT_TIME,
            window: window(server)?,
            clipboard: server.atom("CLIPBOARD")?,
            targets: server.atom("TARGETS")?,
            timestamp: server.atom("TIMESTAMP")?,
            incremental: server.atom("INCR")?,
            forms: forms.into_iter().map(|form| server.atom(form)).collect::<Answer<_>>()?,
            piece: server
                .connection
                .maximum_request_bytes()
                .saturating_sub(64)
                .clamp(1, PIECE),
            fetching: VecDeque::new(),
        })
    }

    /// Takes ownership of the clipboard, with a timestamp from the server.
    fn take_over(&mut self, server: &Server) -> Answer<()> {
        let connection = &server.connection;
        let (mode, kind) = (PropMode::APPEND, AtomEnum::STRING);
        connection.change_property8(mode, self.window, self.timestamp, kind, &[])?;
        let deadline = Instant::now() + Duration::from_secs(1);
        while let Some(event) = server.event_before(deadline)? {
            if let Event::PropertyNotify(changed) = event {
                self.since = changed.time;
                break;
            }
        }
        connection
            .set_selection_owner(self.window, self.clipboard, self.since)?
            .check()?;
        Ok(())
    }

    fn see(&mut self, server: &Server, event: &Event) -> Answer<()> {
        match event {
            Event::SelectionRequest(request) => self.serve(server, *request),
            Event::PropertyNotify(changed) if changed.state == Property::DELETE => self.go_on(server, *changed),
            _ => Ok(()),
        }
    }

    fn serve(&mut self, server: &Server, request: SelectionRequestEvent) -> Answer<()> {
        // Old programs name no property.
        let property = if request.property == x11rb::NONE {
            request.target
        } else {
            request.property
        };
        let answered = self.answer(server, request.requestor, property, request.target)?;
        let answer = SelectionNotifyEvent {
            response_type: x11rb::protocol::xproto::SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: if answered { property } else { x11rb::NONE },
        };
        server
            .connection
            .send_event(false, request.requestor, EventMask::NO_EVENT, answer)?;
        Ok(())
    }

    /// Writes the requested data to the requested property; returns `false` if the form is unknown.
    fn answer(&mut self, server: &Server, requestor: Window, property: Atom, form: Atom) -> Answer<bool> {
        let connection = &server.connection;
        let latin = form == u32::from(AtomEnum::STRING);
        let replace = PropMode::REPLACE;
        if form == self.targets {
            let mut forms = vec![self.targets, self.timestamp];
            forms.extend(&self.forms);
            forms.push(AtomEnum::STRING.into());
            connection.change_property32(replace, requestor, property, AtomEnum::ATOM, &forms)?;
        } else if form == self.timestamp {
            connection.change_property32(replace, requestor, property, AtomEnum::INTEGER, &[self.since])?;
        } else if latin || self.forms.contains(&form) {
            let bytes = if latin { &self.latin } else { &self.text };
            if bytes.len() <= self.piece {
                connection.change_property8(replace, requestor, property, form, bytes)?;
            } else {
                let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
                connection.change_window_attributes(requestor, &aux)?;
                let length = [bytes.len() as u32];
                connection.change_property32(replace, requestor, property, self.incremental, &length)?;
                self.begin(requestor, property, form, latin);
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn begin(&mut self, requestor: Window, property: Atom, form: Atom, latin: bool) {
        self.fetching
            .retain(|other| (other.requestor, other.property) != (requestor, property));
        if self.fetching.len() == FETCHING {
            self.fetching.pop_front();
        }
        self.fetching.push_back(Fetching {
            requestor,
            property,
            form,
            at: 0,
            latin,
        });
    }

    /// Sends the next piece after the last one was taken; an empty piece marks the end.
    fn go_on(&mut self, server: &Server, taken: PropertyNotifyEvent) -> Answer<()> {
        let is_it = |one: &Fetching| (one.requestor, one.property) == (taken.window, taken.atom);
        let Some(place) = self.fetching.iter().position(is_it) else {
            return Ok(());
        };
        let Some(one) = self.fetching.get_mut(place) else {
            return Ok(());
        };
        let bytes = if one.latin { &self.latin } else { &self.text };
        let piece = piece(bytes, one.at, self.piece);
        let (window, property, form) = (one.requestor, one.property, one.form);
        one.at += piece.len();
        server
            .connection
            .change_property8(PropMode::REPLACE, window, property, form, piece)?;
        if piece.is_empty() {
            self.fetching.remove(place);
        }
        Ok(())
    }
}
