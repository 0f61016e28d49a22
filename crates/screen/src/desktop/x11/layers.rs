//! The stacking of everything on the desktop, menus and tooltips included, with the owner of each layer.

use franz_frame::Area;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, MapState, Window as Id, WindowClass};

use super::names::{names, there, with_inner};
use super::server::{Answer, Server};
use crate::elements::DesktopLayer;
use crate::window::{Window, WindowId};

/// The largest number of windows around a program's own: its frame, and any that window managers put between the two.
const MOST_FRAMES: usize = 4;

/// Returns the layers, each with its outermost window, the topmost first. `windows` are the windows of programs.
/// Windows that vanish in the meantime are left out.
pub(super) fn layers(server: &Server, windows: &[Window]) -> Answer<Vec<(Id, DesktopLayer)>> {
    let connection = &server.connection;
    let process = connection.intern_atom(false, b"_NET_WM_PID")?.reply()?.atom;
    let mut framed = Vec::new();
    for window in windows.iter().filter(|window| window.place.is_some()) {
        framed.extend(outermost(server, window.id)?.map(|outer| (outer, window)));
    }
    let tree = connection.query_tree(server.root)?.reply()?;
    let mut asked = Vec::new();
    for id in tree.children.into_iter().rev() {
        let window = framed.iter().find(|(outer, _)| *outer == id).map(|(_, window)| *window);
        let of = window.and_then(|window| Id::try_from(window.id.0).ok()).unwrap_or(id);
        asked.push((
            window,
            (id, of),
            connection.get_window_attributes(id)?,
            connection.get_geometry(id)?,
            connection.get_property(false, of, process, AtomEnum::CARDINAL, 0, 1)?,
        ));
    }
    let mut layers = Vec::new();
    for (window, (id, of), attributes, geometry, process) in asked {
        let answers = (attributes.reply(), geometry.reply(), process.reply());
        let (Some(attributes), Some(geometry), Some(process)) =
            (there(answers.0)?, there(answers.1)?, there(answers.2)?)
        else {
            continue;
        };
        if attributes.map_state != MapState::VIEWABLE || attributes.class != WindowClass::INPUT_OUTPUT {
            continue;
        }
        let border = 2 * u32::from(geometry.border_width);
        // A window that has just appeared might already have a frame but be in no list yet.
        let names = match window {
            Some(_) => Vec::new(),
            None => names(server, &with_inner(server, vec![id])?)?,
        };
        let area = Area {
            x: geometry.x.into(),
            y: geometry.y.into(),
            width: u32::from(geometry.width) + border,
            height: u32::from(geometry.height) + border,
        };
        let layer = DesktopLayer {
            area,
            path: area,
            process: process.value32().and_then(|mut ids| ids.next()),
            window: window.map(|window| window.id),
            maker: Some(maker(server, of)),
            names,
        };
        layers.push((id, layer));
    }
    // Not every menu reports its process, but other windows of the same connection do.
    for at in 0..layers.len() {
        let (_, layer) = &layers[at];
        if layer.process.is_none() {
            let mut others = layers.iter().filter(|(_, other)| other.maker == layer.maker);
            layers[at].1.process = others.find_map(|(_, other)| other.process);
        }
    }
    Ok(layers)
}

/// Returns the part of a window's number that all windows of one connection share.
pub(super) fn maker(server: &Server, id: Id) -> u32 {
    id & !server.connection.setup().resource_id_mask
}

/// Returns the outermost window around a program's window, which lies directly on the background.
fn outermost(server: &Server, WindowId(id): WindowId) -> Answer<Option<Id>> {
    let Ok(mut id) = Id::try_from(id) else { return Ok(None) };
    for _ in 0..MOST_FRAMES {
        let Some(tree) = there(server.connection.query_tree(id)?.reply())? else {
            return Ok(None);
        };
        if tree.parent == server.root {
            return Ok(Some(id));
        }
        id = tree.parent;
    }
    Ok(None)
}
