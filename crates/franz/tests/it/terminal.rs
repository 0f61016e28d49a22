//! A private terminal, created by `script`, and its contents as a person sees them.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::Write as _;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::harness::{Workplace, wait_until};

const ROWS: NonZero<u16> = NonZero::new(40).unwrap();
/// Narrower than some of the lines to show, so that those lines must be cut.
const COLUMNS: NonZero<u16> = NonZero::new(70).unwrap();

/// A program in a terminal, which is killed when this value is dropped.
pub(crate) struct Terminal {
    child: Child,
    keyboard: ChildStdin,
    columns: NonZero<u16>,
    /// The file with everything that was written to the terminal.
    written: PathBuf,
    /// The last line that was typed, and how many lines have come too soon so far.
    typed: Option<String>,
    too_soon: Cell<usize>,
}

/// The program's answer to a line that came too soon after what it answers.
const TOO_SOON: &str = "that came too soon and was ignored; type it again";

/// The pipe whose opening brings a program to the front.
const FRONT: &str = "front";

impl Terminal {
    /// Runs a prepared program in this workplace.
    pub(crate) fn run(place: &Workplace, program: &Command) -> Terminal {
        Terminal::of_width(COLUMNS, place, program)
    }

    /// Works like [`Terminal::run`], with this many columns.
    pub(crate) fn of_width(columns: NonZero<u16>, place: &Workplace, program: &Command) -> Terminal {
        Terminal::of_shell(columns, place, program, &format!("exec {}", words(program)))
    }

    /// Works like [`Terminal::run`], but in the background until [`Terminal::brings_to_front`].
    pub(crate) fn in_background(place: &Workplace, program: &Command) -> Terminal {
        let line = format!(
            "set -m; mkfifo {FRONT}; {} & : < {FRONT}; fg > /dev/null",
            words(program)
        );
        Terminal::of_shell(COLUMNS, place, program, &line)
    }

    /// Runs a line of the shell, in the environment of this program.
    fn of_shell(columns: NonZero<u16>, place: &Workplace, program: &Command, line: &str) -> Terminal {
        let line = format!("stty rows {ROWS} cols {columns}; {line}");
        let written = place.path("written");
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        script
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm")
            .env_remove("NO_COLOR");
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => script.env(name, value),
                None => script.env_remove(name),
            };
        }
        let mut child = script
            .current_dir(place.path(""))
            .stdin(Stdio::piped())
            .stdout(File::create(&written).unwrap())
            .spawn()
            .expect("`script` of util-linux");
        Terminal {
            keyboard: child.stdin.take().unwrap(),
            child,
            columns,
            written,
            typed: None,
            too_soon: Cell::new(0),
        }
    }

    /// Returns everything that was written, including control characters.
    pub(crate) fn written(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.written).unwrap()).into_owned()
    }

    /// Returns the text that a person sees now.
    pub(crate) fn screen(&self) -> String {
        let mut terminal = vt100::Parser::new(ROWS, self.columns, 0);
        terminal.process(&fs::read(&self.written).unwrap());
        let rows: Vec<String> = terminal.screen().rows(0, self.columns.get()).collect();
        rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Waits until the person sees this text.
    pub(crate) fn shows(&self, text: &str) {
        wait_until(&format!("{text:?} in the terminal"), || {
            self.types_again();
            self.screen().contains(text).then_some(())
        });
    }

    /// Types a line, and again as long as it comes too soon.
    pub(crate) fn types(&mut self, line: &str) {
        self.typed = Some(line.to_owned());
        self.too_soon.set(self.written().matches(TOO_SOON).count());
        self.types_once(line);
    }

    /// Types a line before there is anything to answer, and waits until it is in the terminal, which shows it.
    pub(crate) fn types_ahead(&mut self, line: &str) {
        self.typed = None;
        self.types_once(line);
        wait_until(&format!("{line:?} in the terminal"), || {
            self.written().contains(line).then_some(())
        });
    }

    /// Brings a program from the background to the front.
    pub(crate) fn brings_to_front(&self) {
        // The shell waits until somebody opens this.
        let front = self.written.with_file_name(FRONT);
        File::options().write(true).open(front).unwrap();
    }

    fn types_once(&self, line: &str) {
        // At once, so that the terminal has the whole line when it shows the beginning.
        (&self.keyboard).write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn types_again(&self) {
        let count = self.written().matches(TOO_SOON).count();
        if let (true, Some(line)) = (count > self.too_soon.replace(count), &self.typed) {
            self.types_once(line);
        }
    }

    /// Presses Ctrl+C.
    pub(crate) fn interrupts(&mut self) {
        self.keyboard.write_all(b"\x03").unwrap();
    }

    /// Waits until the program ends, and returns its exit code.
    pub(crate) fn end(&mut self) -> Option<i32> {
        wait_until("the end in the terminal", || {
            self.types_again();
            self.child.try_wait().unwrap()
        })
        .code()
    }
}

/// Returns a program and its arguments as the shell reads them.
fn words(program: &Command) -> String {
    let words: Vec<String> = std::iter::once(program.get_program())
        .chain(program.get_args())
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    words.join(" ")
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
