//! Reads the clipboard (ICCCM, section 2).

use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, GetPropertyReply, Property, Window, WindowClass,
};

use super::layers::maker;
use super::names::{names, with_inner};
use super::selection::{Arrived, Form, Incoming, MOST};
use super::server::{Answer, Server, While};
use crate::desktop::display::DisplayError;
use crate::desktop::pasting::TOO_LONG;

/// How long to wait for a program's answer before considering it hung.
const PATIENCE: Duration = Duration::from_secs(1);

const HUNG: &str = "the program that copied the text does not hand it over; wait until it responds, or copy again";

/// The time limit for a program that sends its text in pieces, however many there are.
const LONGEST: Duration = Duration::from_secs(10);

/// Returns the text on the clipboard. Uses a separate connection, because the answers arrive as events.
pub(super) fn read(server: &Server) -> Result<Option<String>, DisplayError> {
    const DOING: &str = "reading the clipboard";
    let server = server.again().during(DOING)?;
    let request = Request::new(&server).during(DOING)?;
    let deadline = Instant::now() + PATIENCE;
    for form in [Form::Utf8, Form::Latin1] {
        match request.fetch(form, deadline).during(DOING)? {
            Fetched::Text(text) => return Ok(Some(form.read(&text))),
            Fetched::Missing => {}
            Fetched::Late => return Err(DisplayError::Refused(HUNG.to_owned())),
            Fetched::TooLong => return Err(DisplayError::Refused(TOO_LONG.to_owned())),
        }
    }
    Ok(None)
}

/// Returns the titles and classes of all windows of the program that owns the clipboard, hidden ones included.
pub(super) fn owner(server: &Server) -> Answer<Vec<String>> {
    let owner = server.connection.get_selection_owner(server.atom("CLIPBOARD")?)?;
    let owner = owner.reply()?.owner;
    if owner == x11rb::NONE {
        return Ok(Vec::new());
    }
    let mut all = with_inner(server, vec![server.root])?;
    all.push(owner);
    all.retain(|id| maker(server, *id) == maker(server, owner));
    names(server, &all)
}

/// Creates an invisible window for events and properties.
pub(super) fn window(server: &Server) -> Answer<Window> {
    let window = server.connection.generate_id()?;
    let aux = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    let class = WindowClass::INPUT_ONLY;
    server
        .connection
        .create_window(0, window, server.root, -1, -1, 1, 1, 0, class, 0, &aux)?;
    Ok(window)
}

/// The answer to a request for the clipboard's text in one form.
enum Fetched {
    Text(Vec<u8>),
    /// The clipboard has no text in this form.
    Missing,
    /// The program that owns the clipboard has not answered, or not completely.
    Late,
    /// The text is longer than anybody wants to read.
    TooLong,
}

struct Request<'a> {
    server: &'a Server,
    window: Window,
    clipboard: Atom,
    incremental: Atom,
    /// The property that receives the answer.
    answer: Atom,
}

impl Request<'_> {
    fn new(server: &Server) -> Answer<Request<'_>> {
        Ok(Request {
            window: window(server)?,
            clipboard: server.atom("CLIPBOARD")?,
            incremental: server.atom("INCR")?,
            answer: server.atom("_FRANZ_ANSWER")?,
            server,
        })
    }

    /// Asks the clipboard's owner for its text in this form.
    fn fetch(&self, form: Form, deadline: Instant) -> Answer<Fetched> {
        let connection = &self.server.connection;
        let (window, form) = (self.window, self.server.atom(form.target())?);
        connection.convert_selection(window, self.clipboard, form, self.answer, x11rb::CURRENT_TIME)?;
        while let Some(event) = self.server.event_before(deadline)? {
            if let Event::SelectionNotify(answer) = event
                && answer.target == form
            {
                return if answer.property == x11rb::NONE {
                    Ok(Fetched::Missing)
                } else {
                    self.take()
                };
            }
        }
        Ok(Fetched::Late)
    }

    fn take(&self) -> Answer<Fetched> {
        let first = self.property()?;
        if first.bytes_after > 0 {
            return Ok(Fetched::TooLong);
        }
        if first.type_ != self.incremental {
            return Ok(Fetched::Text(first.value));
        }
        let mut incoming = Incoming::default();
        let last = Instant::now() + LONGEST;
        let mut deadline = Instant::now() + PATIENCE;
        while Instant::now() < last
            && let Some(event) = self.server.event_before(deadline.min(last))?
        {
            let Event::PropertyNotify(changed) = event else {
                continue;
            };
            if changed.atom != self.answer || changed.state != Property::NEW_VALUE {
                continue;
            }
            match incoming.take(&self.property()?.value) {
                Arrived::Part => deadline = Instant::now() + PATIENCE,
                Arrived::Whole => return Ok(Fetched::Text(incoming.into_bytes())),
                Arrived::TooMuch => return Ok(Fetched::TooLong),
            }
        }
        Ok(Fetched::Late)
    }

    /// Reads and deletes the answer; deleting it requests the next piece.
    fn property(&self) -> Answer<GetPropertyReply> {
        let connection = &self.server.connection;
        let (any, most) = (AtomEnum::ANY, (MOST / 4) as u32);
        let asked = connection.get_property(true, self.window, self.answer, any, 0, most)?;
        Ok(asked.reply()?)
    }
}
