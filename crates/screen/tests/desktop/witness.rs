//! A window that covers the whole desktop and remembers every event that reaches it.

use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, EventMask, InputFocus, Window, WindowClass};

use crate::client::Client;
use crate::stage::{HEIGHT, Stage, WIDTH, until};

/// An event that a program receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Button(u8, i16, i16),
    Released(u8, i16, i16),
    Moved(i16, i16),
    Key(u8, u16),
    KeyUp(u8),
}

pub(crate) struct Witness {
    pub(crate) client: Client,
    pub(crate) window: Window,
}

impl Witness {
    pub(crate) fn on(stage: &Stage) -> Witness {
        let client = stage.client();
        let connection = &client.connection;
        let window = connection.generate_id().unwrap();
        let events = EventMask::BUTTON_PRESS
            | EventMask::BUTTON_RELEASE
            | EventMask::POINTER_MOTION
            | EventMask::KEY_PRESS
            | EventMask::KEY_RELEASE
            | EventMask::EXPOSURE;
        let aux = CreateWindowAux::new()
            .override_redirect(1)
            .event_mask(events)
            .background_pixel(0x0020_4060);
        let (width, height, class) = (WIDTH as u16, HEIGHT as u16, WindowClass::INPUT_OUTPUT);
        connection
            .create_window(0, window, client.root, 0, 0, width, height, 0, class, 0, &aux)
            .unwrap();
        connection.map_window(window).unwrap().check().unwrap();
        until("the window is shown", || connection.poll_for_event().unwrap());
        connection
            .set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)
            .unwrap()
            .check()
            .unwrap();
        Witness { client, window }
    }

    /// Returns everything that was heard since the last call, including everything sent before this one.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.client.connection.get_input_focus().unwrap().reply().unwrap();
        let mut heard = Vec::new();
        while let Some(event) = self.client.connection.poll_for_event().unwrap() {
            heard.extend(match event {
                Event::ButtonPress(e) => Some(Heard::Button(e.detail, e.root_x, e.root_y)),
                Event::ButtonRelease(e) => Some(Heard::Released(e.detail, e.root_x, e.root_y)),
                Event::MotionNotify(e) => Some(Heard::Moved(e.root_x, e.root_y)),
                Event::KeyPress(e) => Some(Heard::Key(e.detail, u16::from(e.state) & 0xff)),
                Event::KeyRelease(e) => Some(Heard::KeyUp(e.detail)),
                _ => None,
            });
        }
        heard
    }
}
