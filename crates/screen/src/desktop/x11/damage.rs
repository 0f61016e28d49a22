//! Finds the parts of the screen that have been drawn on since the last look.

use franz_frame::Area;
use x11rb::connection::Connection as _;
use x11rb::protocol::damage::{self, ConnectionExt as _, ReportLevel};
use x11rb::protocol::xfixes::{self, ConnectionExt as _};
use x11rb::protocol::xproto::Rectangle;

use super::server::{Answer, Server};

/// If there are more parts than this, only their bounding area is fetched, because each part costs a request.
const PARTS: usize = 24;

/// The damage of the root window, including the damage of every window on it.
pub(super) struct Damage {
    damage: damage::Damage,
    taken: xfixes::Region,
}

impl Damage {
    /// Tracks the root window; returns `None` if the server does not report drawing.
    pub(super) fn of_root(server: &Server) -> Answer<Option<Damage>> {
        if !server.has(damage::X11_EXTENSION_NAME)? || !server.has(xfixes::X11_EXTENSION_NAME)? {
            return Ok(None);
        }
        let connection = &server.connection;
        connection.xfixes_query_version(5, 0)?.reply()?;
        connection.damage_query_version(1, 1)?.reply()?;
        let taken = connection.generate_id()?;
        connection.xfixes_create_region(taken, &[])?;
        let damage = connection.generate_id()?;
        connection
            .damage_create(damage, server.root, ReportLevel::NON_EMPTY)?
            .check()?;
        Ok(Some(Damage { damage, taken }))
    }

    /// Forgets all drawing so far.
    pub(super) fn forget(&self, server: &Server) -> Answer<()> {
        server
            .connection
            .damage_subtract(self.damage, x11rb::NONE, x11rb::NONE)?;
        Ok(())
    }

    /// Returns the areas drawn on since the last call, as non-overlapping rectangles.
    pub(super) fn take(&self, server: &Server) -> Answer<Vec<Area>> {
        server
            .connection
            .damage_subtract(self.damage, x11rb::NONE, self.taken)?;
        let region = server.connection.xfixes_fetch_region(self.taken)?.reply()?;
        Ok(match region.rectangles.len() {
            0..=PARTS => region.rectangles.into_iter().map(area).collect(),
            _ => vec![area(region.extents)],
        })
    }
}

fn area(rectangle: Rectangle) -> Area {
    Area {
        x: rectangle.x.into(),
        y: rectangle.y.into(),
        width: rectangle.width.into(),
        height: rectangle.height.into(),
    }
}
