//! The X server's events for programs that move the mouse and press keys.

use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{ConnectionExt as _, Device, EventMask, XIEventMask};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::desktop::client::Client;

/// Counts programs' input events from the moment it is created. Does not count those of a person's devices.
pub(crate) struct Events {
    client: Client,
    artificial: Vec<u16>,
}

impl Events {
    pub(crate) fn heard_by(client: Client) -> Events {
        let connection = &client.connection;
        let mask = XIEventMask::RAW_MOTION
            | XIEventMask::RAW_KEY_PRESS
            | XIEventMask::RAW_KEY_RELEASE
            | XIEventMask::RAW_BUTTON_PRESS
            | XIEventMask::RAW_BUTTON_RELEASE;
        let deviceid = Device::ALL_MASTER.into();
        let mask = vec![mask];
        let asked = connection.xinput_xi_select_events(client.root, &[EventMask { deviceid, mask }]);
        asked.unwrap().check().unwrap();
        let devices = connection.xinput_xi_query_device(Device::ALL).unwrap();
        let devices = devices.reply().unwrap().infos;
        let artificial = devices
            .iter()
            .filter(|device| String::from_utf8_lossy(&device.name).contains("XTEST"))
            .map(|device| device.deviceid)
            .collect();
        Events { client, artificial }
    }

    /// Returns how many events there were since the last call. Counts everything that happened before this call.
    pub(crate) fn count(&self) -> usize {
        let connection = &self.client.connection;
        connection.get_input_focus().unwrap().reply().unwrap();
        let heard = std::iter::from_fn(|| connection.poll_for_event().unwrap());
        heard
            .filter_map(|event| match event {
                Event::XinputRawMotion(event)
                | Event::XinputRawButtonPress(event)
                | Event::XinputRawButtonRelease(event) => Some(event.sourceid),
                Event::XinputRawKeyPress(event) | Event::XinputRawKeyRelease(event) => Some(event.sourceid),
                _ => None,
            })
            .filter(|source| self.artificial.contains(source))
            .count()
    }
}
