//! Searches for a secret in files and requests, both as text and as pixels.

use std::path::Path;

use base64_simd::STANDARD;
use franz_frame::png;

/// The first bytes of a PNG file, raw and in Base64.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const PNG_BASE64: &[u8] = b"iVBORw0KGgo";

/// Returns all pictures in these bytes, as files or in Base64.
pub(crate) fn pictures(bytes: &[u8]) -> Vec<franz_frame::Frame> {
    let mut found = Vec::new();
    if bytes.starts_with(PNG) {
        found.push(png::decode(bytes).unwrap());
    }
    let starts = bytes.windows(PNG_BASE64.len()).enumerate();
    for (at, _) in starts.filter(|(_, window)| *window == PNG_BASE64) {
        let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
        let rest = &bytes[at..];
        let end = rest.iter().position(|byte| !is_base64(byte)).unwrap_or(rest.len());
        let png = STANDARD.decode_to_vec(&rest[..end]).unwrap();
        found.push(png::decode(&png).unwrap());
    }
    found
}

/// Returns how many of the pictures show any magenta, the colour of the secret.
pub(crate) fn showing(pictures: &[franz_frame::Frame]) -> usize {
    let is_secret = |frame: &&franz_frame::Frame| {
        (0..frame.width()).any(|x| {
            (0..frame.height()).any(|y| {
                let color = frame.color(x, y).unwrap();
                color.red > 0xa0 && color.blue > 0xa0 && color.green < 0x60
            })
        })
    };
    pictures.iter().filter(is_secret).count()
}

/// Returns whether these bytes contain the text.
pub(crate) fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Returns the contents of all files below a directory.
pub(crate) fn files(directory: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![std::fs::read(path).unwrap()]
            }
        })
        .collect()
}
