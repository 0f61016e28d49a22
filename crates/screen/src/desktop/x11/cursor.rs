//! The mouse cursor, fetched again only when it changes.

use franz_frame::Area;
use x11rb::protocol::xfixes::{self, ConnectionExt as _, CursorNotifyMask};
use x11rb::protocol::xproto::ConnectionExt as _;

use super::server::{Answer, Server};
use crate::desktop::cursor::CursorImage;

/// The shape of the cursor.
struct Shape {
    width: u16,
    height: u16,
    hot: (i32, i32),
    pixels: Vec<u32>,
}

/// The cursor as the server reports it.
pub(super) struct Cursor {
    /// Whether the server reports the cursor.
    told: bool,
    shape: Option<Shape>,
}

impl Cursor {
    pub(super) fn watch(server: &Server) -> Answer<Cursor> {
        let told = server.has(xfixes::X11_EXTENSION_NAME)?;
        if told {
            server.connection.xfixes_query_version(5, 0)?.reply()?;
            let mask = CursorNotifyMask::DISPLAY_CURSOR;
            server.connection.xfixes_select_cursor_input(server.root, mask)?;
        }
        Ok(Cursor { told, shape: None })
    }

    /// Forgets the shape, because it has changed.
    pub(super) fn forget(&mut self) {
        self.shape = None;
    }

    /// Returns the cursor with its hot spot at this position.
    pub(super) fn at(&mut self, server: &Server, (x, y): (i32, i32)) -> Answer<Option<CursorImage>> {
        if !self.told {
            return Ok(None);
        }
        if self.shape.is_none() {
            let image = server.connection.xfixes_get_cursor_image()?.reply()?;
            self.shape = Some(Shape {
                width: image.width,
                height: image.height,
                hot: (image.xhot.into(), image.yhot.into()),
                pixels: image.cursor_image,
            });
        }
        let visible = self.shape.as_ref().filter(|shape| shape.width > 0 && shape.height > 0);
        Ok(visible.map(|shape| CursorImage {
            area: Area {
                x: x - shape.hot.0,
                y: y - shape.hot.1,
                width: shape.width.into(),
                height: shape.height.into(),
            },
            pixels: shape.pixels.clone(),
        }))
    }
}

/// Returns the position of the pointer.
pub(super) fn pointer(server: &Server) -> Answer<(i32, i32)> {
    let place = server.connection.query_pointer(server.root)?.reply()?;
    Ok((place.root_x.into(), place.root_y.into()))
}
