//! The events that a Wayland compositor sends, and the tree of windows that sway reports. Whatever arrives, every call
//! ends, and a picture that was captured has the size that was asked for.
#![no_main]

use std::io::{Read as _, Result, Write as _};
use std::os::unix::net::UnixStream;

use franz_action::Button;
use franz_frame::{Area, Frame, PixelFormat};
use franz_screen::desktop::fuzzing;
use franz_screen::desktop::{Display, Press};
use libfuzzer_sys::fuzz_target;

/// What the compositor offers, and in which version.
const GLOBALS: [(&str, u32); 8] = [
    ("wl_shm", 1),
    ("wl_seat", 7),
    ("wl_output", 4),
    ("wl_output", 1),
    ("zxdg_output_manager_v1", 3),
    ("zwlr_screencopy_manager_v1", 3),
    ("zwlr_virtual_pointer_manager_v1", 2),
    ("zwp_virtual_keyboard_manager_v1", 1),
];

/// The longest side of a picture to capture.
const LONGEST_SIDE: u32 = 64;

fuzz_target!(|data: &[u8]| {
    let _ = fuzzing::sway_windows(data);
    let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = Compositor::new(theirs, data).serve();
        });
        if let Ok(mut display) = fuzzing::wayland(ours) {
            let _ = use_all(&mut *display);
        }
    });
});

/// Does everything that a turn can do.
fn use_all(display: &mut dyn Display) -> Option<()> {
    for _ in 0..2 {
        let monitors = display.monitors().ok()?;
        let first = monitors.first().expect("a desktop has a monitor");
        let area = Area {
            width: first.area.width.min(LONGEST_SIDE),
            height: first.area.height.min(LONGEST_SIDE),
            ..first.area
        };
        let mut frame = Frame::black(area.width, area.height, PixelFormat::Bgrx8).expect("it is small");
        for _ in 0..3 {
            let changed = display.capture(area, &mut frame).ok()?;
            let whole = Area::whole(area.width, area.height);
            assert!(changed.is_none_or(|part| whole.intersection(&part) == Some(part)));
        }
        display.move_to(area.x.saturating_add(5), area.y).ok()?;
        display.button(Button::Left, Press::Down).ok()?;
        display.button(Button::Left, Press::Up).ok()?;
        display.type_text("a€", &mut |_| true).ok()?;
        display.windows().ok()?;
    }
    Some(())
}

/// A compositor that answers what is asked, with numbers, and now and then whole events, from a fuzzed input. It ends
/// with its input.
struct Compositor<'a> {
    stream: UnixStream,
    lies: &'a [u8],
    /// The kind of each object that matters here.
    kinds: Vec<(u32, &'static str)>,
    /// The last object that the client created.
    newest: u32,
}

impl<'a> Compositor<'a> {
    fn new(stream: UnixStream, lies: &'a [u8]) -> Compositor<'a> {
        Compositor {
            stream,
            lies,
            kinds: vec![(1, "wl_display")],
            newest: 1,
        }
    }

    fn serve(mut self) -> Result<()> {
        loop {
            let mut head = [0; 8];
            self.stream.read_exact(&mut head)?;
            let (object, second) = (word(&head, 0), word(&head, 4));
            let mut body = vec![0; (second >> 16).saturating_sub(8) as usize];
            self.stream.read_exact(&mut body)?;
            let Some(()) = self.answer(object, second & 0xffff, &body) else {
                return Ok(());
            };
        }
    }

    /// Returns `None` once the input is used up.
    fn answer(&mut self, object: u32, code: u32, body: &[u8]) -> Option<()> {
        let kind = self.kinds.iter().find(|(id, _)| *id == object).map_or("", |(_, kind)| kind);
        let first = if body.len() < 4 { 0 } else { word(body, 0) };
        match (kind, code) {
            ("wl_display", 0) => {
                self.newest = first;
                if self.byte()? > 250 {
                    self.wild()?;
                }
                self.send(first, 0, &[0])
            }
            ("wl_display", 1) => {
                self.made(first, "wl_registry");
                for (name, (interface, version)) in (1..).zip(GLOBALS) {
                    let content = [vec![name], text(interface), vec![version]].concat();
                    self.send(first, 0, &content)?;
                }
                Some(())
            }
            ("wl_registry", 0) => {
                let (_, interface, _) = (first, GLOBALS.get(first.wrapping_sub(1) as usize)?.0, ());
                let id = word(body, body.len().checked_sub(4)?);
                self.made(id, interface);
                if interface == "wl_output" {
                    self.describe(id)?;
                }
                Some(())
            }
            ("zxdg_output_manager_v1", 1) => {
                for code in 0..2 {
                    let pair = [self.number()?, self.number()?];
                    self.send(first, code, &pair)?;
                }
                Some(())
            }
            ("zwlr_screencopy_manager_v1", 0) => {
                self.made(first, "zwlr_screencopy_frame_v1");
                let format = self.number()?;
                let shape = [self.number()?, self.number()?, self.number()?];
                self.send(first, 0, &[format, shape[0], shape[1], shape[2]])?;
                self.send(first, 6, &[])
            }
            ("zwlr_screencopy_frame_v1", 0 | 2) => {
                let flags = self.number()?;
                self.send(object, 1, &[flags])?;
                match self.byte()? {
                    0..200 => self.send(object, 2, &[0, 0, 0]),
                    200..230 => self.send(object, 3, &[]),
                    _ => self.wild(),
                }
            }
            _ => Some(()),
        }
    }

    fn made(&mut self, id: u32, kind: &'static str) {
        self.newest = id;
        self.kinds.retain(|(known, _)| *known != id);
        self.kinds.push((id, kind));
    }

    /// Describes a monitor: its place, its size, its scale.
    fn describe(&mut self, id: u32) -> Option<()> {
        let geometry = [self.number()?, self.number()?, 0, 0, 0];
        let turned = self.byte()?;
        let content = [geometry.to_vec(), text("a"), text("b"), vec![u32::from(turned > 250)]].concat();
        self.send(id, 0, &content)?;
        let mode = [1, self.number()?, self.number()?, 0];
        self.send(id, 1, &mode)
    }

    /// Sends an event that makes no sense here.
    fn wild(&mut self) -> Option<()> {
        let object = u32::from(self.byte()?).min(self.newest);
        let code = u32::from(self.byte()? % 8);
        let mut content = Vec::new();
        for _ in 0..self.byte()? % 6 {
            content.push(self.number()?);
        }
        self.send(object, code, &content)
    }

    fn send(&mut self, object: u32, code: u32, content: &[u32]) -> Option<()> {
        let second = ((content.len() as u32 * 4 + 8) << 16) | code;
        let words = [&[object, second], content].concat();
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_ne_bytes).collect();
        self.stream.write_all(&bytes).ok()
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.lies.split_first()?;
        self.lies = rest;
        Some(*first)
    }

    /// Returns a small number mostly, and any other now and then.
    fn number(&mut self) -> Option<u32> {
        match self.byte()? {
            255 => Some(u32::from_le_bytes([self.byte()?, self.byte()?, self.byte()?, self.byte()?])),
            small => Some(u32::from(small)),
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |word| u32::from_ne_bytes(word.try_into().expect("four bytes")))
}

/// Encodes a text as words: its length with a final zero, and as many zeros as complete the last word.
fn text(text: &str) -> Vec<u32> {
    let length = text.len() + 1;
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(length.next_multiple_of(4), 0);
    let words = bytes.chunks_exact(4).map(|four| word(four, 0));
    std::iter::once(length as u32).chain(words).collect()
}
