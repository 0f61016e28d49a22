//! The block at the bottom of a terminal: the run's current activity, its last turn, the reply that is being written,
//! and the tokens and time used.

use std::time::{Duration, Instant};

use console::Term;
use franz_record::{Event, ReplyPiece, Tokens};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::words;
use crate::terminal::{can_rewrite, one_line, set_foot};

/// How often the block is animated.
const EVERY: Duration = Duration::from_millis(120);

/// How often the block updates the time.
const EVERY_SECOND: Duration = Duration::from_secs(1);

/// How many bytes of a growing reply to keep, which is more than fits on one line of any terminal.
const TAIL: usize = 4096;

/// How many columns the label next to the text takes up.
const BESIDE: usize = 10;

/// Returns whether this process has a terminal to draw on.
pub(super) fn can_be_shown() -> bool {
    can_rewrite() && !ProgressDrawTarget::stderr().is_hidden()
}

/// A block that follows a run.
pub(super) struct Block {
    /// `None` while the person is reading and typing.
    shown: Option<Lines>,
    began: Instant,
    tokens: Tokens,
    did: String,
    /// The end of the reply that is being written.
    writes: String,
}

/// The lines that are drawn.
struct Lines {
    all: MultiProgress,
    state: ProgressBar,
    did: ProgressBar,
    writes: ProgressBar,
    used: ProgressBar,
}

impl Block {
    pub(super) fn new() -> Block {
        Block {
            shown: None,
            began: Instant::now(),
            tokens: Tokens::default(),
            did: String::new(),
            writes: String::new(),
        }
    }

    /// Shows an event.
    pub(super) fn follow(&mut self, event: &Event) {
        match event {
            Event::Acting { turn, actions: 1 } => self.state(*turn, "acting"),
            Event::Acting { turn, actions } => self.state(*turn, &format!("acting: {actions} actions")),
            Event::Acted { turn, acted, feedback } => {
                self.did = one_line(&words::done(acted, feedback, *turn));
                self.state(*turn, "looking");
            }
            Event::Captured { turn, .. } => self.state(*turn, "sending the picture"),
            Event::Asking { turn, attempt } => {
                self.writes.clear();
                match attempt {
                    1 => self.state(*turn, "the model is thinking"),
                    _ => self.state(*turn, &format!("the model is thinking (attempt {attempt})")),
                }
            }
            Event::Writing(piece) => self.grow(piece),
            Event::Retry {
                turn, attempt, wait_s, ..
            } => self.state(
                *turn,
                &format!("attempt {attempt} failed, next in {wait_s:.0} s (Enter: now)"),
            ),
            Event::TurnDone(line) => {
                self.tokens.add(Tokens::of(line));
                self.state(line.turn, "done");
            }
            Event::Resumed { turn } | Event::GivenBack { turn, .. } | Event::Decided { turn, .. } => {
                self.state(*turn, "continuing");
            }
            Event::RunStarted(_)
            | Event::Paused { .. }
            | Event::Waiting(_)
            | Event::TakenOver { .. }
            | Event::Answered { .. }
            | Event::RunEnded { .. } => self.hide(),
            Event::Notice { .. } | Event::Shown(_) | Event::Live(_) => {}
        }
    }

    fn state(&mut self, turn: u64, state: &str) {
        let used = match self.tokens.total {
            0 => String::new(),
            total => format!("{total} tokens ({})", self.tokens.words()),
        };
        let lines = self.shown.get_or_insert_with(|| Lines::new(self.began.elapsed()));
        lines.state.reset_elapsed();
        lines.state.set_prefix(format!("turn {turn}"));
        lines.state.set_message(one_line(state));
        lines.did.set_message(self.did.clone());
        lines.writes.set_message(end_of(&self.writes, columns()));
        lines.used.set_message(used);
    }

    fn grow(&mut self, piece: &ReplyPiece) {
        if self.writes.is_empty() {
            self.state(piece.turn, "the model is writing");
        }
        self.writes += &one_line(&piece.text.text());
        let excess = self.writes.len().saturating_sub(TAIL);
        self.writes.drain(..self.writes.ceil_char_boundary(excess));
        if let Some(lines) = &self.shown {
            lines.writes.set_message(end_of(&self.writes, columns()));
        }
    }

    /// Removes the block, so that a person can read and type.
    fn hide(&mut self) {
        if let Some(lines) = self.shown.take() {
            set_foot(None);
            // If the terminal has gone, there is nothing to clear.
            let _ = lines.all.clear();
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.hide();
    }
}

impl Lines {
    fn new(running: Duration) -> Lines {
        let all = MultiProgress::new();
        let line = |template: &str| {
            let style = ProgressStyle::with_template(template).expect("the templates are tested");
            let line = ProgressBar::new_spinner().with_style(style.tick_chars("|/-\\ "));
            all.add(line)
        };
        let state = line("{spinner} {prefix} {elapsed:>4}  {wide_msg}");
        let did = line("  did     {wide_msg:.dim}");
        let writes = line("  writes  {wide_msg:.dim}");
        let used = line("  used    {elapsed}  {wide_msg:.dim}").with_elapsed(running);
        state.enable_steady_tick(EVERY);
        used.enable_steady_tick(EVERY_SECOND);
        set_foot(Some(all.clone()));
        Lines {
            all,
            state,
            did,
            writes,
            used,
        }
    }
}

fn columns() -> usize {
    let (_, columns) = Term::stderr().size();
    usize::from(columns).saturating_sub(BESIDE)
}

/// Returns as much of the end of the text as fits into this many columns.
fn end_of(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |character: &char| {
        used += console::measure_text_width(character.encode_utf8(&mut [0; 4]));
        used <= columns
    };
    let end: Vec<char> = text.chars().rev().take_while(fits).collect();
    end.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_fits_into_its_columns() {
        assert_eq!(end_of("what was written", 7), "written");
        assert_eq!(end_of("short", 7), "short");
        assert_eq!(end_of("漢字です", 5), "です");
        assert_eq!(end_of("", 5), "");
        assert_eq!(end_of("any", 0), "");
    }

    #[test]
    fn the_lines_can_be_made() {
        drop(Lines::new(Duration::ZERO));
        set_foot(None);
    }
}
