//! A sign that the model is still thinking.

use std::io::{self, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use console::Term;

/// A sign on stderr that the model is still thinking. On a terminal, it is a line that counts the seconds; elsewhere,
/// it is a plain line now and then.
pub(super) struct Spinner {
    on_terminal: bool,
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Spinner {
    const SIGNS: [char; 4] = ['|', '/', '-', '\\'];
    const EVERY: Duration = Duration::from_millis(120);
    const EVERY_PLAIN: Duration = Duration::from_secs(30);

    pub(super) fn new(on_terminal: bool) -> Spinner {
        Spinner {
            on_terminal,
            running: None,
        }
    }

    pub(super) fn start(&mut self, turn: u64) {
        self.stop();
        let (stop, stopped) = mpsc::channel();
        let on_terminal = self.on_terminal;
        let thread = std::thread::spawn(move || spin(turn, on_terminal, &stopped));
        self.running = Some((stop, thread));
    }

    pub(super) fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

/// Counts until the other end of `stopped` has been dropped. If the terminal disappears, the output simply ends.
fn spin(turn: u64, on_terminal: bool, stopped: &Receiver<()>) {
    let began = Instant::now();
    let every = if on_terminal {
        Spinner::EVERY
    } else {
        Spinner::EVERY_PLAIN
    };
    for sign in Spinner::SIGNS.iter().cycle() {
        if stopped.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
            break;
        }
        let seconds = began.elapsed().as_secs_f32();
        let _ = if on_terminal {
            write!(io::stderr(), "\r{}\x1b[K", line(*sign, turn, seconds, columns()))
        } else {
            writeln!(io::stderr(), "turn {turn}: the model is thinking, {seconds:.0} s")
        };
    }
    if on_terminal {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// Returns how many columns a line may have that is written again and again. It would wrap in the last one.
fn columns() -> usize {
    let (_, columns) = Term::stderr().size();
    usize::from(columns).saturating_sub(1)
}

/// Returns the line, cut to this many columns: each wrapped line would leave a row behind when it is written again.
fn line(sign: char, turn: u64, seconds: f32, columns: usize) -> String {
    let line = format!("{sign} turn {turn}: the model is thinking, {seconds:.1} s");
    console::truncate_str(&line, columns, "").into_owned()
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_into_its_columns() {
        let whole = "| turn 123: the model is thinking, 4.5 s";
        assert_eq!(line('|', 123, 4.5, 80), whole);
        assert_eq!(line('|', 123, 4.5, 40), whole);
        assert_eq!(line('|', 123, 4.5, 20), "| turn 123: the mode");
        assert_eq!(line('|', 123, 4.5, 0), "");
    }
}
