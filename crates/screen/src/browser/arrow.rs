//! The mouse cursor, which a browser without a window does not draw.

use franz_frame::Area;

use crate::desktop::CursorImage;

/// An arrow whose tip is its top left pixel: `#` is black, `.` is white.
const ARROW: [&str; 17] = [
    "#          ",
    "##         ",
    "#.#        ",
    "#..#       ",
    "#...#      ",
    "#....#     ",
    "#.....#    ",
    "#......#   ",
    "#.......#  ",
    "#........# ",
    "#.....#####",
    "#..#..#    ",
    "#.# #..#   ",
    "##  #..#   ",
    "#    #..#  ",
    "     #..#  ",
    "      ##   ",
];

/// Returns the cursor with its tip at this pixel.
pub(crate) fn at((x, y): (i32, i32)) -> CursorImage {
    let pixels = ARROW.iter().flat_map(|row| row.bytes()).map(|mark| match mark {
        b'#' => 0xff00_0000,
        b'.' => 0xffff_ffff,
        _ => 0,
    });
    CursorImage {
        area: Area {
            x,
            y,
            width: ARROW[0].len() as u32,
            height: ARROW.len() as u32,
        },
        pixels: pixels.collect(),
    }
}
