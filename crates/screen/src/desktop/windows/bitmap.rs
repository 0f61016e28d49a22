//! Builds the image of a cursor from its bitmaps.

use franz_frame::Area;

use crate::desktop::cursor::CursorImage;

pub(super) const OPAQUE: u32 = 0xff00_0000;
const WHITE: u32 = 0xffff_ffff;

/// A bitmap read from the system.
pub(super) struct Bitmap {
    /// The width, in pixels like the height.
    pub(super) width: u32,
    pub(super) height: u32,
    /// From top to bottom: blue in the lowest byte, alpha in the highest.
    pub(super) pixels: Vec<u32>,
}

/// Builds the cursor with its hot spot at this position. Without `colors`, the mask's bitmap also contains a second
/// mask, of inverted pixels.
pub(super) fn cursor(
    (x, y): (i32, i32),
    hot_spot: (u32, u32),
    mask: &Bitmap,
    colors: Option<&Bitmap>,
) -> Option<CursorImage> {
    let (height, pixels) = if let Some(colors) = colors {
        let fits = (colors.width, colors.height) == (mask.width, mask.height);
        fits.then(|| (mask.height, colored(&colors.pixels, &mask.pixels)))?
    } else {
        let height = mask.height / 2;
        let (clear, inverted) = mask.pixels.split_at_checked(mask.width as usize * height as usize)?;
        (height, black_and_white(clear, inverted, mask.width as usize))
    };
    Some(CursorImage {
        area: Area {
            x: x.saturating_sub_unsigned(hot_spot.0),
            y: y.saturating_sub_unsigned(hot_spot.1),
            width: mask.width,
            height,
        },
        pixels,
    })
}

/// Combines colours and mask: if no pixel has any alpha, the mask determines what is visible.
fn colored(colors: &[u32], mask: &[u32]) -> Vec<u32> {
    if colors.iter().any(|color| color & OPAQUE != 0) {
        return colors.iter().map(|color| multiplied(*color)).collect();
    }
    let seen = |(color, clear): (&u32, &u32)| if is_set(*clear) { 0 } else { OPAQUE | color };
    colors.iter().zip(mask).map(seen).collect()
}

/// Multiplies the colours by alpha.
fn multiplied(color: u32) -> u32 {
    let [blue, green, red, alpha] = color.to_le_bytes();
    let by_alpha = |channel: u8| ((u32::from(channel) * u32::from(alpha) + 127) / 255) as u8;
    u32::from_le_bytes([by_alpha(blue), by_alpha(green), by_alpha(red), alpha])
}

/// Turns pixels that invert the background into black ones with a white edge, which are visible on any background.
fn black_and_white(clear: &[u32], inverted: &[u32], width: usize) -> Vec<u32> {
    let inverts: Vec<bool> = clear
        .iter()
        .zip(inverted)
        .map(|(clear, inverted)| is_set(*clear) && is_set(*inverted))
        .collect();
    let is_edge = |place: usize| {
        let column = place % width;
        let beside = [
            (column > 0).then(|| place - 1),
            (column + 1 < width).then_some(place + 1),
            place.checked_sub(width),
            Some(place + width),
        ];
        beside
            .into_iter()
            .flatten()
            .any(|beside| inverts.get(beside) == Some(&true))
    };
    let masks = clear.iter().zip(inverted).enumerate();
    let pixels = masks.map(|(place, (clear, inverted))| match (is_set(*clear), is_set(*inverted)) {
        (false, true) => WHITE,
        (false, false) | (true, true) => OPAQUE,
        (true, false) if is_edge(place) => WHITE,
        (true, false) => 0,
    });
    pixels.collect()
}

/// Returns whether a mask's pixel, which is black or white, is set.
fn is_set(mask: u32) -> bool {
    mask & 0x00ff_ffff != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON: u32 = 0x00ff_ffff;

    #[test]
    fn colors_with_alpha_are_multiplied_by_it() {
        assert_eq!(
            colored(&[0x80ff_00ff, 0, 0xff01_0203], &[ON, ON, ON]),
            [0x8080_0080, 0, 0xff01_0203]
        );
    }

    #[test]
    fn colors_without_alpha_are_cut_out_by_the_mask() {
        assert_eq!(colored(&[0x0012_3456, 0x0012_3456], &[0, ON]), [0xff12_3456, 0]);
    }

    #[test]
    fn inverted_pixels_are_seen_on_every_ground() {
        let clear = [0, 0, ON, ON, ON, ON];
        let inverted = [0, ON, 0, ON, 0, 0];
        assert_eq!(
            black_and_white(&clear, &inverted, 6),
            [OPAQUE, WHITE, WHITE, OPAQUE, WHITE, 0]
        );
        assert_eq!(
            black_and_white(&[ON, ON, ON, ON], &[ON, 0, 0, 0], 2),
            [OPAQUE, WHITE, WHITE, 0]
        );
    }
}
