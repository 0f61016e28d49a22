//! All that the server hears from mice and keyboards, whoever moves and presses them.

use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{ConnectionExt as _, Device, EventMask, XIEventMask};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::client::Client;

/// Counts input events from when it is made.
pub(crate) struct Events {
    client: Client,
}

impl Events {
    pub(crate) fn heard_by(client: Client) -> Events {
        let mask = XIEventMask::RAW_MOTION
            | XIEventMask::RAW_KEY_PRESS
            | XIEventMask::RAW_KEY_RELEASE
            | XIEventMask::RAW_BUTTON_PRESS
            | XIEventMask::RAW_BUTTON_RELEASE;
        let deviceid = Device::ALL_MASTER.into();
        let mask = vec![mask];
        let asked = client
            .connection
            .xinput_xi_select_events(client.root, &[EventMask { deviceid, mask }]);
        asked.unwrap().check().unwrap();
        Events { client }
    }

    /// How many there were since the last call: of all that happened before it none is missed.
    pub(crate) fn count(&self) -> usize {
        self.client.connection.get_input_focus().unwrap().reply().unwrap();
        let mut count = 0;
        while let Some(event) = self.client.connection.poll_for_event().unwrap() {
            count += usize::from(matches!(
                event,
                Event::XinputRawMotion(_)
                    | Event::XinputRawKeyPress(_)
                    | Event::XinputRawKeyRelease(_)
                    | Event::XinputRawButtonPress(_)
                    | Event::XinputRawButtonRelease(_)
            ));
        }
        count
    }
}
