//! How a dialect writes the end of the work, and a question to the person.

use super::said::Said;
use super::{Call, Writer};
use crate::meaning::Means;

impl Writer<'_> {
    /// Writes the end of the work; `None` if the family has no word for such an end.
    pub(crate) fn finish(&self, answer: &str, success: bool) -> Option<String> {
        let mut args = Vec::new();
        let verb = match self.wording.status {
            Some([name, succeeded, failed]) => {
                args.push((name.to_owned(), Said::text(if success { succeeded } else { failed })));
                self.verb(|means| *means == Means::Finish(true))?
            }
            None => self.verb(|means| *means == Means::Finish(success))?,
        };
        let said = match self.wording.answer.filter(|_| !self.manner.words_answer) {
            Some(_) if answer.is_empty() => "",
            Some(name) => {
                args.push((name.to_owned(), Said::text(answer)));
                ""
            }
            None if self.manner.words_answer || answer.is_empty() => answer,
            None => return None,
        };
        let line = self.wrapped(vec![Call { verb, args }])?;
        let between = if said.is_empty() { "" } else { "\n" };
        Some(format!("{said}{between}{line}"))
    }

    /// Writes a question to the person; `None` if the family has no word for one.
    pub(crate) fn ask(&self, question: &str) -> Option<String> {
        let name = self.wording.question?;
        let verb = self.verb(|means| *means == Means::Ask)?;
        let args = vec![(name.to_owned(), Said::text(question))];
        self.wrapped(vec![Call { verb, args }])
    }
}
