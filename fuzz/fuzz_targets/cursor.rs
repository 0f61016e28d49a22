//! Cursors with sizes and hot spots that might be wrong. The parts inside the frame are drawn, and erased without a
//! trace.
#![no_main]

use franz_frame::{Area, Frame, PixelFormat};
use franz_screen::desktop::{CursorImage, fuzzing};
use libfuzzer_sys::fuzz_target;

/// A frame that does not begin at the desktop's corner.
const SEEN: Area = Area {
    x: 7,
    y: -3,
    width: 9,
    height: 5,
};

fuzz_target!(|data: &[u8]| {
    let Some((numbers, pixels)) = data.split_at_checked(4 * 6) else {
        return;
    };
    let mut numbers = words(numbers).map(u32::cast_signed);
    let mut number = || numbers.next().expect("six numbers");
    let (x, y) = (number(), number());
    let (width, height) = (number().cast_unsigned(), number().cast_unsigned());
    let hot_spot = (number().cast_unsigned(), number().cast_unsigned());
    let pixels: Vec<u32> = words(pixels).collect();
    let area = Area { x, y, width, height };
    is_lifted(CursorImage {
        area,
        pixels: pixels.clone(),
    });
    // A Windows bitmap has a checked size and as many pixels as that size requires. The sizes of two bitmaps can
    // differ.
    let (width, height) = (width % 17 + 1, height % 17 + 1);
    let bitmap = |width: u32, height: u32| {
        let read = pixels.iter().copied().chain(std::iter::repeat(0));
        (width, height, read.take((width * height) as usize).collect())
    };
    let colors = match hot_spot.0 % 4 {
        0 => None,
        1 => Some(bitmap(height, width)),
        _ => Some(bitmap(width, height)),
    };
    let has_colors = colors.is_some();
    let cursor = fuzzing::windows_cursor((x, y), hot_spot, bitmap(width, height), colors);
    assert!(cursor.is_some() || has_colors && width != height);
    if let Some(cursor) = cursor {
        assert_eq!(cursor.pixels.len(), (cursor.area.width * cursor.area.height) as usize);
        is_lifted(cursor);
    }
});

fn is_lifted(cursor: CursorImage) {
    let mut frame = Frame::new(SEEN.width, SEEN.height, PixelFormat::Bgrx8, vec![100; 4 * 9 * 5]).expect("a frame");
    let before = frame.clone();
    let area = cursor.area;
    let drawn = fuzzing::drawn(cursor, SEEN, &mut frame);
    assert_eq!(frame, before);
    for x in 0..SEEN.width {
        for y in 0..SEEN.height {
            let covered = area.contains(SEEN.x.saturating_add_unsigned(x), SEEN.y.saturating_add_unsigned(y));
            assert!(covered || drawn.color(x, y) == before.color(x, y), "{x},{y}");
        }
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}
