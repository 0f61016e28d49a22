//! Texts as the clipboard holds them: UTF-16 up to a NUL, each line ended by two characters where ours are by one.

/// The text up to the NUL.
pub(super) fn read(units: &[u16]) -> String {
    let text = units.split(|unit| *unit == 0).next().unwrap_or_default();
    String::from_utf16_lossy(text).replace("\r\n", "\n")
}

/// The units, with the NUL. One inside would end the text for everybody, and is left out.
pub(super) fn written(text: &str) -> Vec<u16> {
    let lines = text.replace("\r\n", "\n").replace('\0', "").replace('\n', "\r\n");
    lines.encode_utf16().chain([0]).collect()
}
