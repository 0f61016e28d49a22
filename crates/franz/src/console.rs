//! What a person sees in the terminal: where everything is, then a line or two per turn, and a spinner while the model
//! thinks.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use franz_action::outcome::{Outcome, words};
use franz_record::{Acted, Event, Exit, Output, PersonQuestion, RunStarted, Status, Tokens, TurnLine};

use crate::terminal::one_line;

/// How many characters of a goal the first lines show.
const GOAL: usize = 100;

/// Writes events as text for people: results to stdout, the spinner to stderr.
pub(crate) struct Console<W> {
    out: W,
    spinner: Spinner,
    /// The run's directory, once it is known.
    record: String,
}

impl Console<io::Stdout> {
    /// Creates the console of this process.
    pub(crate) fn new() -> Self {
        Console {
            out: io::stdout(),
            spinner: Spinner::new(io::stderr().is_terminal()),
            record: String::new(),
        }
    }
}

impl<W: Write> Output for Console<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        if let Event::Shown(_) = event {
            // It arrives while the model is still thinking, so the spinner goes on.
            return Ok(());
        }
        self.spinner.stop();
        for line in told(event) {
            writeln!(self.out, "{}", one_line(&line))?;
        }
        match event {
            Event::RunStarted(run) => self.record.clone_from(&run.run_dir),
            Event::Answered { .. } => writeln!(self.out, "record  {}", one_line(&self.record))?,
            _ => {}
        }
        self.out.flush()?;
        if let Event::Asking { turn, .. } = event {
            self.spinner.start(*turn);
        }
        Ok(())
    }
}

/// Returns what a person is told about an event, line by line; nothing for steps too small to mention.
fn told(event: &Event) -> Vec<String> {
    vec![match event {
        Event::RunStarted(run) => return started(run),
        Event::Retry {
            turn,
            attempt,
            error,
            since,
            wait_s,
        } => format!(
            "turn {turn:<4} attempt {attempt} failed: {error}; waiting since {}, next try in {wait_s:.1} s",
            time_of_day(since)
        ),
        Event::TurnDone(line) => turn(line),
        Event::Answered { text, success, .. } => return answer(text, *success),
        Event::Paused { turn, why: None } => format!("turn {turn:<4} paused"),
        Event::Paused { turn, why: Some(why) } => format!("turn {turn:<4} paused: {why}"),
        Event::TakenOver { turn } => format!("turn {turn:<4} you have the screen; give it back in the dashboard"),
        Event::GivenBack { turn, did } => format!("turn {turn:<4} the model is told: {did}"),
        Event::Resumed { turn } => format!("turn {turn:<4} continues"),
        Event::Waiting(question) => return waiting(question),
        Event::Decided {
            turn,
            decided: Some(decided),
            ..
        } => format!("turn {turn:<4} {}", decided.words()),
        Event::Decided {
            turn, decided: None, ..
        } => format!("turn {turn:<4} nobody decided"),
        Event::Notice { text } => format!("note: {text}"),
        Event::RunEnded {
            reason,
            exit_code,
            tokens,
        } => return ended(reason, *exit_code, tokens),
        Event::Acting { .. }
        | Event::Live(_)
        | Event::Writing(_)
        | Event::Acted { .. }
        | Event::Captured { .. }
        | Event::Asking { .. }
        | Event::Shown(_) => return Vec::new(),
    }]
}

/// Returns what waits for the person, and how they decide it in a terminal.
fn waiting(question: &PersonQuestion) -> Vec<String> {
    let PersonQuestion { turn, action, why, .. } = question;
    if let Some(asked) = &question.question {
        return vec![
            format!("turn {turn:<4} the model asks you: {asked}"),
            "          type your answer here, or give it in the dashboard".to_owned(),
        ];
    }
    vec![
        format!("turn {turn:<4} waits for you: {action} ({why})"),
        "          y: do it   a: do all of this reply   n REASON: refuse   e CALL: do that instead   r REPLY: reply yourself".to_owned(),
    ]
}

fn started(run: &RunStarted) -> Vec<String> {
    let RunStarted {
        run_dir,
        profile,
        upstream,
        model,
        screen,
        goal,
        dashboard,
        ..
    } = run;
    let mut lines = vec![
        format!("FRANZ {}, profile {profile}", env!("CARGO_PKG_VERSION")),
        format!("model   {model} at {upstream}"),
        format!("screen  {screen}"),
    ];
    if !goal.is_empty() {
        lines.push(format!("goal    {}", first_line(goal)));
    }
    lines.extend(dashboard.iter().map(|link| format!("look    {link}")));
    lines.push(format!("record  {run_dir}"));
    lines.push(format!(
        "stop    Ctrl+C (continue later with: franz run --resume {})",
        quoted(run_dir)
    ));
    lines
}

/// Returns a goal's first line, shortened: the goal may be as long as a page, and this is enough to recognize it.
fn first_line(goal: &str) -> Cow<'_, str> {
    let goal = goal.trim();
    let line = goal.lines().next().unwrap_or_default();
    let shown = line.char_indices().nth(GOAL).map_or(line, |(end, _)| {
        let words = line[..end].rsplit_once(' ');
        words.map_or(&line[..end], |(whole, _)| whole)
    });
    if shown.len() == goal.len() {
        Cow::Borrowed(shown)
    } else {
        Cow::Owned(format!("{} ...", shown.trim_end()))
    }
}

/// Quotes the path for a shell.
fn quoted(path: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:\\".contains(c);
    if path.chars().all(plain) {
        Cow::Borrowed(path)
    } else if cfg!(windows) {
        Cow::Owned(format!("\"{path}\""))
    } else {
        Cow::Owned(format!("'{}'", path.replace('\'', r"'\''")))
    }
}

/// Returns the local time of day of a moment.
fn time_of_day(moment: &str) -> String {
    let moment = moment.parse::<jiff::Timestamp>().ok();
    let local = moment.map(|moment| moment.to_zoned(jiff::tz::TimeZone::system()));
    local.map_or_else(String::new, |local| local.strftime("%H:%M:%S").to_string())
}

/// Says in a line what a turn did.
pub(crate) fn turn(line: &TurnLine) -> String {
    let seconds = line.ms.model.get() / 1000.0;
    let what = match line.status {
        Status::Ok => what(line),
        Status::Failed => format!("failed: {}", line.errors.last().map_or("no reply", String::as_str)),
    };
    let mode = line.mode.as_ref().map(|mode| format!("{mode}: ")).unwrap_or_default();
    let tokens = Tokens::of(line);
    let used = if tokens.total > 0 {
        format!("  [{}]", tokens.words())
    } else {
        String::new()
    };
    format!("turn {:<4} {seconds:>6.1} s  {mode}{what}{used}", line.turn)
}

/// Says what was done. Feedback written for people says it best.
fn what(line: &TurnLine) -> String {
    match line.acted.as_slice() {
        // The model is then told how to write, which is nobody's fault.
        [] if line.turn == 1 => "nothing to act on yet".to_owned(),
        [] => gist(&line.feedback).to_owned(),
        _ if line.feedback.starts_with("OK: ") || line.feedback.contains("Error: ") => gist(&line.feedback).to_owned(),
        [only] => match only.outcome.why() {
            Some(why) => format!("{} -> {}: {why}", only.action, only.outcome.words()),
            None => format!("{} -> {}", only.action, only.outcome.words()),
        },
        many => counted(many),
    }
}

/// Counts the outcomes: `5 done, 1 malformed`.
fn counted(acted: &[Acted]) -> String {
    let count = |name| acted.iter().filter(|acted| acted.outcome.name() == name).count();
    let counts = Outcome::NAMES
        .into_iter()
        .map(|name| (count(name), name))
        .filter(|(count, _)| *count > 0);
    counts
        .map(|(count, name)| format!("{count} {}", words(name)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Says how the run ended. An ending that is an error is reported on stderr, where errors are looked for.
fn ended(reason: &str, exit_code: u8, tokens: &Tokens) -> Vec<String> {
    let total = tokens.total;
    let used = (total > 0).then(|| format!("tokens  {total} in all ({})", tokens.words()));
    let ended = Exit::of(i32::from(exit_code))
        .is_some_and(Exit::is_in_order)
        .then(|| format!("ended: {reason}"));
    used.into_iter().chain(ended).collect()
}

/// Returns the final answer, in the model's own lines.
fn answer(text: &str, success: bool) -> Vec<String> {
    let title = if success {
        "answer:"
    } else {
        "the model reports failure:"
    };
    std::iter::once(title.to_owned())
        .chain(text.lines().map(|line| format!("  {line}")))
        .collect()
}

/// Returns the most telling line of a feedback: the first that is neither indented, as the model's own lines are, nor
/// about what the model should do.
fn gist(feedback: &str) -> &str {
    let standing = ["Current mode: ", "YOUR GOAL NOW: ", "EXECUTOR_FEEDBACK:"];
    let mut lines = feedback
        .lines()
        .filter(|line| !line.trim().is_empty() && !standing.iter().any(|start| line.starts_with(start)));
    let first = feedback.lines().next().unwrap_or("no actions").trim();
    lines.find(|line| !line.starts_with(' ')).unwrap_or(first)
}

/// A sign on stderr that the model is still thinking: on a terminal a line that counts the seconds, otherwise a plain
/// line now and then.
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

/// Counts until the other end of `stopped` is gone. If the terminal goes away, the output itself notices.
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
    fn a_turn_is_one_line_without_escape_sequences() {
        let mut out = Vec::new();
        let mut console = Console {
            out: &mut out,
            spinner: Spinner::new(false),
            record: String::new(),
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

    #[test]
    fn a_first_turn_is_no_error() {
        let told = |number, feedback: &str| {
            turn(&TurnLine {
                feedback: feedback.to_owned(),
                ..TurnLine::new(number, "2026-01-01T00:00:00Z")
            })
        };
        let how_to_write = "SyntaxError: no block found";
        assert_eq!(told(1, how_to_write), "turn 1       0.0 s  nothing to act on yet");
        assert_eq!(told(2, how_to_write), format!("turn 2       0.0 s  {how_to_write}"));
    }

    #[test]
    fn a_long_goal_is_shortened_to_its_beginning() {
        for (goal, shown) in [
            ("Draw a cat.".to_owned(), "Draw a cat.".to_owned()),
            ("Draw a cat.\nThen rest.".to_owned(), "Draw a cat. ...".to_owned()),
            ("\n Draw. ".to_owned(), "Draw.".to_owned()),
            ("ä".repeat(GOAL), "ä".repeat(GOAL)),
            (format!("Draw {}", "ä".repeat(GOAL)), "Draw ...".to_owned()),
            ("ä".repeat(GOAL + 1), format!("{} ...", "ä".repeat(GOAL))),
            (String::new(), String::new()),
        ] {
            assert_eq!(first_line(&goal), shown);
        }
    }
}
