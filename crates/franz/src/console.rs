//! What a person sees in the terminal: where everything is, then a line or two a turn, and a spinner while the model thinks.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use franz_record::{Event, Output, RunStarted, Status, TurnLine};

use crate::terminal::one_line;

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
        for line in told(event) {
            writeln!(self.out, "{}", one_line(&line))?;
        }
        self.out.flush()?;
        if let Event::Asking { turn, .. } | Event::Retry { turn, .. } = event {
            self.spinner.start(*turn);
        }
        Ok(())
    }
}

/// What a person is told about an event, in lines; nothing about the steps that are too small to tell.
fn told(event: &Event) -> Vec<String> {
    vec![match event {
        Event::RunStarted(run) => return started(run),
        Event::Retry {
            turn,
            attempt,
            error,
            wait_s,
        } => {
            format!("turn {turn:<4} attempt {attempt} failed: {error}; again in {wait_s:.1} s")
        }
        Event::Answered { text, .. } => return text.lines().map(str::to_owned).collect(),
        Event::TurnDone(line) => turn(line),
        Event::Notice { text } => format!("note: {text}"),
        // An ending that is an error is told on stderr, where errors are looked for.
        Event::RunEnded {
            reason,
            exit_code: 0 | 130,
        } => format!("ended: {reason}"),
        Event::RunEnded { .. }
        | Event::Acting { .. }
        | Event::Acted { .. }
        | Event::Captured { .. }
        | Event::Asking { .. } => return Vec::new(),
    }]
}

fn started(run: &RunStarted) -> Vec<String> {
    let RunStarted {
        run_dir,
        profile,
        upstream,
        model,
        screen,
        ..
    } = run;
    vec![
        format!("FRANZ {}, profile {profile}", env!("CARGO_PKG_VERSION")),
        format!("model   {model} at {upstream}"),
        format!("screen  {screen}"),
        format!("record  {run_dir}"),
        format!("stop    Ctrl+C (go on later with: franz run --resume {run_dir})"),
    ]
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

/// Tells on stderr that the model is still thinking: a line that counts the seconds on a terminal, else a plain line
/// now and then.
struct Spinner {
    on_terminal: bool,
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Spinner {
    const SIGNS: [char; 4] = ['|', '/', '-', '\\'];
    const EVERY: Duration = Duration::from_millis(120);
    const EVERY_PLAIN: Duration = Duration::from_secs(30);

    fn new(on_terminal: bool) -> Spinner {
        Spinner {
            on_terminal,
            running: None,
        }
    }

    fn start(&mut self, turn: u64) {
        self.stop();
        let (stop, stopped) = mpsc::channel();
        let on_terminal = self.on_terminal;
        let thread = std::thread::spawn(move || spin(turn, on_terminal, &stopped));
        self.running = Some((stop, thread));
    }

    fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

/// Counts until the other end of `stopped` is gone. A terminal that went away is noticed by the output itself.
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
            write!(
                io::stderr(),
                "\r{sign} turn {turn}: the model is thinking, {seconds:.1} s "
            )
        } else {
            writeln!(io::stderr(), "turn {turn}: the model is thinking, {seconds:.0} s")
        };
    }
    if on_terminal {
        let _ = write!(io::stderr(), "\r\x1b[K");
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
