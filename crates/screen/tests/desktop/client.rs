//! A test's connection to its X server.

use franz_screen::PrivateDesktop;
use x11rb::connection::Connection;
use x11rb::protocol::xinput::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Window};
use x11rb::reexports::x11rb_protocol::parse_display::parse_display;
use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::stage::until;

const COOKIE: usize = 16;

pub(crate) struct Client {
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
}

impl Client {
    pub(crate) fn of(desktop: &dyn PrivateDesktop) -> Client {
        let environment = desktop.environment();
        let (_, authority) = environment.iter().find(|(name, _)| *name == "XAUTHORITY").unwrap();
        Client::at(desktop.name(), authority)
    }

    /// Connects to the display with this name, whose key is in the file `authority`.
    pub(crate) fn at(name: &str, authority: &str) -> Client {
        let authority = std::fs::read(authority).unwrap();
        let cookie = authority[authority.len() - COOKIE..].to_vec();
        let display = parse_display(Some(name)).unwrap();
        let stream = display
            .connect_instruction()
            .find_map(|place| DefaultStream::connect(&place).ok());
        let (stream, _) = stream.unwrap();
        let method = b"MIT-MAGIC-COOKIE-1".to_vec();
        let connection = RustConnection::connect_to_stream_with_auth_info(stream, 0, method, cookie).unwrap();
        connection.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
        let root = connection.setup().roots[0].root;
        Client { connection, root }
    }

    pub(crate) fn atom(&self, name: &str) -> u32 {
        let asked = self.connection.intern_atom(false, name.as_bytes());
        asked.unwrap().reply().unwrap().atom
    }

    /// Returns the window that has the keyboard focus according to the window manager.
    fn active(&self) -> Option<Window> {
        let active = self.atom("_NET_ACTIVE_WINDOW");
        let asked = self
            .connection
            .get_property(false, self.root, active, AtomEnum::WINDOW, 0, 1);
        let reply = asked.unwrap().reply().unwrap();
        reply.value32()?.next().filter(|window| *window != 0)
    }

    pub(crate) fn text_of(&self, window: Window, property: &str) -> String {
        let property = self.atom(property);
        let asked = self
            .connection
            .get_property(false, window, property, AtomEnum::ANY, 0, 10_000);
        let value = asked.unwrap().reply().map(|reply| reply.value).unwrap_or_default();
        String::from_utf8_lossy(&value).into_owned()
    }

    /// Waits until a window with this string in its class or title has the keyboard focus.
    pub(crate) fn focused(&self, name: &str) -> Window {
        until(&format!("{name} has the keyboard"), || {
            self.active().filter(|window| self.is_called(*window, name))
        })
    }

    /// Returns whether a window with this name has the keyboard.
    pub(crate) fn is_focused(&self, name: &str) -> bool {
        self.active().is_some_and(|window| self.is_called(window, name))
    }

    fn is_called(&self, window: Window, name: &str) -> bool {
        let texts = [self.text_of(window, "WM_CLASS"), self.text_of(window, "WM_NAME")];
        texts.iter().any(|text| text.to_lowercase().contains(name))
    }

    /// Ends a window's program, and waits until the window manager notices.
    pub(crate) fn kill(&self, window: Window) {
        self.connection.kill_client(window).unwrap().check().unwrap();
        let list = self.atom("_NET_CLIENT_LIST");
        until("the window is gone", || {
            let asked = self
                .connection
                .get_property(false, self.root, list, AtomEnum::WINDOW, 0, 100);
            let listed = asked.unwrap().reply().unwrap();
            let is_there = listed.value32().into_iter().flatten().any(|listed| listed == window);
            (!is_there).then_some(())
        });
    }

    /// Returns the symbols of all keys.
    pub(crate) fn keymap(&self) -> Vec<Vec<u32>> {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let asked = self.connection.get_keyboard_mapping(first, last - first + 1);
        let mapping = asked.unwrap().reply().unwrap();
        let keys = mapping.keysyms.chunks(mapping.keysyms_per_keycode.into());
        let trimmed = |symbols: &[u32]| {
            let last = symbols.iter().rposition(|&symbol| symbol != 0);
            symbols[..last.map_or(0, |last| last + 1)].to_vec()
        };
        keys.map(trimmed).collect()
    }

    /// Puts the pointer somewhere, as a program would.
    pub(crate) fn warp(&self, (x, y): (i16, i16)) {
        let moved = self.connection.warp_pointer(x11rb::NONE, self.root, 0, 0, 0, 0, x, y);
        moved.unwrap().check().unwrap();
    }

    /// Returns the keys and buttons that are down.
    pub(crate) fn down(&self) -> (Vec<u8>, u16) {
        let keys = self.connection.query_keymap().unwrap().reply().unwrap().keys;
        let mask = self.connection.query_pointer(self.root).unwrap().reply().unwrap().mask;
        let is_down = |code: &u8| keys[usize::from(code / 8)] >> (code % 8) & 1 == 1;
        ((0..=255).filter(is_down).collect(), u16::from(mask) & 0x1f00)
    }

    pub(crate) fn pointer(&self) -> (i16, i16) {
        let at = self.connection.query_pointer(self.root).unwrap().reply().unwrap();
        (at.root_x, at.root_y)
    }
}
