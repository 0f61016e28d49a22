//! A terminal full of coloured text that covers the desktop and shows different text each time.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use franz_screen::PrivateDesktop;

use super::observer::Observer;
use super::scene::{self, Scene};
use crate::Failure;

/// The number of lines, and of words per line. Both are more than the terminal has room for.
const LINES: u32 = 80;
const WORDS: u32 = 40;
/// If the terminal prints nothing new for this long, it has finished.
const QUIET: Duration = Duration::from_millis(60);

pub(crate) struct TestPattern {
    pipe: File,
    observer: Observer,
    /// The state of the random number generator.
    dice: u64,
}

impl TestPattern {
    pub(crate) fn on(desktop: &mut dyn PrivateDesktop, home: &Path) -> Result<TestPattern, Failure> {
        let pipe = home.join("text");
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
            // Opening the pipe waits until the terminal reads it.
            pipe: OpenOptions::new().write(true).open(&pipe)?,
            observer: Observer::of(desktop, scene::size("pattern"))?,
            dice: 1,
        };
        // Show text twice, until the window has its final size.
        pattern.show()?;
        pattern.show()?;
        Ok(pattern)
    }

    /// Generates words of many lengths and colours, as programs print them.
    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..LINES {
            for _ in 0..WORDS {
                let colour = 31 + self.roll(7);
                // Writing to a `String` cannot fail.
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

impl Scene for TestPattern {
    fn hide(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Shows new text, and returns when it is visible.
    fn show(&mut self) -> Result<(), Failure> {
        self.observer.look()?;
        let text = self.text();
        self.pipe.write_all(text.as_bytes())?;
        self.observer.wait_for_news(QUIET)
    }
}
