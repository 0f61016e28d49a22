//! How a dialect writes the end of the work and questions to the person.

use super::said::Said;
use super::{Call, Writer};
use crate::meaning::Means;

impl Writer<'_> {
    /// Writes the call that ends the work, or returns `None` if the family has no such call.
    pub(crate) fn finish(&self, answer: &str, success: bool) -> Option<String> {
        let (said, call) = self.end(answer, success)?;
        let line = self.wrapped(vec![call])?;
        let between = if said.is_empty() { "" } else { "\n" };
        Some(format!("{said}{between}{line}"))
    }

    /// Returns the end of the work as a single JSON value that is a whole reply, or `None` if a reply must be more than
    /// that.
    pub(crate) fn whole_finish(&self, answer: &str, success: bool) -> Option<Said> {
        let (said, call) = self.end(answer, success)?;
        if said.is_empty() { self.whole(vec![call]) } else { None }
    }

    /// Returns the words before the call that ends the work, and that call.
    fn end<'a>(&self, answer: &'a str, success: bool) -> Option<(&'a str, Call)> {
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
        Some((said, Call { verb, args }))
    }

    /// Returns the call that asks the person, or `None` if the family has no such call.
    pub(super) fn question(&self, question: &str) -> Option<Call> {
        let name = self.wording.question?;
        let verb = self.verb(|means| *means == Means::Ask)?;
        let args = vec![(name.to_owned(), Said::text(question))];
        Some(Call { verb, args })
    }
}
