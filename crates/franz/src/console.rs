//! The output that a person sees in the terminal: first the run's addresses and directory, then its progress.
//!
//! On a terminal, one block at the bottom follows the run, and only important lines stay above it. Elsewhere, each turn
//! is one line. `words` describes events, `block` draws the block, and `spinner` shows that the model is still
//! thinking.

mod block;
mod spinner;
mod words;

use std::io::{self, IsTerminal, Write};

use franz_json::Story;
use franz_record::{Event, Output, Status};

use crate::cli::run::Show;
use crate::terminal::{above_foot, can_rewrite, one_line, printable};
use block::Block;
use spinner::Spinner;

pub(crate) use words::{done, turn};

/// Writes events as text for people.
pub(crate) struct Console<W> {
    out: W,
    manner: Manner,
    /// Whether a person can type in this terminal.
    is_typed: bool,
    /// Whether the run can be continued later.
    is_resumable: bool,
    /// The run's directory, once it is known.
    record: String,
    last_reply: Option<Story>,
    /// The file of the last picture in the run's directory.
    last_picture: Option<String>,
    /// The reason why this turn's last attempt failed.
    last_failure: Option<String>,
    has_answered: bool,
}

/// How the console shows a run.
enum Manner {
    /// With a block that follows the run.
    Block(Block),
    /// With one line per turn.
    Turns(Spinner),
    /// With each turn's story, goal, actions and reply.
    Replies(Spinner),
    /// With only the answer, and messages and questions for the person.
    Quiet,
}

impl Console<io::Stdout> {
    /// Creates the console of this process. By default, a terminal gets the block, and a pipe gets one line per turn.
    pub(crate) fn new(wish: Option<Show>, is_quiet: bool) -> Self {
        let on_terminal = can_rewrite();
        let manner = match wish {
            _ if is_quiet => Manner::Quiet,
            Some(Show::Reply) => Manner::Replies(Spinner::new(on_terminal)),
            None | Some(Show::State) if io::stdout().is_terminal() && block::can_be_shown() => {
                Manner::Block(Block::new())
            }
            _ => Manner::Turns(Spinner::new(on_terminal)),
        };
        Console {
            is_typed: io::stdin().is_terminal(),
            ..Console::of(io::stdout(), manner)
        }
    }
}

impl Console<io::Stderr> {
    /// Creates a console that writes only to stderr, because stdout carries a protocol. The run ends with the host that
    /// speaks it.
    pub(crate) fn beside_protocol() -> Self {
        Console {
            is_resumable: false,
            ..Console::of(io::stderr(), Manner::Turns(Spinner::new(false)))
        }
    }
}

impl<W: Write> Console<W> {
    fn of(out: W, manner: Manner) -> Self {
        Console {
            out,
            manner,
            is_typed: false,
            is_resumable: true,
            record: String::new(),
            last_reply: None,
            last_picture: None,
            last_failure: None,
            has_answered: false,
        }
    }

    /// Returns the lines that stay on screen.
    fn lines(&self, event: &Event) -> Vec<String> {
        let mut lines = match (&self.manner, event) {
            (Manner::Block(_), Event::TurnDone(line)) if line.status == Status::Ok => Vec::new(),
            // The block counts the attempts, but has no room for the reason.
            (Manner::Block(_), Event::Retry { error, .. }) if self.last_failure.as_ref() == Some(error) => Vec::new(),
            (Manner::Block(_), Event::Retry { turn, error, .. }) => words::failure(*turn, error),
            (Manner::Replies(_), Event::TurnDone(line)) => words::whole_turn(line, self.last_reply.as_ref()),
            (_, Event::RunStarted(run)) => words::started(run, self.is_resumable),
            _ => words::told(event),
        };
        match event {
            Event::Answered { .. } => lines.push(format!("record  {}", self.record)),
            Event::Paused { .. } if self.is_typed => {
                lines.push("          Enter: continue   s: run one turn".to_owned());
            }
            Event::RunEnded { exit_code, .. } => {
                if *exit_code == 0 && !self.has_answered && !matches!(self.manner, Manner::Replies(_)) {
                    let last_words = self.last_reply.as_ref().map(words::last_words);
                    lines.splice(0..0, last_words.unwrap_or_default());
                }
                // Without a directory, the run never began.
                if !self.record.is_empty() {
                    let picture = self.last_picture.as_deref();
                    lines.extend(words::left(&self.record, picture, self.is_resumable));
                }
            }
            _ => {}
        }
        lines
    }

    fn remember(&mut self, event: &Event) {
        match event {
            Event::RunStarted(run) => self.record.clone_from(&run.run_dir),
            Event::Answered { .. } => self.has_answered = true,
            Event::Retry { error, .. } => self.last_failure = Some(error.clone()),
            Event::TurnDone(line) => {
                self.last_failure = None;
                if line.reply.is_some() {
                    self.last_reply.clone_from(&line.reply);
                }
                if let Some(image) = &line.image {
                    self.last_picture = Some(image.file.clone());
                }
            }
            _ => {}
        }
    }

    /// Writes the answer to stdout, and messages and questions for the person to stderr.
    fn whisper(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Answered { text, .. } => writeln!(self.out, "{}", printable(text.trim_end()))?,
            Event::Notice { .. }
            | Event::Retry { .. }
            | Event::Waiting(_)
            | Event::Paused { why: Some(_), .. }
            | Event::TakenOver { .. } => {
                for line in words::told(event) {
                    // If stderr is closed, nobody is left to tell.
                    let _ = writeln!(io::stderr(), "{}", one_line(&line));
                }
            }
            _ => {}
        }
        self.out.flush()
    }
}

impl<W: Write> Output for Console<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let lines = match &mut self.manner {
            Manner::Quiet => return self.whisper(event),
            // These arrive while the model is still thinking, so the spinner keeps running.
            Manner::Turns(_) | Manner::Replies(_) if matches!(event, Event::Shown(_) | Event::Writing(_)) => {
                return Ok(());
            }
            Manner::Turns(spinner) | Manner::Replies(spinner) => {
                spinner.stop();
                self.lines(event)
            }
            Manner::Block(block) => {
                block.follow(event);
                self.lines(event)
            }
        };
        self.remember(event);
        if !lines.is_empty() {
            above_foot(|| {
                for line in &lines {
                    writeln!(self.out, "{}", one_line(line))?;
                }
                self.out.flush()
            })?;
        }
        if let (Manner::Turns(spinner) | Manner::Replies(spinner), Event::Asking { turn, .. }) =
            (&mut self.manner, event)
        {
            spinner.start(*turn);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use franz_record::TurnLine;

    use super::*;

    fn shown(manner: Manner, events: &[Event]) -> String {
        let mut out = Vec::new();
        let mut console = Console::of(&mut out, manner);
        for event in events {
            console.event(event).unwrap();
        }
        drop(console);
        String::from_utf8(out).unwrap()
    }

    fn turn_done(number: u64, feedback: &str, reply: &str) -> Event {
        Event::TurnDone(Box::new(TurnLine {
            feedback: feedback.to_owned(),
            goal: Some("A cat.".to_owned()),
            reply: Story::from_raw(&franz_json::literal::of_text(reply)),
            ..TurnLine::new(number, "2026-01-01T00:00:00Z")
        }))
    }

    fn ended() -> Event {
        Event::RunEnded {
            reason: "the last requested turn is done".to_owned(),
            exit_code: 0,
            tokens: franz_record::Tokens::default(),
        }
    }

    fn answered() -> Event {
        Event::Answered {
            turn: 2,
            text: "42\nor so\u{1b}[2J".to_owned(),
            success: true,
        }
    }

    #[test]
    fn a_turn_is_one_line_without_escape_sequences() {
        let events = [turn_done(3, "  Line 1: left_clik(1)\nNameError: \x1b[2J\nmore", "")];
        let shown = shown(Manner::Turns(Spinner::new(false)), &events);
        assert_eq!(shown, "turn 3       0.0 s  NameError: \u{fffd}[2J\n");
    }

    #[test]
    fn a_run_without_an_answer_ends_with_the_last_words() {
        let events = [turn_done(2, "No actions.", "first\nI see\u{1b}[2J"), ended()];
        let of = |manner| shown(manner, &events);
        let end = "last words:\n  first\n  I see\u{fffd}[2J\nended: the last requested turn is done\n";
        assert_eq!(
            of(Manner::Turns(Spinner::new(false))),
            format!("turn 2       0.0 s  No actions.\n{end}")
        );
        assert_eq!(of(Manner::Block(Block::new())), end);
        assert_eq!(of(Manner::Quiet), "");
        let answered = shown(
            Manner::Turns(Spinner::new(false)),
            &[turn_done(2, "", "words"), answered(), ended()],
        );
        assert!(!answered.contains("last words"), "{answered}");
    }

    #[test]
    fn a_block_leaves_each_new_reason_of_a_failure_above_itself() {
        let retry = |turn, attempt, error: &str| Event::Retry {
            turn,
            attempt,
            error: error.to_owned(),
            since: String::new(),
            wait_s: 2.0,
        };
        let events = [
            retry(1, 1, "the model is loading"),
            retry(1, 2, "the model is loading"),
            retry(1, 3, "out of\n\u{1b}[2Jmemory"),
            turn_done(1, "", "one"),
            retry(2, 1, "the model is loading"),
        ];
        assert_eq!(
            shown(Manner::Block(Block::new()), &events),
            "turn 1    no reply yet: the model is loading\n\
             turn 1    no reply yet: out of \u{fffd}[2Jmemory\n\
             turn 2    no reply yet: the model is loading\n"
        );
    }

    #[test]
    fn a_quiet_run_says_its_answer_alone() {
        let events = [turn_done(2, "No actions.", "words"), answered(), ended()];
        assert_eq!(shown(Manner::Quiet, &events), "42\nor so\u{fffd}[2J\n");
    }

    #[test]
    fn a_whole_turn_has_story_goal_actions_and_reply() {
        let events = [turn_done(1, "", "one\ntwo"), turn_done(2, "No actions.", "three")];
        let shown = shown(Manner::Replies(Spinner::new(false)), &events);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines,
            [
                "turn 1       0.0 s  nothing to act on yet",
                "  goal  A cat.",
                "  reply one",
                "        two",
                "turn 2       0.0 s  No actions.",
                "  goal  A cat.",
                "  reply three",
            ]
        );
    }
}
