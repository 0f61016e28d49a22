//! What follows a call on the same line.

use super::line::is_emphasis;
use super::name::Name;
use super::quote;
use crate::end_token;

/// What follows a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trailing {
    /// Nothing but marks.
    Nothing,
    /// A remark.
    Comment,
    /// Another call, which begins at `at`. `listed` says whether it is separated by `;` or `,` and not only by
    /// whitespace.
    Call { at: usize, listed: bool },
    /// Something else, which makes the meaning unclear.
    Text,
}

const COMMENTS: [&str; 8] = ["#", "//", "-", "\u{2013}", "\u{2014}", "\u{2192}", ":", "\u{ff1a}"];

/// Classifies what follows a call of this length.
pub(super) fn of(text: &str, length: usize) -> Trailing {
    let mut at = length;
    let (mut apart, mut listed) = (false, false);
    while let Some(rest) = text.get(at..)
        && let Some(c) = rest.chars().next()
    {
        if COMMENTS.iter().any(|comment| rest.starts_with(comment)) {
            return Trailing::Comment;
        }
        let passed = match c {
            _ if c.is_whitespace() => {
                apart = true;
                c.len_utf8()
            }
            ';' | ',' | '\u{ff1b}' | '\u{ff0c}' | '\u{3001}' => {
                listed = true;
                c.len_utf8()
            }
            '.' | '\u{3002}' => c.len_utf8(),
            _ if is_emphasis(c) => c.len_utf8(),
            '(' if !apart => return Trailing::Text,
            '(' | '\u{ff08}' => match quote::remark(rest) {
                Some(length) => length,
                None => return Trailing::Text,
            },
            '<' | '[' => match leaked(rest) {
                Some(length) => length,
                None => return Trailing::Text,
            },
            _ => {
                let name = Name::of(rest).filter(|name| listed || apart && name.tool.is_some());
                return name.map_or(Trailing::Text, |_| Trailing::Call { at, listed });
            }
        };
        at += passed;
    }
    Trailing::Nothing
}

/// Returns the length of a tag that ends a reply or a part of it and that a server let through: `<|im_end|>`,
/// `</answer>`, `[EOS]`.
fn leaked(text: &str) -> Option<usize> {
    end_token::length(text).or_else(|| end_token::named(text, "</", ">"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_after_a_call_is_classified() {
        let call = |at, listed| Trailing::Call { at, listed };
        let cases = [
            ("", Trailing::Nothing),
            ("**.` ", Trailing::Nothing),
            (";", Trailing::Nothing),
            (" <|im_end|>", Trailing::Nothing),
            ("</answer>[EOS]", Trailing::Nothing),
            ("<end_of_turn>", Trailing::Nothing),
            (" <eos>", Trailing::Nothing),
            ("<turn|>", Trailing::Nothing),
            ("<end_of_utterance>", Trailing::Nothing),
            ("<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>", Trailing::Nothing),
            (" (the button, (red))", Trailing::Nothing),
            (" # x", Trailing::Comment),
            ("// x", Trailing::Comment),
            (" -> done", Trailing::Comment),
            (": x", Trailing::Comment),
            (". - x", Trailing::Comment),
            (" \u{2192} x", Trailing::Comment),
            (" wait(1)", call(1, false)),
            ("; wait (1)", call(2, true)),
            (",foo(1)", call(1, true)),
            (" foo(1)", Trailing::Text),
            ("wait(1)", Trailing::Text),
            (".wait(1)", Trailing::Text),
            ("(1)", Trailing::Text),
            (" (open", Trailing::Text),
            (" and wait(1)", Trailing::Text),
            ("[0]", Trailing::Text),
            (" <im_end>", Trailing::Text),
            ("<end_of_turn> and wait(1)", Trailing::Text),
            (")", Trailing::Text),
        ];
        for (behind, wanted) in cases {
            assert_eq!(of(behind, 0), wanted, "{behind}");
        }
    }
}
