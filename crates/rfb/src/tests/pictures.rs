//! Tests what a server can draw, and what it must not draw.

use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use proptest::prelude::*;

use super::{bytes_of, client, update};
use crate::client::UpdateSummary;

const RAW: i32 = 0;
const COPY: i32 = 1;
const ZRLE: i32 = 16;

/// Compresses parts into one stream, flushing after each.
struct Packer(Compress);

impl Packer {
    fn new() -> Packer {
        Packer(Compress::new(Compression::fast(), true))
    }

    fn pack(&mut self, plain: &[u8]) -> Vec<u8> {
        let mut packed = Vec::with_capacity(2 * plain.len() + 100);
        let done = self.0.compress_vec(plain, &mut packed, FlushCompress::Sync);
        assert_eq!(done.unwrap(), Status::Ok);
        [&(packed.len() as u32).to_be_bytes()[..], &packed].concat()
    }
}

fn shown(width: u16, height: u16, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut client = client(width, height, messages);
    for _ in messages {
        client.update().unwrap();
    }
    client.screen().pixels().to_vec()
}

#[test]
fn pixels_are_drawn_where_they_belong() {
    let raw = |place, pixels: &[[u8; 4]]| (place, RAW, pixels.concat());
    let first = update(&[raw([0, 0, 2, 1], &[[1, 2, 3, 9], [4, 5, 6, 9]])]);
    let second = update(&[([1, 1, 2, 1], COPY, vec![0, 0, 0, 0])]);
    let mut client = client(3, 2, &[first, second]);
    let summary = client.update().unwrap();
    assert_eq!(
        summary,
        UpdateSummary {
            drawn: 2,
            has_corner: true,
            resized: false
        }
    );
    let damage = client.screen_mut().take_damage().unwrap();
    assert_eq!((damage.x, damage.y, damage.width, damage.height), (0, 0, 2, 1));
    assert!(!client.update().unwrap().has_corner);
    let pixels: Vec<&[u8]> = client.screen().pixels().chunks_exact(4).collect();
    assert_eq!(pixels[..2], [[1, 2, 3, 0], [4, 5, 6, 0]]);
    assert_eq!(pixels[4..], [[1, 2, 3, 0], [4, 5, 6, 0]]);
    let damage = client.screen_mut().take_damage().unwrap();
    assert_eq!((damage.x, damage.y, damage.width, damage.height), (1, 1, 2, 1));
    assert_eq!(client.screen_mut().take_damage(), None);
}

#[test]
fn every_kind_of_tile_is_read() {
    let (a, b, c) = ([1, 2, 3], [4, 5, 6], [7, 8, 9]);
    // Each tile draws the four pixels a, b, b, c on a 4x1 screen.
    for tile in [
        [&[0][..], &a, &b, &b, &c].concat(),
        [&[3][..], &a, &b, &c, &[0b0001_0110]].concat(),
        [&[5][..], &a, &b, &c, &a, &a, &[0x01, 0x12]].concat(),
        [&[128][..], &a, &[0], &b, &[1], &c, &[0]].concat(),
        [&[131][..], &a, &b, &c, &[0, 0x81, 1, 2]].concat(),
    ] {
        let message = update(&[([0, 0, 4, 1], ZRLE, Packer::new().pack(&tile))]);
        let expected = [[1, 2, 3, 0], [4, 5, 6, 0], [4, 5, 6, 0], [7, 8, 9, 0]].concat();
        assert_eq!(shown(4, 1, &[message]), expected, "{tile:?}");
    }
    let two = [&[2][..], &a, &b, &[0b0110_0000]].concat();
    let one = [&[1][..], &c].concat();
    let mut packer = Packer::new();
    let messages = [
        update(&[([0, 0, 4, 1], ZRLE, packer.pack(&two))]),
        update(&[([1, 0, 1, 1], ZRLE, packer.pack(&one))]),
    ];
    let expected = [[1, 2, 3, 0], [7, 8, 9, 0], [4, 5, 6, 0], [1, 2, 3, 0]].concat();
    assert_eq!(shown(4, 1, &messages), expected, "one stream for all");
}

#[test]
fn pixels_are_told_as_they_arrive() {
    let bell = vec![2];
    // Bytes that can hardly be compressed.
    let mut seed = 1u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed.to_be_bytes()[0]
    };
    let rows = update(&[([0, 0, 2, 3], RAW, vec![0; 24])]);
    let copy = update(&[([0, 0, 1, 1], COPY, vec![0, 0, 0, 0])]);
    let mut tile = || {
        std::iter::once(0)
            .chain(std::iter::repeat_with(&mut noise).take(64 * 64 * 3))
            .collect::<Vec<u8>>()
    };
    let tiles: [Vec<u8>; 3] = std::array::from_fn(|_| tile());
    let packed = Packer::new().pack(&tiles.concat());
    let pieces = (packed.len() - 4).div_ceil(16 << 10);
    assert!(pieces > 1, "{pieces}");
    let large = update(&[([0, 0, 192, 64], ZRLE, packed)]);
    for (messages, expected) in [
        (vec![bell.clone(), rows], 3),
        (vec![copy, bell], 1),
        (vec![large], pieces),
    ] {
        let mut client = client(192, 64, &messages);
        client.on_pixels(|script| script.arrivals += 1);
        client.update().unwrap();
        assert_eq!(client.connection().arrivals, expected);
    }
}

#[test]
fn what_is_no_update_is_passed_over() {
    let colours = [&[1, 0, 0, 0, 0, 2][..], &[0; 12]].concat();
    let bell = vec![2];
    let cut = [&[3, 0, 0, 0, 0, 0, 0, 4][..], b"text"].concat();
    let extended = [&[3, 0, 0, 0][..], &(-5i32).to_be_bytes(), b"12345"].concat();
    let drawn = update(&[([0, 0, 1, 1], RAW, vec![1, 1, 1, 1])]);
    let mut client = client(1, 1, &[colours, bell, cut, extended, drawn]);
    assert_eq!(client.update().unwrap().drawn, 1);
}

#[test]
fn a_cursor_is_kept_apart_from_the_picture() {
    let cursor = [&[3, 2, 1, 0, 6, 5, 4, 0][..], &[0b0100_0000]].concat();
    let mut client = client(5, 5, &[update(&[([1, 0, 2, 1], -239, cursor)])]);
    client.update().unwrap();
    let cursor = client.cursor().unwrap();
    assert_eq!(cursor.pixels, [0, 0xff04_0506]);
    assert_eq!((cursor.width, cursor.hot_spot), (2, (1, 0)));
}

#[test]
fn a_screen_may_change_its_size() {
    let monitors = |count: u8| [&[count, 0, 0, 0][..], &vec![0; 16 * usize::from(count)]].concat();
    let refused = ([1, 3, 9, 9], -308, monitors(1));
    let same = ([0, 0, 4, 3], -308, monitors(2));
    let other = ([0, 0, 6, 5], -308, monitors(2));
    let old = ([0, 0, 2, 2], -223, Vec::new());
    let messages: Vec<_> = [refused, same, other, old].map(|one| update(&[one])).to_vec();
    let mut client = client(4, 3, &messages);
    for (resized, size) in [(false, (4, 3)), (false, (4, 3)), (true, (6, 5)), (true, (2, 2))] {
        assert_eq!(client.update().unwrap().resized, resized);
        assert_eq!((client.screen().width(), client.screen().height()), size);
    }
    assert_eq!(client.screen().pixels().len(), 16);
}

#[test]
fn the_last_of_uncounted_rectangles_ends_an_update() {
    let one = bytes_of(&([0, 0, 1, 1], RAW, vec![1, 2, 3, 4]));
    let last = bytes_of(&([0, 0, 0, 0], -224, Vec::new()));
    let message = [&[0, 0, 255, 255][..], &one, &one, &last].concat();
    assert_eq!(client(1, 1, &[message]).update().unwrap().drawn, 2);
}

#[test]
fn lies_are_found_before_anything_is_made_of_them() {
    let pack = |plain: &[u8]| Packer::new().pack(plain);
    let bomb = pack(&vec![0; 10 << 20]);
    let mut ended = ZlibEncoder::new(Vec::new(), Compression::fast());
    ended.write_all(&[1, 1, 1, 1]).unwrap();
    let ended = ended.finish().unwrap();
    let ended = [&(ended.len() as u32).to_be_bytes()[..], &ended].concat();
    let endless: Vec<_> = (0..9).map(|_| ([0, 0, 8, 8], COPY, vec![0; 4])).collect();
    for (what, message, why) in [
        (
            "a part to the right",
            update(&[([7, 0, 2, 1], RAW, vec![])]),
            "outside the screen",
        ),
        (
            "a part below",
            update(&[([0, 65_535, 1, 65_535], RAW, vec![])]),
            "outside the screen",
        ),
        (
            "a copy from outside",
            update(&[([0, 0, 8, 8], COPY, vec![0, 1, 0, 0])]),
            "outside the screen",
        ),
        (
            "an unknown form",
            update(&[([0, 0, 1, 1], 7, vec![])]),
            "an encoding that FRANZ did not request",
        ),
        (
            "a large screen",
            update(&[([0, 0, 65_535, 65_535], -223, vec![])]),
            "of more than",
        ),
        (
            "an empty screen",
            update(&[([0, 0, 0, 9], -223, vec![])]),
            "an empty screen",
        ),
        (
            "a large cursor",
            update(&[([0, 0, 65_535, 65_535], -239, vec![])]),
            "a mouse cursor",
        ),
        (
            "a long clipboard",
            [&[3, 0, 0, 0][..], &i32::MIN.to_be_bytes()].concat(),
            "clipboard data",
        ),
        ("an unknown message", vec![77], "an unknown message"),
        (
            "a length",
            update(&[([0, 0, 8, 8], ZRLE, vec![255; 4])]),
            "more compressed pixels",
        ),
        (
            "a bomb",
            update(&[([0, 0, 8, 8], ZRLE, bomb)]),
            "than the rectangle has",
        ),
        (
            "no zlib",
            update(&[([0, 0, 8, 8], ZRLE, vec![0, 0, 0, 4, 9, 9, 9, 9])]),
            "cannot be decompressed",
        ),
        (
            "an ended stream",
            update(&[([0, 0, 8, 8], ZRLE, ended)]),
            "cannot be decompressed",
        ),
        (
            "too few pixels",
            update(&[([0, 0, 8, 8], ZRLE, pack(&[0, 1]))]),
            "fewer pixels",
        ),
        ("no pixels", update(&[([0, 0, 8, 8], ZRLE, pack(&[]))]), "fewer pixels"),
        (
            "a colour",
            update(&[([0, 0, 8, 8], ZRLE, pack(&[[3; 10].to_vec(), vec![255; 16]].concat()))]),
            "the palette",
        ),
        (
            "a run",
            update(&[([0, 0, 8, 8], ZRLE, pack(&[128, 1, 1, 1, 255, 255, 0]))]),
            "a run of pixels",
        ),
        (
            "an unknown kind of tile",
            update(&[([0, 0, 8, 8], ZRLE, pack(&[17]))]),
            "an unknown kind of tile",
        ),
        ("an endless update", update(&endless), "an endless update"),
        (
            "an end",
            update(&[([0, 0, 8, 8], RAW, vec![0; 255])]),
            "closed the connection",
        ),
    ] {
        let error = client(8, 8, &[message]).update().unwrap_err().to_string();
        assert!(error.contains(why), "{what}: {error}");
    }
}

#[test]
fn input_is_sent_as_the_protocol_says() {
    let mut client = client(8, 8, &[update(&[([0, 0, 0, 0], -258, vec![])])]);
    let before = client.connection().heard.len();
    client.pointer(1, 258, &[9, 1]).unwrap();
    client.tap(0x61, None).unwrap();
    client.tap(0x41, Some(crate::keysym::SHIFT)).unwrap();
    let shift = crate::keysym::named("shift").unwrap();
    client.named_key(shift, true).unwrap();
    client.update().unwrap();
    client.named_key(shift, false).unwrap();
    client.shifted_key(0x21, true).unwrap();
    client.shifted_key(0x21, false).unwrap();
    let expected = [
        &[5, 9, 0, 1, 1, 2, 5, 1, 0, 1, 1, 2][..],
        &[4, 1, 0, 0, 0, 0, 0, 0x61, 4, 0, 0, 0, 0, 0, 0, 0x61],
        &[4, 1, 0, 0, 0, 0, 0xff, 0xe1, 4, 1, 0, 0, 0, 0, 0, 0x41],
        &[4, 0, 0, 0, 0, 0, 0, 0x41, 4, 0, 0, 0, 0, 0, 0xff, 0xe1],
        &[4, 1, 0, 0, 0, 0, 0xff, 0xe1],
        &[255, 0, 0, 0, 0, 0, 0xff, 0xe1, 0, 0, 0, 0x2a],
        &[255, 0, 0, 1, 0, 0, 0xff, 0xe1, 0, 0, 0, 0x2a],
        &[4, 1, 0, 0, 0, 0, 0, 0x21, 4, 0, 0, 0, 0, 0, 0, 0x21],
        &[255, 0, 0, 0, 0, 0, 0xff, 0xe1, 0, 0, 0, 0x2a],
    ];
    assert_eq!(client.connection().heard[before..], expected.concat());
}

proptest! {
    #[test]
    fn raw_and_packed_pixels_show_the_same(
        (width, height) in (1u16..150, 1u16..150),
        seed in any::<u64>(),
    ) {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 60) as u8
        };
        let pixels: Vec<[u8; 4]> = (0..usize::from(width) * usize::from(height)).map(|_| [next(), next(), 1, 0]).collect();
        let mut plain = Vec::new();
        for top in (0..height).step_by(64) {
            for left in (0..width).step_by(64) {
                plain.push(0);
                for y in top..height.min(top + 64) {
                    for x in left..width.min(left + 64) {
                        plain.extend(&pixels[usize::from(y) * usize::from(width) + usize::from(x)][..3]);
                    }
                }
            }
        }
        let raw = update(&[([0, 0, width, height], RAW, pixels.concat())]);
        let packed = update(&[([0, 0, width, height], ZRLE, Packer::new().pack(&plain))]);
        prop_assert_eq!(shown(width, height, &[raw]), shown(width, height, &[packed]));
    }

    #[test]
    fn no_bytes_break_the_picture(messages: Vec<u8>, packed: Vec<u8>, part in (0u16..9, 0u16..9, 0u16..9, 0u16..9)) {
        let (x, y, width, height) = part;
        let tile = update(&[([x, y, width, height], ZRLE, Packer::new().pack(&packed))]);
        let mut client = client(8, 8, &[tile, messages]);
        while client.update().is_ok() {}
    }
}
