//! Text in clipboard format: UTF-16 up to a NUL, with lines that end in two characters instead of one.

/// Reads the text up to the NUL.
pub(super) fn read(units: &[u16]) -> String {
    let text = units.split(|unit| *unit == 0).next().unwrap_or_default();
    String::from_utf16_lossy(text).replace("\r\n", "\n")
}

/// Returns the units, with the final NUL. Leaves out any NUL inside, because it would end the text for all readers.
pub(super) fn written(text: &str) -> Vec<u16> {
    let lines = text.replace("\r\n", "\n").replace('\0', "").replace('\n', "\r\n");
    lines.encode_utf16().chain([0]).collect()
}
