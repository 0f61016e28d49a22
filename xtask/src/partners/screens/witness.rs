//! Reads the recording of a program on a partner's screen: a terminal's reports, or those of the boot sector.

use std::path::PathBuf;

use super::boot_sector::{LEFT, MOUSE, READY};

/// The program that does the recording.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Teller {
    /// A terminal that covers the screen and reports its mouse in pixels.
    Terminal,
    /// The boot sector, on a screen of 640x400.
    Guest,
}

/// A file that a program on the screen writes.
pub(super) struct Witness {
    pub(super) teller: Teller,
    pub(super) file: PathBuf,
}

/// The left button and the pointer at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    pub(super) is_down: bool,
    pub(super) x: f64,
    pub(super) y: f64,
}

/// All input that has arrived so far.
#[derive(Default)]
pub(super) struct Arrived {
    pub(super) is_ready: bool,
    pub(super) text: String,
    pub(super) strokes: Vec<Stroke>,
}

impl Witness {
    /// Returns the shell command that turns a terminal into a witness. The terminal then reports buttons and drags in
    /// pixels, and answers a query once it is ready.
    pub(super) fn command(&self) -> String {
        let file = self.file.display();
        format!(
            "stty raw -echo; exec > '{file}.new'; printf '\\033[?1002h\\033[?1006h\\033[?1016h\\033[c' > /dev/tty; mv '{file}.new' '{file}'; \
             exec cat"
        )
    }

    pub(super) fn arrived(&self) -> Arrived {
        let bytes = std::fs::read(&self.file).unwrap_or_default();
        match self.teller {
            Teller::Terminal => terminal(&bytes),
            Teller::Guest => guest(&bytes),
        }
    }
}

fn guest(mut bytes: &[u8]) -> Arrived {
    let mut arrived = Arrived::default();
    while let [first, rest @ ..] = bytes {
        bytes = rest;
        match (*first, rest) {
            (READY, _) => arrived.is_ready = true,
            (MOUSE, [buttons, a, b, c, d, rest @ ..]) => {
                bytes = rest;
                let part = |high, low| f64::from(u16::from_be_bytes([high, low])) / 65536.0;
                arrived.strokes.push(Stroke {
                    is_down: buttons & LEFT != 0,
                    x: part(*a, *b) * 640.0,
                    y: part(*c, *d) * 400.0,
                });
            }
            (MOUSE, _) => break,
            (key, _) => arrived.text.push(key.into()),
        }
    }
    arrived
}

fn terminal(bytes: &[u8]) -> Arrived {
    let mut arrived = Arrived::default();
    let told = String::from_utf8_lossy(bytes);
    let mut parts = told.split("\u{1b}[");
    arrived.text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let Some(at) = part.find(|c: char| c.is_ascii_alphabetic()) else {
            continue;
        };
        let (report, rest) = part.split_at(at);
        let (end, text) = rest.split_at(1);
        arrived.text.push_str(text);
        arrived.is_ready |= end == "c";
        let numbers: Vec<f64> = report
            .trim_start_matches('<')
            .split(';')
            .filter_map(|n| n.parse().ok())
            .collect();
        if let ([_, x, y], "M" | "m") = (&numbers[..], end) {
            arrived.strokes.push(Stroke {
                is_down: end == "M",
                x: *x - 1.0,
                y: *y - 1.0,
            });
        }
    }
    arrived
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_from_text() {
        let told = terminal("\u{1b}[?64;1c\u{1b}[<0;11;21M\u{1b}[<0;11;21mü\r".as_bytes());
        let at = |is_down| Stroke {
            is_down,
            x: 10.0,
            y: 20.0,
        };
        assert_eq!((told.is_ready, &told.text[..]), (true, "ü\r"));
        assert_eq!(told.strokes, [at(true), at(false)]);

        let told = guest(&[READY, b'a', MOUSE, LEFT, 0x80, 0, 0x40, 0, b'\r', MOUSE, 0]);
        let half = Stroke {
            is_down: true,
            x: 320.0,
            y: 100.0,
        };
        assert_eq!((told.is_ready, &told.text[..]), (true, "a\r"));
        assert_eq!(told.strokes, [half]);
    }
}
