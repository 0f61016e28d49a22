//! What a window manager reports: that it runs, and how many windows it has (EWMH).

use std::sync::Arc;
use std::time::{Duration, Instant};

use x11rb::protocol::xproto::{AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask};

use super::server::{Address, Answer, Server, While};
use crate::desktop::display::DisplayError;

/// Waits until windows are managed; returns `false` if they are not within this time.
pub(crate) fn managed(address: Address, time: Duration) -> Result<bool, DisplayError> {
    const DOING: &str = "waiting for a window manager";
    let server = Server::connect(address, Arc::new(|| false)).during(DOING)?;
    has(&server, "_NET_SUPPORTING_WM_CHECK", 1, Instant::now() + time).during(DOING)
}

/// Waits until there are at least `least` windows; returns `false` if there are not within this time.
pub(crate) fn windows(address: Address, least: u32, time: Duration) -> Result<bool, DisplayError> {
    const DOING: &str = "waiting for windows";
    let server = Server::connect(address, Arc::new(|| false)).during(DOING)?;
    has(&server, "_NET_CLIENT_LIST", least, Instant::now() + time).during(DOING)
}

/// Waits until a property of the root window names at least `least` windows.
fn has(server: &Server, property: &str, least: u32, deadline: Instant) -> Answer<bool> {
    let property = server.atom(property)?;
    let connection = &server.connection;
    let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    connection.change_window_attributes(server.root, &aux)?.check()?;
    loop {
        let said = connection
            .get_property(false, server.root, property, AtomEnum::WINDOW, 0, least)?
            .reply()?;
        if said.value_len >= least {
            return Ok(true);
        }
        if server.event_before(deadline)?.is_none() {
            return Ok(false);
        }
    }
}
