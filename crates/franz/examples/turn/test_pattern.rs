//! A terminal full of coloured text that covers the desktop, and shows another text whenever it is told.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use franz_frame::{Area, Frame, PixelFormat};
use franz_screen::PrivateDesktop;
use franz_screen::desktop::Display;

use crate::Failure;

/// Lines and words a line: more than the terminal has room for.
const LINES: u32 = 80;
const WORDS: u32 = 40;
/// A desktop that shows nothing new for so long is done with it.
const QUIET: Duration = Duration::from_millis(60);
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct TestPattern {
    pipe: File,
    /// The desktop as somebody else sees it, so that looking here spares nobody any work.
    display: Box<dyn Display>,
    seen: Frame,
    /// Where the generator of numbers stands.
    dice: u64,
    _directory: tempfile::TempDir,
}

impl TestPattern {
    pub(crate) fn on(desktop: &mut dyn PrivateDesktop) -> Result<TestPattern, Failure> {
        let directory = tempfile::tempdir()?;
        let pipe = directory.path().join("text");
        if !Command::new("mkfifo").arg(&pipe).status()?.success() {
            return Err("mkfifo made no pipe".into());
        }
        let mut terminal = Command::new("xterm");
        terminal.args([
            "-fullscreen",
            "-fa",
            "monospace",
            "-fs",
            "10",
            "-bg",
            "black",
            "-fg",
            "white",
        ]);
        terminal.args(["+sb", "-e", "cat"]).arg(&pipe);
        desktop.run(terminal)?;
        let mut pattern = TestPattern {
            // Waits until the terminal reads.
            pipe: OpenOptions::new().write(true).open(&pipe)?,
            display: desktop.open()?,
            seen: Frame::black(1920, 1080, PixelFormat::Bgrx8)?,
            dice: 1,
            _directory: directory,
        };
        // Until the window has its size.
        pattern.write()?;
        pattern.write()?;
        Ok(pattern)
    }

    /// Shows another text; returns when it is there.
    pub(crate) fn write(&mut self) -> Result<(), Failure> {
        self.changed()?;
        let text = self.text();
        self.pipe.write_all(text.as_bytes())?;
        let began = Instant::now();
        let (mut any, mut quiet_since) = (false, Instant::now());
        while !any || quiet_since.elapsed() < QUIET {
            if self.changed()? {
                (any, quiet_since) = (true, Instant::now());
            }
            if began.elapsed() > PATIENCE {
                return Err("the terminal shows nothing new".into());
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }
        Ok(())
    }

    fn changed(&mut self) -> Result<bool, Failure> {
        let whole = Area::whole(1920, 1080);
        Ok(self.display.capture(whole, &mut self.seen)?.is_some())
    }

    /// Words of many lengths and colours, as programs print them.
    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..LINES {
            for _ in 0..WORDS {
                let colour = 31 + self.roll(7);
                // Writing into a string cannot fail.
                let _ = write!(text, "\x1b[{};{colour}m", self.roll(2));
                for _ in 0..2 + self.roll(9) {
                    text.push(char::from(b'a' + self.roll(26) as u8));
                }
                text.push(' ');
            }
            text.push('\n');
        }
        text
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self
            .dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides
    }
}
