//! What a person sees in the terminal: where everything is, then a line or two a turn, and a spinner while the model thinks.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use franz_record::{Event, Output, RunStarted, Status, TurnLine};

use crate::terminal::printable;

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
        if let Some(text) = told(event) {
            writeln!(self.out, "{}", printable(&text))?;
            self.out.flush()?;
        }
        if let Event::Asking { turn, .. } | Event::Retry { turn, .. } = event {
            self.spinner.start(*turn);
        }
        Ok(())
    }
}

/// What a person is told about an event; `None` for the steps that are too small to tell.
fn told(event: &Event) -> Option<String> {
    Some(match event {
        Event::RunStarted(run) => started(run),
        Event::Retry {
            turn,
            attempt,
            error,
            wait_s,
        } => {
            format!("turn {turn:<4} attempt {attempt} failed: {error}; again in {wait_s:.1} s")
        }
        Event::TurnDone(line) => turn(line),
        Event::Notice { text } => format!("note: {text}"),
        Event::SettingChanged { key, value } => format!("setting: {key} = {value}"),
        Event::RunEnded { reason, .. } => format!("ended: {reason}"),
        Event::Acting { .. } | Event::Acted { .. } | Event::Captured { .. } | Event::Asking { .. } => return None,
    })
}

fn started(run: &RunStarted) -> String {
    let RunStarted {
        run_dir,
        profile,
        upstream,
        model,
        screen,
        ..
    } = run;
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "FRANZ {version}, profile {profile}\nmodel   {model} at {upstream}\nscreen  {screen}\nrecord  {run_dir}\n\
         stop    Ctrl+C (go on later with: franz run --resume {run_dir})"
    )
}

fn turn(line: &TurnLine) -> String {
    let seconds = line.ms.model.get() / 1000.0;
    let what = match line.status {
        Status::Ok => gist(&line.feedback).to_owned(),
        Status::Failed => format!("failed: {}", line.errors.last().map_or("no reply", String::as_str)),
    };
    format!("turn {:<4} {seconds:>6.1} s  {what}", line.turn)
}

/// The line of a feedback that says most: the first that is not indented, as the model's own lines are.
fn gist(feedback: &str) -> &str {
    let mut lines = feedback.lines().filter(|line| !line.trim().is_empty());
    let first = feedback.lines().next().unwrap_or_default().trim();
    lines.find(|line| !line.starts_with(' ')).unwrap_or(first)
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
    fn a_turn_is_told_in_one_line_that_the_terminal_does_not_obey() {
        let mut out = Vec::new();
        let mut console = Console {
            out: &mut out,
            spinner: Spinner::new(false),
        };
        let line = TurnLine {
            feedback: "  Line 1: left_clik(1)\nNameError: \x1b[2J\nmore".to_owned(),
            ..TurnLine::new(3, "2026-01-01T00:00:00Z")
        };
        console.event(&Event::TurnDone(Box::new(line))).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "turn 3       0.0 s  NameError: \u{fffd}[2J\n"
        );
    }
}
