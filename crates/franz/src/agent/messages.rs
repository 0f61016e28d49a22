//! Messages: the person's words to the model, and the mode that the person sets. Both are part of the next feedback,
//! which is repeated until the model replies.

use std::time::{Duration, Instant};

use franz_action::text::shortened;
use franz_home::View;
use franz_record::{MessageContent, Phase, messages};
use franz_screen::Interrupt;

use super::{Agent, Turn, notices};
use crate::stop::{Ending, Stop};

/// How many characters of a message to show the person when it is passed on.
const LONGEST_SHOWN: usize = 200;

/// Whose words the feedback contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum FeedbackWords {
    /// An earlier process might have put in messages that the state does not count as heard, because it was killed
    /// between the two writes.
    #[default]
    Found,
    /// Every message in it counts as heard.
    Own,
}

impl Agent {
    /// Checks whether the person has sent a message that the model has not got yet.
    pub(super) fn has_messages(&self) -> bool {
        messages::is_said(self.recorder.run().home(), self.state.heard)
    }

    /// Checks whether one of these messages sets the mode.
    pub(super) fn has_new_mode(&self) -> bool {
        messages::is_mode_set(self.recorder.run().home(), self.state.heard)
    }

    /// Returns the signals that interrupt an action: a stop, a person who takes the mouse, or a mode that the person
    /// sets.
    pub(super) fn interrupt(&self) -> Interruption {
        Interruption {
            stop: self.stop.clone(),
            run: View::clone(self.recorder.run().home()),
            heard: self.state.heard,
        }
    }

    /// Checks whether the person has changed a setting, sent a message or replied.
    pub(super) fn is_spoken_to(&self) -> bool {
        self.live.is_edited() || self.has_messages() || self.stop.has_reply()
    }

    /// Passes the person's messages on to the model.
    pub(super) fn pass_on_messages(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        self.repeat_messages();
        let words = std::mem::replace(&mut self.trail.words, FeedbackWords::Own);
        if !self.has_messages() {
            return Ok(());
        }
        let (said, heard) = match messages::said(self.recorder.run().home(), self.state.heard) {
            Ok(said) => said,
            Err(error) => {
                self.notice(&error.to_string());
                return Ok(());
            }
        };
        // Only an earlier process can have told the model already. A message that the person repeats is told again.
        let told = match words {
            FeedbackWords::Found => format!("\n{}\n", turn.line.feedback),
            FeedbackWords::Own => String::new(),
        };
        for message in said {
            let words = match message.content {
                MessageContent::Text(text) => {
                    let shown = shortened(&text.replace('\n', " "), LONGEST_SHOWN);
                    self.notice(&format!("message to the model: {shown}"));
                    let words = notices::message(&text);
                    self.state.give_message(turn.line.turn, text);
                    Some(words)
                }
                MessageContent::Mode(mode) => self.set_mode(turn, &mode),
            };
            if let Some(words) = words.filter(|words| !told.contains(&format!("\n{words}\n"))) {
                self.tell_model(turn, &words);
            }
        }
        self.state.heard = heard;
        self.keep_told()
    }

    /// Notices messages and edits that came from the person while the model was thinking.
    pub(super) fn hear_person(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        self.look_up_settings();
        self.assign(turn)?;
        self.pass_on_messages(turn)
    }

    /// Adds words to the feedback, and to the copy of it that is repeated after a crash.
    pub(super) fn tell_model(&mut self, turn: &mut Turn, words: &str) {
        let words = [words.to_owned()];
        turn.line.feedback = notices::below(&turn.line.feedback, &words);
        if let Phase::Acted { feedback, .. } = &mut self.state.phase {
            *feedback = notices::below(feedback, &words);
        }
    }

    /// Saves the words for the model, and then the state that marks them as passed on. After a crash in between, FRANZ
    /// finds the messages again but passes them on only once.
    pub(super) fn keep_told(&mut self) -> Result<(), Ending> {
        self.recorder.phase(&self.state.phase)?;
        self.recorder.state(&self.state)
    }
}

/// How often a running action checks whether the person has set a mode.
const HEARING: Duration = Duration::from_millis(50);

/// The signal that interrupts an action.
pub(super) struct Interruption {
    stop: Stop,
    run: View,
    heard: u64,
}

impl Interrupt for Interruption {
    fn is_set(&self) -> bool {
        self.stop.is_set() || messages::is_mode_set(&self.run, self.heard)
    }

    fn sleep(&self, duration: Duration) -> bool {
        let until = Instant::now() + duration;
        loop {
            let rest = until.saturating_duration_since(Instant::now());
            if self.stop.sleep(rest.min(HEARING)) || self.is_set() {
                return true;
            }
            if rest <= HEARING {
                return false;
            }
        }
    }
}
