//! The monitors, cached until the server reports a change.

use franz_frame::Area;
use x11rb::protocol::randr::{ConnectionExt as _, NotifyMask};
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, EventMask};

use super::server::{Answer, Server};
use crate::desktop::display::Monitor;

/// The monitors.
pub(super) struct Monitors {
    /// Whether the server supports `RandR` 1.5.
    told: bool,
    known: Option<Vec<Monitor>>,
}

impl Monitors {
    pub(super) fn watch(server: &Server) -> Answer<Monitors> {
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        server.connection.change_window_attributes(server.root, &aux)?;
        let told = server.has(x11rb::protocol::randr::X11_EXTENSION_NAME)? && {
            let version = server.connection.randr_query_version(1, 5)?.reply()?;
            (version.major_version, version.minor_version) >= (1, 5)
        };
        if told {
            let changes = NotifyMask::SCREEN_CHANGE | NotifyMask::CRTC_CHANGE | NotifyMask::OUTPUT_CHANGE;
            server.connection.randr_select_input(server.root, changes)?;
        }
        Ok(Monitors { told, known: None })
    }

    /// Forgets the monitors, because they might have changed.
    pub(super) fn forget(&mut self) {
        self.known = None;
    }

    /// Returns the monitors, the primary one first; never empty.
    pub(super) fn get(&mut self, server: &Server) -> Answer<Vec<Monitor>> {
        if let Some(known) = &self.known {
            return Ok(known.clone());
        }
        let root = server.connection.get_geometry(server.root)?.reply()?;
        let whole = Area::whole(root.width.into(), root.height.into());
        let mut monitors = if self.told { active(server, whole)? } else { Vec::new() };
        if monitors.is_empty() {
            let name = "screen".to_owned();
            monitors.push(Monitor { name, area: whole });
        }
        self.known = Some(monitors.clone());
        Ok(monitors)
    }
}

/// Returns the monitors that are on, cropped to the desktop.
fn active(server: &Server, whole: Area) -> Answer<Vec<Monitor>> {
    let mut monitors = server
        .connection
        .randr_get_monitors(server.root, true)?
        .reply()?
        .monitors;
    monitors.sort_by_key(|monitor| !monitor.primary);
    let mut named = Vec::with_capacity(monitors.len());
    for monitor in monitors {
        let area = Area {
            x: monitor.x.into(),
            y: monitor.y.into(),
            width: monitor.width.into(),
            height: monitor.height.into(),
        };
        if let Some(area) = area.intersection(&whole) {
            let name = server.connection.get_atom_name(monitor.name)?.reply()?.name;
            let name = String::from_utf8_lossy(&name).into_owned();
            named.push(Monitor { name, area });
        }
    }
    Ok(named)
}
