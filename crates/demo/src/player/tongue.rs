//! Writes actions the way a family's models write them.

use franz_action::{Action, Point};
use franz_dialect::Family;
use serde_json::Value;

use crate::aim::Aim;
use crate::speech::SpokenCall;

/// A family, and how its model converts positions into numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tongue<'a> {
    pub(crate) family: &'a Family,
    pub(crate) aim: Aim,
}

impl Tongue<'_> {
    /// Checks whether the family writes FRANZ's own calls.
    pub(crate) fn speaks_own(&self) -> bool {
        self.family.dialect.name == "franz"
    }

    /// Checks whether the family can write a drag.
    pub(crate) fn drags(&self) -> bool {
        let middle = Point::clamped(500, 500);
        self.line(&Action::drag(middle, middle)).is_some()
    }

    /// Writes an action; `None` if the family cannot express it.
    pub(crate) fn line(&self, action: &Action) -> Option<String> {
        if self.speaks_own() {
            return Some(self.aim.call(action));
        }
        let put = |at: &Point| self.aim.point(self.aim.numbers(*at)).unwrap_or(*at);
        let placed = match action {
            Action::Drag(path) => Action::Drag(path.map(put)),
            other => match other.pointer() {
                Some(at) => other.clone().placed(put(&at)),
                None => other.clone(),
            },
        };
        let line = self.family.line(&placed, &self.aim.geometry())?;
        Some(numbers(&line, |number| self.aim.written(number.max(0.0))))
    }

    /// Returns a call that changes nothing: it looks, waits, or only moves the pointer.
    pub(crate) fn look(&self) -> Option<String> {
        let waits = [1.0, 2.0, 3.0, 5.0, 20.0].map(Action::Wait);
        let look = std::iter::once(Action::Observe).chain(waits);
        let harmless = look.chain([Action::Move(Point::clamped(500, 500))]);
        harmless.into_iter().find_map(|action| self.line(&action))
    }

    /// Returns the text that ends the task.
    pub(crate) fn finish(&self, answer: &str, success: bool) -> String {
        if self.speaks_own() {
            return format!("finish(answer={}, success={success})", Value::from(answer));
        }
        let line = |answer| self.family.finish_line(answer, success);
        line(answer).or_else(|| line("")).unwrap_or_else(|| answer.to_owned())
    }
}

/// Converts a written call to a function call if it is an object that names a function.
pub(crate) fn native(line: &str) -> Option<SpokenCall> {
    let (start, end) = (line.find('{')?, line.rfind('}')?);
    let object: Value = serde_json::from_str(line.get(start..=end)?).ok()?;
    let call = object.get("tool_call").unwrap_or(&object);
    if let (Some(name), Some(arguments)) = (call["name"].as_str(), call.get("arguments")) {
        return Some(SpokenCall {
            name: name.to_owned(),
            arguments: arguments.to_string(),
        });
    }
    let mut arguments = call.as_object()?.clone();
    let name = arguments.remove("tool_name")?;
    Some(SpokenCall {
        name: name.as_str()?.to_owned(),
        arguments: Value::from(arguments).to_string(),
    })
}

/// Rewrites every number in a call.
fn numbers(line: &str, written: impl Fn(f64) -> String) -> String {
    let mut all = String::with_capacity(line.len());
    for piece in pieces(line) {
        match piece {
            Ok(number) => all.push_str(&written(number)),
            Err(text) => all.push_str(text),
        }
    }
    all
}

/// Splits a call into its numbers and the text between them. A number inside a word is part of the word.
pub(crate) fn pieces(line: &str) -> Vec<Result<f64, &str>> {
    let mut found = Vec::new();
    let (mut from, mut at) = (0, 0);
    let bytes = line.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    while at < bytes.len() {
        let begins = (bytes[at].is_ascii_digit() || bytes[at] == b'-')
            && !at.checked_sub(1).is_some_and(|before| is_part(&bytes[before]));
        let length = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
            .count();
        let text = line.get(at..at + length).unwrap_or_default();
        match text.parse() {
            Ok(number) if begins && !bytes.get(at + length).is_some_and(is_part) => {
                found.push(Err(line.get(from..at).unwrap_or_default()));
                found.push(Ok(number));
                from = at + length;
            }
            _ => {}
        }
        at += length.max(1);
    }
    found.push(Err(line.get(from..).unwrap_or_default()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_distinguished_from_words() {
        for (line, wanted) in [
            ("click(start_box='(1,22.5)')", vec![1.0, 22.5]),
            ("a1 b_2 3c 4", vec![4.0]),
            ("x=-0.25, y=7.", vec![-0.25, 7.0]),
            ("{\"point_2d\": [1, 2]} 2026-11-23", vec![1.0, 2.0]),
            ("", vec![]),
        ] {
            let found: Vec<f64> = pieces(line).into_iter().filter_map(Result::ok).collect();
            assert_eq!(format!("{found:?}"), format!("{wanted:?}"), "{line}");
            let again = pieces(line)
                .into_iter()
                .map(|piece| piece.map_or_else(str::to_owned, |_| "#".to_owned()));
            assert_eq!(again.filter(|piece| piece == "#").count(), wanted.len());
        }
    }

    #[test]
    fn objects_become_functions() {
        let spoken = |line| native(line).map(|call| (call.name, call.arguments));
        let wanted = |name: &str, arguments: &str| Some((name.to_owned(), arguments.to_owned()));
        let line = "<tool_call>{\"name\": \"computer_use\", \"arguments\": {\"action\": \"wait\"}}</tool_call>";
        assert_eq!(spoken(line), wanted("computer_use", "{\"action\":\"wait\"}"));
        let line = "{\"note\": null, \"tool_call\": {\"tool_name\": \"answer\", \"content\": \"a\"}}";
        assert_eq!(spoken(line), wanted("answer", "{\"content\":\"a\"}"));
        assert_eq!(spoken("Action: click(start_box='(1,2)')"), None);
    }
}
