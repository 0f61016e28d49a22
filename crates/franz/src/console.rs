//! What a person sees in the terminal: where everything is, then a line or two a turn, and a spinner while the model thinks.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use franz_record::{Event, Output, RunStarted, Status, TurnLine};

/// Writes events as text for people: results to stdout, the spinner to stderr.
pub(crate) struct Console<W> {
    out: W,
    spinner: Spinner,
}

impl Console<io::Stdout> {
    /// The console of this process.
    pub(crate) fn new() -> Self {
        Console {
            out: io::stdout(),
            spinner: Spinner::new(io::stderr().is_terminal()),
        }
    }
}

impl<W: Write> Output for Console<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.spinner.stop();
        match event {
            Event::RunStarted(run) => self.started(run)?,
            Event::Asking { turn, .. } => self.spinner.start(*turn),
            Event::Retry {
                turn,
                attempt,
                error,
                wait_s,
            } => {
                writeln!(
                    self.out,
                    "turn {turn:<4} attempt {attempt} failed: {error}; again in {wait_s:.1} s"
                )?;
                self.spinner.start(*turn);
            }
            Event::TurnDone(line) => self.turn(line)?,
            Event::Notice { text } => writeln!(self.out, "note: {text}")?,
            Event::SettingChanged { key, value } => writeln!(self.out, "setting: {key} = {value}")?,
            Event::RunEnded { reason, .. } => writeln!(self.out, "ended: {reason}")?,
            Event::Acting { .. } | Event::Acted { .. } | Event::Captured { .. } => {}
        }
        self.out.flush()
    }
}

impl<W: Write> Console<W> {
    fn started(&mut self, run: &RunStarted) -> io::Result<()> {
        writeln!(self.out, "FRANZ {}, profile {}", env!("CARGO_PKG_VERSION"), run.profile)?;
        writeln!(self.out, "model   {} at {}", run.model, run.upstream)?;
        writeln!(self.out, "screen  {}", run.screen)?;
        writeln!(self.out, "record  {}", run.run_dir)?;
        writeln!(
            self.out,
            "stop    Ctrl+C (go on later with: franz run --resume {})",
            run.run_dir
        )
    }

    fn turn(&mut self, line: &TurnLine) -> io::Result<()> {
        let seconds = line.ms.model.get() / 1000.0;
        let told = line
            .feedback
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        match line.status {
            Status::Ok => writeln!(self.out, "turn {:<4} {seconds:>6.1} s  {}", line.turn, told.trim()),
            Status::Failed => {
                let why = line.errors.last().map_or("no reply", String::as_str);
                writeln!(self.out, "turn {:<4} {seconds:>6.1} s  failed: {why}", line.turn)
            }
        }
    }
}

/// A line that counts the seconds while the model thinks; where there is no terminal, nothing.
struct Spinner {
    visible: bool,
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Spinner {
    const SIGNS: [char; 4] = ['|', '/', '-', '\\'];
    const EVERY: Duration = Duration::from_millis(120);

    fn new(visible: bool) -> Spinner {
        Spinner { visible, running: None }
    }

    fn start(&mut self, turn: u64) {
        if !self.visible {
            return;
        }
        self.stop();
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let began = Instant::now();
            for sign in Self::SIGNS.iter().cycle() {
                match stopped.recv_timeout(Self::EVERY) {
                    Err(RecvTimeoutError::Timeout) => {
                        let seconds = began.elapsed().as_secs_f32();
                        // A terminal that went away is noticed by the output itself.
                        let _ = write!(
                            io::stderr(),
                            "\r{sign} turn {turn}: the model is thinking, {seconds:.1} s "
                        );
                    }
                    _ => break,
                }
            }
            let _ = write!(io::stderr(), "\r\x1b[K");
        });
        self.running = Some((stop, thread));
    }

    fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
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
    fn a_turn_is_told_in_one_line() {
        let mut out = Vec::new();
        let mut console = Console {
            out: &mut out,
            spinner: Spinner::new(false),
        };
        let line = TurnLine {
            feedback: "\nOK: 8 actions executed.\nmore".to_owned(),
            ..TurnLine::new(3, "2026-01-01T00:00:00Z")
        };
        console.event(&Event::TurnDone(Box::new(line))).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "turn 3       0.0 s  OK: 8 actions executed.\n"
        );
    }
}
