//! What a person types in the terminal of a run: a decision, or Enter to go on after a pause.

use std::io::{IsTerminal as _, stdin};
use std::time::Duration;

use anyhow::Result;
use franz_panel::controls::PersonDecision;

/// How often it is looked at whether anything is to be decided.
const LOOK: Duration = Duration::from_millis(200);

/// What a line means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A decision.
    Decide(PersonDecision),
    /// Go on.
    Resume,
}

/// Who is to be asked.
pub(crate) trait Listener: Send + 'static {
    /// Whether a line is wanted now.
    fn wants_line(&self) -> bool;

    /// Takes a line; the error is shown to the person, who may try again.
    fn take(&self, typed: Typed) -> Result<(), String>;
}

/// Parses a typed line; the error lists what can be typed.
fn read(line: &str) -> Result<Typed, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Ok(match word.to_lowercase().as_str() {
        "" => Typed::Resume,
        "y" | "yes" => Typed::Decide(PersonDecision::Approve),
        "a" | "all" => Typed::Decide(PersonDecision::ApproveAll),
        "n" | "no" => Typed::Decide(PersonDecision::Refuse(rest.trim().to_owned())),
        "e" | "edit" => Typed::Decide(PersonDecision::Edit(rest.trim().to_owned())),
        _ => return Err("type y, a, n and a reason, or e and a call; Enter goes on after a pause".to_owned()),
    })
}

/// Listens to the terminal, if there is one, as long as the process lives. Returns whether there is.
pub(crate) fn listen(listener: impl Listener) -> Result<bool> {
    if !stdin().is_terminal() {
        return Ok(false);
    }
    let thread = std::thread::Builder::new().name("terminal".to_owned());
    thread.spawn(move || {
        loop {
            // What nobody waits for stays in the terminal, and a program in the background must not read at all.
            if !listener.wants_line() || !has_line(LOOK) {
                std::thread::sleep(LOOK);
                continue;
            }
            let mut line = String::new();
            if !matches!(stdin().read_line(&mut line), Ok(1..)) {
                return;
            }
            if let Err(why) = read(&line).and_then(|typed| listener.take(typed)) {
                crate::terminal::complain(&why);
            }
        }
    })?;
    Ok(true)
}

/// Waits so long for a line in a terminal that is in the foreground.
#[cfg(unix)]
fn has_line(time: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let stdin = stdin();
    let is_ours = rustix::termios::tcgetpgrp(&stdin).is_ok_and(|group| group == rustix::process::getpgrp());
    let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
    is_ours && Timespec::try_from(time).is_ok_and(|time| matches!(poll(&mut waited, Some(&time)), Ok(1..)))
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
            (" Y \n", Some(Typed::Decide(PersonDecision::Approve))),
            ("all", Some(Typed::Decide(PersonDecision::ApproveAll))),
            ("n", Some(refuse(""))),
            ("no  keep that tab\n", Some(refuse("keep that tab"))),
            ("e left_click(1, 2)", Some(edit("left_click(1, 2)"))),
            ("yes please", Some(Typed::Decide(PersonDecision::Approve))),
            ("perhaps", None),
        ] {
            assert_eq!(read(line).ok(), typed, "{line:?}");
        }
    }
}
