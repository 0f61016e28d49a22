//! The orders that a person can type in a run's terminal: a decision, or Enter to continue after a pause.

use std::io::{ErrorKind, IsTerminal as _, stdin};
use std::time::{Duration, Instant};

use anyhow::Result;
use franz_panel::controls::PersonDecision;
use franz_record::PersonQuestion;

/// How often to check whether the person has anything to decide.
const LOOK: Duration = Duration::from_millis(200);

/// How long something must have waited for the person before a line can be meant for it. What was typed sooner was
/// meant for something else.
const SEEN: Duration = Duration::from_millis(500);

/// The answer to a line that came sooner.
const TOO_SOON: &str = "that came too soon and was ignored; type it again";

/// The meaning of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Typed {
    /// A decision.
    Decide(PersonDecision),
    /// Reply in place of the model.
    Reply(String),
    /// Continue.
    Resume,
    /// Run one turn.
    Step,
}

/// Carries out typed orders.
pub(crate) trait Listener: Send + 'static {
    /// Returns the question that is waiting for the person.
    fn question(&self) -> Option<PersonQuestion>;

    /// Returns whether the run is paused.
    fn is_paused(&self) -> bool;

    /// Returns whether the run is waiting to try the model server again.
    fn is_retrying(&self) -> bool;

    /// Answers a question with a decision. The error is shown to the person, who can try again.
    fn decide(&self, question: &PersonQuestion, decision: PersonDecision) -> Result<(), String>;

    /// Replies in place of the model.
    fn reply(&self, text: &str) -> Result<(), String>;

    /// Lets the run continue after a pause, or while it is waiting on its own.
    fn resume(&self) -> Result<(), String>;

    /// Lets a paused run make one turn.
    fn step(&self) -> Result<(), String>;

    /// Carries out a line that was typed while this question was open.
    fn take(&self, line: &str, question: Option<PersonQuestion>) -> Result<(), String> {
        let asks = question.as_ref().is_some_and(|open| open.question.is_some());
        match (read(line, asks)?, question) {
            (Typed::Resume, _) => self.resume(),
            (Typed::Step, _) => self.step(),
            (Typed::Reply(text), _) => self.reply(&text),
            (Typed::Decide(decision), Some(question)) => self.decide(&question, decision),
            (Typed::Decide(_), None) => Err("nothing is waiting for a decision".to_owned()),
        }
    }
}

/// Parses a typed line. If the model has asked a question, the line is the answer. The error lists the possible orders.
fn read(line: &str, asks: bool) -> Result<Typed, String> {
    let line = line.trim();
    if asks && !line.is_empty() {
        return Ok(Typed::Decide(PersonDecision::Answer(line.to_owned())));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Ok(match word.to_lowercase().as_str() {
        "" => Typed::Resume,
        "s" | "step" => Typed::Step,
        "y" | "yes" => Typed::Decide(PersonDecision::Approve),
        "a" | "all" => Typed::Decide(PersonDecision::ApproveAll),
        "n" | "no" => Typed::Decide(PersonDecision::Refuse(rest.trim().to_owned())),
        "r" | "reply" => Typed::Reply(rest.trim().to_owned()),
        "e" | "edit" => Typed::Decide(PersonDecision::Edit(rest.trim().to_owned())),
        _ => {
            return Err(
                "type y, a, n with a reason, e with a call, or r with a reply; Enter continues after a pause or a failed attempt, and s runs one turn after a pause"
                    .to_owned(),
            );
        }
    })
}

/// Listens to the terminal until the process ends, if there is a terminal. Returns whether there is one.
pub(crate) fn listen(listener: impl Listener) -> Result<bool> {
    if !stdin().is_terminal() {
        return Ok(false);
    }
    let thread = std::thread::Builder::new().name("terminal".to_owned());
    thread.spawn(move || {
        let mut known = Displayed::of(Awaited::default());
        loop {
            let question = listener.question();
            let awaited = Awaited::by(&listener, question.as_ref());
            if awaited != known.awaited {
                known = Displayed::of(awaited);
            }
            known.look();
            // Leave input in the terminal while nobody is waiting for it. A background process must not read at all.
            let is_for_person = known.awaited != Awaited::default();
            let is_read = is_in_front() && (is_for_person || listener.is_retrying());
            if !is_read || !has_line(known.until_look()) {
                std::thread::sleep(known.until_look());
                continue;
            }
            let mut line = String::new();
            let told = match stdin().read_line(&mut line) {
                // Ctrl+D ends no terminal.
                Ok(0) => {
                    std::thread::sleep(LOOK);
                    continue;
                }
                Ok(_) if is_for_person && known.is_too_soon(&listener) => Err(TOO_SOON.to_owned()),
                Ok(_) => listener.take(&line, question),
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    Err("that is not UTF-8 and was ignored; type it again".to_owned())
                }
                Err(_) => return,
            };
            if let Err(why) = told {
                crate::terminal::complain(&why);
            }
        }
    })?;
    Ok(true)
}

/// What the run awaits from the person: nothing by default.
#[derive(Default, PartialEq)]
struct Awaited {
    is_paused: bool,
    /// The nonce of the open question.
    nonce: Option<String>,
}

impl Awaited {
    fn by(listener: &impl Listener, question: Option<&PersonQuestion>) -> Awaited {
        Awaited {
            is_paused: listener.is_paused(),
            nonce: question.map(|question| question.nonce.clone()),
        }
    }
}

/// What the run awaits as far as this thread knows, and whether the person can have seen it.
struct Displayed {
    awaited: Awaited,
    since: Instant,
    /// Whether a line that comes now was typed after the person could see it.
    is_seen: bool,
}

impl Displayed {
    fn of(awaited: Awaited) -> Displayed {
        Displayed {
            awaited,
            since: Instant::now(),
            is_seen: false,
        }
    }

    /// Lets lines count from now on if none is waiting in the terminal. A waiting line was typed earlier, even if this
    /// process reads it late because it was stopped or in the background.
    fn look(&mut self) {
        let is_time = self.since.elapsed() >= SEEN;
        self.is_seen = self.is_seen || (is_time && !has_line(Duration::ZERO) && is_in_front());
    }

    /// Returns how long to wait before the next look.
    fn until_look(&self) -> Duration {
        let left = SEEN.checked_sub(self.since.elapsed());
        left.map_or(LOOK, |left| left.min(LOOK))
    }

    /// Checks whether the line that was just read was typed before the person could see what the run awaits now.
    fn is_too_soon(&self, listener: &impl Listener) -> bool {
        // Elsewhere, nothing tells whether there is a line without reading it.
        let is_seen = if cfg!(unix) {
            self.is_seen
        } else {
            self.since.elapsed() >= SEEN
        };
        !is_seen || Awaited::by(listener, listener.question().as_ref()) != self.awaited
    }
}

/// Returns whether this process is in the terminal's foreground.
#[cfg(unix)]
fn is_in_front() -> bool {
    rustix::termios::tcgetpgrp(stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

#[cfg(not(unix))]
fn is_in_front() -> bool {
    true
}

/// Waits up to this long for a line.
#[cfg(unix)]
fn has_line(time: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let stdin = stdin();
    let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
    Timespec::try_from(time).is_ok_and(|time| matches!(poll(&mut waited, Some(&time)), Ok(1..)))
}

#[cfg(not(unix))]
fn has_line(_: Duration) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_decides_or_goes_on() {
        let refuse = |words: &str| Typed::Decide(PersonDecision::Refuse(words.to_owned()));
        let edit = |call: &str| Typed::Decide(PersonDecision::Edit(call.to_owned()));
        for (line, typed) in [
            ("\n", Some(Typed::Resume)),
            ("s\n", Some(Typed::Step)),
            (" Y \n", Some(Typed::Decide(PersonDecision::Approve))),
            ("all", Some(Typed::Decide(PersonDecision::ApproveAll))),
            ("n", Some(refuse(""))),
            ("no  keep that tab\n", Some(refuse("keep that tab"))),
            ("e left_click(1, 2)", Some(edit("left_click(1, 2)"))),
            ("r hello there", Some(Typed::Reply("hello there".to_owned()))),
            ("yes please", Some(Typed::Decide(PersonDecision::Approve))),
            ("perhaps", None),
        ] {
            assert_eq!(read(line, false).ok(), typed, "{line:?}");
        }
        let answer = |words: &str| Typed::Decide(PersonDecision::Answer(words.to_owned()));
        for (line, typed) in [
            ("\n", Typed::Resume),
            ("y\n", answer("y")),
            (" in Downloads \n", answer("in Downloads")),
        ] {
            assert_eq!(read(line, true), Ok(typed));
        }
    }
}
