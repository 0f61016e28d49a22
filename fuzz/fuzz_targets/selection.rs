//! The data that programs put on a clipboard. It reads the same however it is split into pieces, and our own text comes
//! back unchanged.
#![no_main]

use franz_screen::desktop::fuzzing;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&most, data)) = data.split_first() else {
        return;
    };
    let most = usize::from(most).max(1);
    let utf8 = fuzzing::selected(false, data.chunks(most));
    assert_eq!(utf8, String::from_utf8_lossy(data));
    assert_eq!(
        fuzzing::selected(false, fuzzing::pieces(false, &utf8, most).iter().map(Vec::as_slice)),
        utf8
    );

    let latin1 = fuzzing::selected(true, data.chunks(most));
    assert!(latin1.chars().map(u32::from).eq(data.iter().copied().map(u32::from)));
    let pieces = fuzzing::pieces(true, &latin1, most);
    assert!(pieces.iter().all(|piece| piece.len() <= most));
    assert_eq!(pieces.concat(), data);
    // Characters that Latin-1 lacks become question marks, so no character is lost.
    assert_eq!(fuzzing::pieces(true, &utf8, most).concat().len(), utf8.chars().count());

    let units: Vec<u16> = data
        .chunks_exact(2)
        .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
        .collect();
    windows(&fuzzing::windows_text(&units));
    windows(&utf8);
});

/// Checks that text on the Windows clipboard comes back, except for its NULs and line endings.
fn windows(text: &str) {
    let units = fuzzing::windows_units(text);
    assert_eq!(units.iter().position(|unit| *unit == 0), Some(units.len() - 1));
    assert_eq!(
        fuzzing::windows_text(&units),
        text.replace("\r\n", "\n").replace('\0', "")
    );
}
