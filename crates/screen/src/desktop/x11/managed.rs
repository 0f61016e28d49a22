//! Whether a window manager runs (EWMH).

use std::time::{Duration, Instant};

use x11rb::protocol::xproto::{AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask};

use super::server::{Address, Answer, Server, While};
use crate::desktop::display::DisplayError;

/// Waits until windows are managed; `false` when they are not within that time.
pub(crate) fn managed(address: Address, time: Duration) -> Result<bool, DisplayError> {
    const DOING: &str = "waiting for a window manager";
    let server = Server::connect(address).during(DOING)?;
    appears(&server, Instant::now() + time).during(DOING)
}

fn appears(server: &Server, deadline: Instant) -> Answer<bool> {
    let check = server.atom("_NET_SUPPORTING_WM_CHECK")?;
    let connection = &server.connection;
    let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    connection.change_window_attributes(server.root, &aux)?.check()?;
    loop {
        let said = connection
            .get_property(false, server.root, check, AtomEnum::WINDOW, 0, 1)?
            .reply()?;
        if said.value_len > 0 {
            return Ok(true);
        }
        if server.event_before(deadline)?.is_none() {
            return Ok(false);
        }
    }
}
