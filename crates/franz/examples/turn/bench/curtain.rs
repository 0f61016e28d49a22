//! A black window in front of all others, and a picture behind them.

use std::fs;

use franz_screen::PrivateDesktop;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConfigureWindowAux, ConnectionExt as _, CreateGCAux, CreateWindowAux, ImageFormat,
    Screen, StackMode, Window, WindowClass,
};
use x11rb::reexports::x11rb_protocol::parse_display::parse_display;
use x11rb::rust_connection::{DefaultStream, RustConnection};

use crate::Failure;

/// The length in bytes of the key at the end of an X authority file.
const COOKIE: usize = 16;
/// The number of picture rows to send in one request, whose size is limited to 256 kB.
const ROWS: usize = 32;

pub(crate) struct Curtain {
    connection: RustConnection,
    screen: Screen,
    window: Window,
}

impl Curtain {
    /// Creates an open curtain.
    pub(crate) fn on(desktop: &dyn PrivateDesktop) -> Result<Curtain, Failure> {
        let connection = connect(desktop)?;
        let screen = connection.setup().roots.first().ok_or("there is no screen")?.clone();
        let window = connection.generate_id()?;
        let (width, height) = (screen.width_in_pixels, screen.height_in_pixels);
        let looks = CreateWindowAux::new()
            .override_redirect(1)
            .background_pixel(screen.black_pixel);
        connection
            .create_window(
                x11rb::COPY_DEPTH_FROM_PARENT,
                window,
                screen.root,
                0,
                0,
                width,
                height,
                0,
                WindowClass::INPUT_OUTPUT,
                x11rb::COPY_FROM_PARENT,
                &looks,
            )?
            .check()?;
        Ok(Curtain {
            connection,
            screen,
            window,
        })
    }

    /// Hides all windows.
    pub(crate) fn close(&self) -> Result<(), Failure> {
        self.connection.map_window(self.window)?.check()?;
        // Newer windows are in front of the curtain.
        let front = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
        Ok(self.connection.configure_window(self.window, &front)?.check()?)
    }

    /// Reveals all windows.
    pub(crate) fn open(&self) -> Result<(), Failure> {
        Ok(self.connection.unmap_window(self.window)?.check()?)
    }

    /// Hangs a picture of this width behind all windows. Its pixels are blue, green, red and one unused byte.
    pub(crate) fn hang(&self, width: u32, picture: &[u8]) -> Result<(), Failure> {
        let (connection, root) = (&self.connection, self.screen.root);
        let row = width as usize * 4;
        let height = picture.len() / row;
        let (pixmap, context) = (connection.generate_id()?, connection.generate_id()?);
        connection.create_pixmap(self.screen.root_depth, pixmap, root, width as u16, height as u16)?;
        connection.create_gc(context, pixmap, &CreateGCAux::new())?;
        for (index, rows) in picture.chunks(row * ROWS).enumerate() {
            connection.put_image(
                ImageFormat::Z_PIXMAP,
                pixmap,
                context,
                width as u16,
                (rows.len() / row) as u16,
                0,
                (index * ROWS) as i16,
                0,
                self.screen.root_depth,
                rows,
            )?;
        }
        let back = ChangeWindowAttributesAux::new().background_pixmap(pixmap);
        connection.change_window_attributes(root, &back)?;
        Ok(connection.clear_area(false, root, 0, 0, 0, 0)?.check()?)
    }
}

fn connect(desktop: &dyn PrivateDesktop) -> Result<RustConnection, Failure> {
    let environment = desktop.environment();
    let authority = environment.iter().find(|(name, _)| *name == "XAUTHORITY");
    let (_, authority) = authority.ok_or("the desktop names no authority file")?;
    let authority = fs::read(authority)?;
    let cookie = authority
        .get(authority.len().saturating_sub(COOKIE)..)
        .unwrap_or_default();
    let place = parse_display(Some(desktop.name()))?;
    let stream = place
        .connect_instruction()
        .find_map(|address| DefaultStream::connect(&address).ok());
    let (stream, _) = stream.ok_or("the desktop cannot be reached")?;
    let method = b"MIT-MAGIC-COOKIE-1".to_vec();
    Ok(RustConnection::connect_to_stream_with_auth_info(
        stream,
        0,
        method,
        cookie.to_vec(),
    )?)
}
