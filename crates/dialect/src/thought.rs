//! Text that is only a model's thought. It is never searched for calls.

use std::borrow::Cow;
use std::ops::Range;

use franz_thought::{ThoughtTag, tags};

use crate::notation::lines;

/// The maximum length of a label, in bytes.
const LONGEST_LABEL: usize = 64;

/// Returns the text with spaces in place of every thought. Line breaks and all positions stay the same.
///
/// Text between tags like `<think>` and `</think>`, or between tokens that stand for them, is a thought. Without the
/// opening tag, everything before the closing one is a thought; without the closing tag, everything after the opening
/// one. A paragraph with a label like `Thought:` is also a thought, up to an empty line or the next label, tag, fence
/// or JSON.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    let untagged = blanked(text, tagged(text));
    let unlabelled = {
        let text = untagged.as_deref().unwrap_or(text);
        blanked(text, labelled(text))
    };
    unlabelled.or(untagged).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Returns the text without the thoughts in tags, which is what the model finally says.
pub(crate) fn stripped(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for thought in tagged(text) {
        left.push_str(&text[at..thought.start]);
        at = thought.end;
    }
    left.push_str(&text[at..]);
    left.truncate(left.trim_end().len());
    left.drain(..left.len() - left.trim_start().len());
    left
}

/// Returns the text with spaces in place of these ranges, which must be in order, or `None` if there are none. A longer
/// character becomes several spaces, because a space is one byte.
pub(crate) fn blanked(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Option<String> {
    let mut ranges = ranges.peekable();
    ranges.peek()?;
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        left.push_str(&text[at..range.start]);
        for c in text[range.clone()].chars() {
            let shown = if matches!(c, '\n' | '\r') { c } else { ' ' };
            left.extend(std::iter::repeat_n(shown, c.len_utf8()));
        }
        at = range.end;
    }
    left.push_str(&text[at..]);
    Some(left)
}

/// Finds the thoughts in tags, in order and without overlap.
pub(crate) fn tagged(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    // If a closing tag has no opening tag, everything before it is a thought.
    let tags: Vec<ThoughtTag> = tags(text).collect();
    let unopened = unopened(&tags);
    let first = (unopened > 0).then_some(0..unopened);
    let mut tags = tags.into_iter().skip_while(move |tag| tag.range.start < unopened);
    let thoughts = std::iter::from_fn(move || {
        let open = tags.find(|tag| !tag.closes)?;
        let end = tags.find(|tag| tag.closes).map_or(text.len(), |tag| tag.range.end);
        Some(open.range.start..end)
    });
    first.into_iter().chain(thoughts)
}

/// Returns where the last closing tag without an opening tag ends.
fn unopened(tags: &[ThoughtTag]) -> usize {
    let (mut open, mut end) = (false, 0);
    for tag in tags {
        if tag.closes && !open {
            end = tag.range.end;
        }
        open = !tag.closes;
    }
    end
}

/// Checks whether the text begins with a tag that opens a thought.
pub(crate) fn opens(text: &str) -> bool {
    tags(text).next().is_some_and(|tag| tag.range.start == 0 && !tag.closes)
}

/// A line that begins with one of these, which open a tag, a fence or JSON, ends a thought.
const BEGINNINGS: [char; 7] = ['<', '`', '~', '{', '[', '\u{ff5b}', '\u{ff3b}'];

/// Finds the paragraphs labelled as thoughts.
fn labelled(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut lines = lines(text);
    let mut start = None;
    std::iter::from_fn(move || {
        for (here, line) in lines.by_ref() {
            let ends = || label(line).is_some() || line.trim().is_empty() || line.trim_start().starts_with(BEGINNINGS);
            let thought = start.take_if(|_| ends());
            if begins_thought(line) {
                start = Some(here);
            }
            if let Some(start) = thought {
                return Some(start..here);
            }
        }
        start.take().map(|start| start..text.len())
    })
}

fn begins_thought(line: &str) -> bool {
    // All labels of thoughts begin with one of these letters. Most lines do not.
    let first = line.trim_start_matches(is_decoration).bytes().next();
    matches!(first, Some(b't' | b'T' | b'r' | b'R')) && label(line).is_some_and(is_label)
}

/// Checks whether this label introduces a thought.
pub(crate) fn is_label(word: &str) -> bool {
    let labels = ["thought", "thoughts", "thinking", "reasoning", "reflection"];
    labels.iter().any(|label| word.eq_ignore_ascii_case(label))
}

/// Returns the word before the colon at the beginning of a line, without the marks around it: `Thought` in
/// `**Thought:** a`.
pub(crate) fn label(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(is_decoration);
    let end = line.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ' '))?;
    let (word, behind) = line.split_at(end);
    let word = word.trim_end_matches(is_decoration);
    let is_label = behind.trim_start_matches(is_decoration).starts_with([':', '\u{ff1a}'])
        && word.starts_with(char::is_alphabetic)
        && word.len() <= LONGEST_LABEL;
    is_label.then_some(word)
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '#' | '_' | '>' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thoughts_are_blanked_where_they_stand() {
        let cases = [
            ("<think>click(1, 2)</think>click(3, 4)", "click(3, 4)"),
            ("click(1, 2)\n</think>\nclick(3, 4)", "click(3, 4)"),
            ("click(3, 4)<think>click(1, 2)", "click(3, 4)"),
            ("<THINK>a</THINK>b<gui_think>c</gui_think>", "b"),
            ("[THINK]a[/THINK]b", "b"),
            ("<think>a<think>b</think>c</think>d", "d"),
            ("<seed:think>a</seed:think>b", "b"),
            ("[think:a]b", "[think:a]b"),
            ("\u{25c1}think\u{25b7}a\u{25c1}/think\u{25b7}b", "b"),
            (
                "a\u{25c1}/think\u{25b7}b \u{25c1} c \u{201c}d\u{201d}",
                "b \u{25c1} c \u{201c}d\u{201d}",
            ),
            ("<|channel>thought\na\n<channel|>\nb", "b"),
            (
                "<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>b<|end|>",
                "<|channel|>final<|message|>b<|end|>",
            ),
            ("<|channel|>analysis<|message|>a", ""),
            ("<think>a <|channel|>analysis<|message|> <|end|>b</think>c", "c"),
            ("a<|end|>", "a<|end|>"),
            ("Thought: click(1, 2)\nclick(1, 2)\n\nclick(3, 4)", "click(3, 4)"),
            ("**Thought:** I click(1, 2)\nAction: click(3, 4)", "Action: click(3, 4)"),
            (
                "Thought：好 click(1, 2)\nActions:\nclick(3, 4)",
                "Actions:\nclick(3, 4)",
            ),
            ("Thought: a\n<tool_call>{}</tool_call>", "<tool_call>{}</tool_call>"),
            ("Thought: a\nb\n {\"c\": 1}", "{\"c\": 1}"),
            ("Thought: a\n[{}]", "[{}]"),
            ("Thought: {a}\nb", ""),
            ("I thought: a", "I thought: a"),
            ("a < think > b", "a < think > b"),
        ];
        for (text, left) in cases {
            let masked = masked(text);
            assert_eq!(masked.trim(), left, "{text}");
            assert_eq!(masked.len(), text.len(), "{text}");
        }
    }

    #[test]
    fn thoughts_are_stripped_from_an_answer() {
        assert_eq!(stripped("<think>hm</think>\n\nDone.\n"), "Done.");
        assert_eq!(stripped("hm</think>Done."), "Done.");
        assert_eq!(stripped("<think>never said"), "");
        assert_eq!(stripped("Thought: this is said"), "Thought: this is said");
    }

    proptest! {
        #[test]
        fn masking_keeps_every_byte_offset(
            text in "(\\PC|\\n|</?think>|\\[think\\]|◁/?think▷|<.channel>thought|<channel.>|Thought:|</a>|é：){0,60}",
        ) {
            let masked = masked(&text);
            prop_assert_eq!(masked.len(), text.len());
            for (at, c) in masked.char_indices() {
                prop_assert!(c == ' ' || text[at..].starts_with(c));
            }
            stripped(&text);
        }
    }
}
