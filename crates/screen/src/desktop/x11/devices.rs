//! The devices through which programs press keys and buttons, as opposed to those that a person uses.

use x11rb::protocol::xinput::{self, ConnectionExt as _, Device};

use super::server::{Answer, Server};

/// The server's own devices for input from programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Artificial {
    pub(super) pointers: Vec<u16>,
    pub(super) keyboards: Vec<u16>,
}

impl Artificial {
    /// Finds the devices; returns `None` if the server cannot distinguish devices.
    pub(super) fn of(server: &Server) -> Answer<Option<Artificial>> {
        if !server.has(xinput::X11_EXTENSION_NAME)? {
            return Ok(None);
        }
        server.connection.xinput_xi_query_version(2, 2)?.reply()?;
        let mut found = Artificial::default();
        for device in server.connection.xinput_xi_query_device(Device::ALL)?.reply()?.infos {
            if device.name.ends_with(b"XTEST pointer") {
                found.pointers.push(device.deviceid);
            } else if device.name.ends_with(b"XTEST keyboard") {
                found.keyboards.push(device.deviceid);
            }
        }
        Ok(Some(found))
    }

    pub(super) fn contains(&self, device: u16) -> bool {
        self.pointers.contains(&device) || self.keyboards.contains(&device)
    }
}
