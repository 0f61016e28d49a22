//! Reads the size of a picture from the beginning of its file.

/// Returns the width and height of a PNG file (PNG specification, 5.2 and 11.2.2); `None` for any other file.
pub(super) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes
        .strip_prefix(b"\x89PNG\r\n\x1a\n")?
        .get(4..)?
        .strip_prefix(b"IHDR")?;
    let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    Some((number(0)?, number(4)?))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn only_a_png_has_a_size() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\0\0\0\x01\x20\x08\x02";
        assert_eq!(size(png), Some((512, 288)));
        for end in 0..24 {
            assert_eq!(size(&png[..end]), None, "{end}");
        }
        assert_eq!(
            size(b"\xff\xd8\xff\xe0 a JPEG file, which has its size elsewhere"),
            None
        );
    }
}
