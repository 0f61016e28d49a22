//! The data that a VNC server sends during the handshake and afterwards, including unpacked tiles and text. Whatever
//! arrives, the client either stops or continues with a picture of the size that it reports.
#![no_main]

use std::io::{Cursor, Read, Result, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use franz_rfb::{ServerClipboard, VncClient, VncPassword};
use libfuzzer_sys::fuzz_target;

/// The bytes that a server sends if it lets everybody in. Its screen has 70x5 pixels.
const ENTRANCE: &[u8] = b"RFB 003.008\n\x01\x01\0\0\0\0\0\x46\0\x05................\0\0\0\0";

/// A server that has already sent all of its data.
struct Server(Cursor<Vec<u8>>);

impl Read for Server {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Server {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

fuzz_target!(|data: &[u8]| {
    let password = VncPassword::new("secret12");
    for version in [b"RFB 003.003\n", b"RFB 003.007\n", b"RFB 003.008\n"] {
        listen([version, data].concat(), None);
        listen([version, data].concat(), password.as_ref());
    }
    listen(data.to_vec(), None);
    listen([ENTRANCE, data].concat(), None);
    listen([ENTRANCE, &tiles(data)].concat(), None);
    listen([ENTRANCE, &clipboard(data)].concat(), None);
});

/// Returns an update of the whole screen whose tiles unpack to these bytes.
fn tiles(plain: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(plain).expect("it is kept in memory");
    packer.flush().expect("it is kept in memory");
    let packed = packer.get_ref();
    let head = b"\0\0\0\x01\0\0\0\0\0\x46\0\x05\0\0\0\x10";
    [&head[..], &(packed.len() as u32).to_be_bytes(), packed].concat()
}

/// Returns two messages of the extended clipboard: one with these bytes, and one with text that unpacks to these bytes.
fn clipboard(data: &[u8]) -> Vec<u8> {
    let message = |data: &[u8]| [&[3, 0, 0, 0][..], &(-(data.len() as i32)).to_be_bytes(), data].concat();
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(data).expect("it is kept in memory");
    let packed = packer.finish().expect("it is kept in memory");
    [message(data), message(&[&b"\x10\0\0\x01"[..], &packed].concat())].concat()
}

fn listen(says: Vec<u8>, password: Option<&VncPassword>) {
    let Ok(mut client) = VncClient::connect(Server(Cursor::new(says)), password) else {
        return;
    };
    // The server might request this text.
    client.set_clipboard("own").expect("this server hears everything");
    while let Ok(update) = client.update() {
        if let ServerClipboard::Text(text) = client.clipboard() {
            assert!(text.len() < 64 << 20);
        }
        let screen = client.screen_mut();
        let (width, height) = (usize::from(screen.width()), usize::from(screen.height()));
        assert_eq!(screen.pixels().len(), width * height * 4);
        assert!(screen.pixels().chunks_exact(4).all(|pixel| pixel[3] == 0));
        if let Some(damage) = screen.take_damage() {
            assert!(usize::from(damage.x) + usize::from(damage.width) <= width);
            assert!(usize::from(damage.y) + usize::from(damage.height) <= height);
        }
        assert!(!update.has_corner || update.drawn > 0);
        if let Some(cursor) = client.cursor() {
            assert_eq!(
                cursor.pixels.len(),
                usize::from(cursor.width) * usize::from(cursor.height)
            );
        }
    }
}
