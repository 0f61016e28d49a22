//! The windows of programs, as the window manager lists them (EWMH), and which of them is in front.

use std::time::{Duration, Instant};

use franz_frame::Area;
use x11rb::cookie::Cookie;
use x11rb::errors::{ConnectError, ConnectionError, ReplyError};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, GetGeometryReply,
    GetPropertyReply, GetWindowAttributesReply, MapState, TranslateCoordinatesReply, Window as Id,
};

use super::names::{TITLE, class_of, text};
use super::server::{Answer, Server};
use crate::window::{Window, WindowId};

/// The maximum number of windows to list.
const MOST: u32 = 512;

/// How long a window manager may take to bring a window to the front.
const FRONT: Duration = Duration::from_secs(2);

/// The source that messages claim to come from: a pager. Window managers obey a pager because it acts for the user.
const FROM_A_PAGER: u32 = 2;

x11rb::atom_manager! {
    /// The atoms used in the questions.
    Names: NamesCookie {
        _NET_SUPPORTED,
        _NET_CLIENT_LIST_STACKING,
        _NET_ACTIVE_WINDOW,
        _NET_WM_NAME,
        _NET_WM_VISIBLE_NAME,
        _NET_FRAME_EXTENTS,
        _GTK_FRAME_EXTENTS,
        _NET_WM_WINDOW_TYPE,
        _NET_WM_WINDOW_TYPE_DESKTOP,
    }
}

/// The windows of a desktop.
#[derive(Default)]
pub(super) struct WindowList {
    names: Option<Names>,
}

impl WindowList {
    fn names(&mut self, server: &Server) -> Answer<Names> {
        if let Some(names) = self.names {
            return Ok(names);
        }
        let names = Names::new(&server.connection)?.reply()?;
        self.names = Some(names);
        Ok(names)
    }

    /// Returns the windows, the topmost first, or `None` if no window manager lists them.
    pub(super) fn list(&mut self, server: &Server) -> Answer<Option<Vec<Window>>> {
        let names = self.names(server)?;
        let stacked = property(server, server.root, names._NET_CLIENT_LIST_STACKING, MOST)?;
        let active = property(server, server.root, names._NET_ACTIVE_WINDOW, 1)?;
        let supported = property(server, server.root, names._NET_SUPPORTED, MOST)?;
        let stacked = stacked.reply()?;
        let active = active.reply()?.value32().and_then(|mut ids| ids.next());
        let supported = supported.reply()?;
        // Until the first window opens, there is no list.
        let lists = names._NET_CLIENT_LIST_STACKING;
        if stacked.type_ == 0
            && !supported
                .value32()
                .is_some_and(|mut atoms| atoms.any(|atom| atom == lists))
        {
            return Ok(None);
        }
        let mut ids: Vec<Id> = stacked.value32().map(Iterator::collect).unwrap_or_default();
        ids.reverse();
        // Send all questions before reading the first answer. This takes one round trip to the server, however many
        // windows there are.
        let asked: Result<Vec<_>, _> = ids.into_iter().map(|id| Asked::about(server, names, id)).collect();
        let mut windows = Vec::new();
        for asked in asked? {
            match asked.window(names, active) {
                Ok(window) => windows.extend(window),
                // The window has vanished in the meantime.
                Err(ReplyError::X11Error(_)) => {}
                Err(ReplyError::ConnectionError(error)) => return Err(error.into()),
            }
        }
        Ok(Some(windows))
    }

    /// Brings a window to the front, and waits until it is there. Returns `false` if it no longer exists, and `None` if
    /// the window manager does not bring it to the front.
    pub(super) fn focus(&mut self, server: &Server, WindowId(id): WindowId) -> Answer<Option<bool>> {
        let names = self.names(server)?;
        let Ok(id) = Id::try_from(id) else {
            return Ok(Some(false));
        };
        // Use a separate connection, because the main one would get too many events.
        let server = server.again().map_err(|error| match error {
            ConnectError::IoError(error) => ConnectionError::IoError(error),
            _ => ConnectionError::UnknownError,
        })?;
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        server.connection.change_window_attributes(server.root, &aux)?.check()?;
        let message = ClientMessageEvent::new(32, id, names._NET_ACTIVE_WINDOW, [FROM_A_PAGER, 0, 0, 0, 0]);
        let to_manager = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        server
            .connection
            .send_event(false, server.root, to_manager, message)?
            .check()?;
        let deadline = Instant::now() + FRONT;
        loop {
            let asked = property(&server, server.root, names._NET_CLIENT_LIST_STACKING, MOST)?;
            let active = property(&server, server.root, names._NET_ACTIVE_WINDOW, 1)?;
            let (asked, active) = (asked.reply()?, active.reply()?);
            if !asked.value32().is_some_and(|mut ids| ids.any(|listed| listed == id)) {
                return Ok(Some(false));
            }
            if active.value32().and_then(|mut ids| ids.next()) == Some(id) {
                return Ok(Some(true));
            }
            loop {
                match server.event_before(deadline)? {
                    None => return Ok(None),
                    Some(Event::PropertyNotify(changed))
                        if [names._NET_ACTIVE_WINDOW, names._NET_CLIENT_LIST_STACKING].contains(&changed.atom) =>
                    {
                        break;
                    }
                    Some(_) => {}
                }
            }
        }
    }
}

type Connection = x11rb::rust_connection::RustConnection<super::timed_stream::TimedStream>;

/// The pending questions about one window.
struct Asked<'c> {
    id: Id,
    attributes: Cookie<'c, Connection, GetWindowAttributesReply>,
    size: Cookie<'c, Connection, GetGeometryReply>,
    place: Cookie<'c, Connection, TranslateCoordinatesReply>,
    title: Cookie<'c, Connection, GetPropertyReply>,
    /// The title that the window manager shows. The manager understands more encodings than FRANZ.
    shown_title: Cookie<'c, Connection, GetPropertyReply>,
    old_title: Cookie<'c, Connection, GetPropertyReply>,
    class: Cookie<'c, Connection, GetPropertyReply>,
    kinds: Cookie<'c, Connection, GetPropertyReply>,
    frame: Cookie<'c, Connection, GetPropertyReply>,
    shadow: Cookie<'c, Connection, GetPropertyReply>,
    dialog_of: Cookie<'c, Connection, GetPropertyReply>,
}

impl<'c> Asked<'c> {
    fn about(server: &'c Server, names: Names, id: Id) -> Result<Asked<'c>, ConnectionError> {
        let connection = &server.connection;
        Ok(Asked {
            id,
            attributes: connection.get_window_attributes(id)?,
            size: connection.get_geometry(id)?,
            place: connection.translate_coordinates(id, server.root, 0, 0)?,
            title: property(server, id, names._NET_WM_NAME, TITLE)?,
            shown_title: property(server, id, names._NET_WM_VISIBLE_NAME, TITLE)?,
            old_title: property(server, id, AtomEnum::WM_NAME.into(), TITLE)?,
            class: property(server, id, AtomEnum::WM_CLASS.into(), TITLE)?,
            kinds: property(server, id, names._NET_WM_WINDOW_TYPE, 16)?,
            frame: property(server, id, names._NET_FRAME_EXTENTS, 4)?,
            shadow: property(server, id, names._GTK_FRAME_EXTENTS, 4)?,
            dialog_of: property(server, id, AtomEnum::WM_TRANSIENT_FOR.into(), 1)?,
        })
    }

    /// Returns the window, or `None` if it is the background. Fails if it has vanished.
    fn window(self, names: Names, active: Option<Id>) -> Result<Option<Window>, ReplyError> {
        let is_shown = self.attributes.reply()?.map_state == MapState::VIEWABLE;
        let (size, at) = (self.size.reply()?, self.place.reply()?);
        let titles = [self.title.reply()?, self.shown_title.reply()?, self.old_title.reply()?];
        let title = titles.iter().map(text).find(|title| !title.is_empty());
        let class = self.class.reply()?;
        let (kinds, frame, shadow) = (self.kinds.reply()?, self.frame.reply()?, self.shadow.reply()?);
        let dialog_of = self.dialog_of.reply()?.value32().and_then(|mut ids| ids.next());
        let background = names._NET_WM_WINDOW_TYPE_DESKTOP;
        if kinds
            .value32()
            .is_some_and(|mut kinds| kinds.any(|kind| kind == background))
        {
            return Ok(None);
        }
        let client = Area {
            x: at.dst_x.into(),
            y: at.dst_y.into(),
            width: size.width.into(),
            height: size.height.into(),
        };
        Ok(Some(Window {
            id: WindowId(self.id.into()),
            title: title.unwrap_or_default(),
            class: class_of(&class),
            place: is_shown.then(|| framed(client, edges(&frame), edges(&shadow))),
            is_active: active == Some(self.id),
            dialog_of: dialog_of.map(|id| WindowId(id.into())),
        }))
    }
}

fn property(
    server: &Server,
    of: Id,
    name: Atom,
    most: u32,
) -> Result<Cookie<'_, Connection, GetPropertyReply>, ConnectionError> {
    server.connection.get_property(false, of, name, AtomEnum::ANY, 0, most)
}

/// Reads the widths that a frame adds at the left, right, top and bottom.
fn edges(property: &GetPropertyReply) -> [i64; 4] {
    let mut edges = [0; 4];
    for (edge, said) in edges.iter_mut().zip(property.value32().into_iter().flatten()) {
        *edge = i64::from(said.min(u32::from(u16::MAX)));
    }
    edges
}

/// Adds the frame that the window manager draws, and subtracts the shadow that the program itself draws.
fn framed(client: Area, frame: [i64; 4], shadow: [i64; 4]) -> Area {
    let [left, right, top, bottom] = std::array::from_fn(|edge| frame[edge] - shadow[edge]);
    let size = |size: u32, more: i64| (i64::from(size) + more).max(1) as u32;
    Area {
        x: client.x - left as i32,
        y: client.y - top as i32,
        width: size(client.width, left + right),
        height: size(client.height, top + bottom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_part_of_a_window_and_a_shadow_is_not() {
        let client = Area {
            x: 30,
            y: 40,
            width: 100,
            height: 50,
        };
        for (frame, shadow, expected) in [
            ([0; 4], [0; 4], "100x50 at 30,40"),
            ([1, 2, 20, 3], [0; 4], "103x73 at 29,20"),
            ([0; 4], [25, 25, 20, 30], "50x1 at 55,60"),
        ] {
            assert_eq!(framed(client, frame, shadow).to_string(), expected);
        }
    }
}
