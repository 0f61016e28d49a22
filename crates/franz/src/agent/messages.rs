//! Messages: what the person says to the model. It is told with the next feedback, and again until a reply came.

use franz_dialect::plan::shortened;
use franz_record::{Phase, messages};

use super::{Agent, Turn, notices};
use crate::stop::Ending;

/// How many characters of a message the person sees when it is told.
const LONGEST_SHOWN: usize = 200;

impl Agent {
    /// Checks whether the person has said something that the model was not told yet.
    pub(super) fn has_messages(&self) -> bool {
        messages::is_said(self.recorder.run().home(), self.state.heard)
    }

    /// Checks whether the person has changed a setting or said something.
    pub(super) fn is_spoken_to(&self) -> bool {
        self.live.is_edited() || self.has_messages() || self.stop.has_reply()
    }

    /// Tells the model what the person has said.
    pub(super) fn pass_on_messages(&mut self, turn: &mut Turn) -> Result<(), Ending> {
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
        // The turn may be one that ended before its state was written: then it was told already.
        let told = format!("\n{}\n", turn.line.feedback);
        for message in said {
            let text = shortened(&message.text.replace('\n', " "), LONGEST_SHOWN);
            self.notice(&format!("the model is told: {text}"));
            let words = notices::message(&message.text);
            if !told.contains(&format!("\n{words}\n")) {
                self.tell_model(turn, &words);
            }
            self.state.give_message(turn.line.turn, message.text);
        }
        self.state.heard = heard;
        self.keep_told()
    }

    /// Takes up what the person has said or changed while the model was thinking.
    pub(super) fn hear_person(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        self.look_up_settings();
        self.assign(turn)?;
        self.pass_on_messages(turn)
    }

    /// Adds words to what the model is told, and to what it is told again after a crash.
    pub(super) fn tell_model(&mut self, turn: &mut Turn, words: &str) {
        let words = [words.to_owned()];
        turn.line.feedback = notices::below(&turn.line.feedback, &words);
        if let Phase::Acted { feedback, .. } = &mut self.state.phase {
            *feedback = notices::below(feedback, &words);
        }
    }

    /// Keeps what the model is told. It is written before the state, which says that it was: after a crash in between, the
    /// words are found again and told once.
    pub(super) fn keep_told(&mut self) -> Result<(), Ending> {
        self.recorder.phase(&self.state.phase)?;
        self.recorder.state(&self.state)
    }
}
