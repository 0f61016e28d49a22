//! Text that is only a model's thought. It is never searched for calls.

use std::borrow::Cow;
use std::ops::Range;

use franz_thought::{ThoughtTag, tags};

use crate::label::{self, is_decoration};
use crate::notation::lines;

/// Returns the text with spaces in place of every thought. Line breaks and all positions stay the same.
///
/// Text between tags like `<think>` and `</think>`, or between tokens that stand for them, is a thought. Without the
/// opening tag, everything before the closing one is a thought; without the closing tag, everything after the opening
/// one. A paragraph with a label like `Thought:` is also a thought, up to an empty line or the next label, tag, fence
/// or JSON. It also ends at a call that fills the rest of its line, behind `Action:` or in a tag.
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
    let (mut start, mut next, mut last) = (None, None, None);
    std::iter::from_fn(move || {
        if next.is_some() {
            return next.take();
        }
        for (here, line) in lines.by_ref() {
            let ends =
                || label::of(line).is_some() || line.trim().is_empty() || line.trim_start().starts_with(BEGINNINGS);
            let thought = start.take_if(|_| ends()).map(|start| start..here);
            if begins_thought(line) {
                start = Some(here);
            }
            // In front of a line that is labelled as the action, a thought only recalls another one.
            let mut is_last = || {
                last.get_or_insert_with(|| last_action(text))
                    .is_none_or(|last| last < here)
            };
            let before_call = start.and_then(|begin| Some(begin..here + call_behind(line)?));
            let before_call = before_call.filter(|_| is_last());
            start = start.filter(|_| before_call.is_none());
            match thought {
                Some(_) => {
                    next = before_call;
                    return thought;
                }
                None if before_call.is_some() => return before_call,
                None => {}
            }
        }
        start.take().map(|start| start..text.len())
    })
}

/// The tags and tokens before a call that can follow a thought on its line.
const ENVELOPES: [&str; 10] = [
    "<tool_call>",
    "<seed:tool_call>",
    "<function=",
    "<action>",
    "<|begin_of_box|>",
    "<|tool_call_start|>",
    "<|tool_calls_section_begin|>",
    "<|START_ACTION|>",
    "[TOOL_CALLS]",
    "[TOOL_REQUEST]",
];

/// Returns where the call behind a thought begins, if nothing but calls follows on the line.
fn call_behind(line: &str) -> Option<usize> {
    enveloped_behind(line).or_else(|| action_behind(line))
}

/// Returns where the last calls in tags begin, if nothing follows them. The last call can go on below.
fn enveloped_behind(line: &str) -> Option<usize> {
    let opens = ENVELOPES
        .iter()
        .flat_map(|open| line.match_indices(open).take(MOST_ENVELOPES));
    let mut opens: Vec<(usize, &str)> = opens.collect();
    opens.sort_unstable();
    let mut begin = opens.first()?.0;
    for (at, _) in &opens {
        let between = line.get(begin..*at).unwrap_or_default().trim_end();
        if !between.ends_with(['>', ']', '}', '=']) {
            begin = *at;
        }
    }
    let (last, open) = opens.last().filter(|_| opens.len() < MOST_ENVELOPES)?;
    let inside = line.get(last + open.len()..)?.trim_end();
    (inside.is_empty() || begins_call(inside) && ends_call(inside)).then_some(begin)
}

/// The maximum number of calls in tags on a thought's line. No honest line has more.
const MOST_ENVELOPES: usize = 64;

/// Checks whether the text behind a tag or token can begin a call.
fn begins_call(inside: &str) -> bool {
    let behind = inside.trim_start_matches(is_of_name);
    let named = behind.len() < inside.len() && (behind.is_empty() || behind.starts_with(['(', '[', '{', '<', '>']));
    let inside = inside.trim_start();
    named || begins_name(inside) || inside.starts_with(['{', '[', '<', '\u{ff5b}'])
}

/// Checks whether nothing follows the call in this text.
fn ends_call(inside: &str) -> bool {
    let closed = inside.rfind("</").map(|close| &inside[close..]);
    let is_last = |closed: &str| closed.find('>') == Some(closed.len() - 1);
    let marks = ['>', ')', '}', ']', '{', '[', ',', '"', '\u{ff5d}', '\u{ff09}'];
    closed.is_none_or(is_last) && (inside.ends_with(marks) || !inside.contains(char::is_whitespace))
}

/// Returns where the last `Action:` in a line begins, if it follows a sentence and precedes only calls.
fn action_behind(line: &str) -> Option<usize> {
    let (at, colon) = line.rmatch_indices([':', '\u{ff1a}']).find(|(at, _)| {
        let before = &line[..*at];
        LABELS.iter().any(|label| before.ends_with(label))
    })?;
    let before = &line[..at];
    let word = LABELS.iter().find(|label| before.ends_with(**label))?;
    let said = before[..before.len() - word.len()].trim_end_matches(|c: char| is_decoration(c) || c == '`');
    let call = line[at + colon.len()..].trim_start_matches(|c: char| is_decoration(c) || c == '`');
    let call = call.trim_end_matches(|c: char| (is_decoration(c) && c != '>') || matches!(c, '`' | '.' | ';'));
    let ends = call.ends_with([')', '\u{ff09}']) || CLOSES.iter().any(|close| call.ends_with(close));
    let sentence = said.ends_with([
        '.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}', ')', '"', ';', '\u{ff1b}',
    ]);
    (sentence && ends && begins_name(call)).then_some(said.len())
}

/// What can end the line behind its last call: tokens that end a part of a reply or all of it.
const CLOSES: [&str; 5] = ["|>", "</s>", "<eos>", "<end_of_turn>", "<end_of_utterance>"];

/// The labels of a call within a line.
const LABELS: [&str; 6] = [
    "Action",
    "ACTION",
    "\u{52a8}\u{4f5c}",
    "\u{64cd}\u{4f5c}",
    "\u{884c}\u{52a8}",
    "\u{6267}\u{884c}",
];

/// Checks whether a name and an opening bracket begin the text.
fn begins_name(text: &str) -> bool {
    let behind = text.trim_start_matches(|c| is_of_name(c) || c == '.');
    behind.len() < text.len() && behind.starts_with(['(', '\u{ff08}'])
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns where the last line begins that starts with a label which announces actions, or with a call in a tag.
fn last_action(text: &str) -> Option<usize> {
    let is_enveloped = |line: &str| ENVELOPES.iter().any(|open| line.trim_start().starts_with(open));
    let begins_action = |line: &str| label::of(line).is_some_and(label::is_action) || is_enveloped(line);
    let last = lines(text).filter(|(_, line)| begins_action(line)).last();
    last.map(|(at, _)| at)
}

fn begins_thought(line: &str) -> bool {
    // All labels of thoughts begin with one of these letters, or with these bytes of Chinese. Most lines do not.
    let first = line.trim_start_matches(is_decoration).bytes().next();
    matches!(first, Some(b't' | b'T' | b'r' | b'R' | 0xe5 | 0xe6)) && label::of(line).is_some_and(label::is_thought)
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
            (
                "<|open|>think<|sep|>a<|close|>think<|sep|><|open|>response<|sep|>b",
                "<|open|>response<|sep|>b",
            ),
            ("a<|close|>think<|sep|>b", "b"),
            (" to=self<|message|>a<|eom|>b<|eom|>", "b<|eom|>"),
            ("a<unused95>", "a<unused95>"),
            ("<nothink>a", "<nothink>a"),
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
            ("Thought: I click. Action: b(c='(1,2)')", "Action: b(c='(1,2)')"),
            (
                "Thought: I click. **Action:** `b(1)`.\nc(2)",
                "**Action:** `b(1)`.\nc(2)",
            ),
            (
                "\u{601d}\u{8003}\u{ff1a}\u{597d}\u{3002}\u{52a8}\u{4f5c}\u{ff1a}b(1)",
                "\u{52a8}\u{4f5c}\u{ff1a}b(1)",
            ),
            (
                "\u{601d}\u{8003}\u{ff1a}b(1)\n\u{52a8}\u{4f5c}\u{ff1a}c(2)",
                "\u{52a8}\u{4f5c}\u{ff1a}c(2)",
            ),
            (
                "Thought: a <tool_call>{\"b\": 1}</tool_call>",
                "<tool_call>{\"b\": 1}</tool_call>",
            ),
            ("Thought: a <tool_call>\n{\"b\": 1}", "<tool_call>\n{\"b\": 1}"),
            ("Thought: a <tool_call>b<arg_key>", "<tool_call>b<arg_key>"),
            (
                "Thought: a <function=b></function><function=c></function>",
                "<function=b></function><function=c></function>",
            ),
            (
                "Thought: a <|begin_of_box|>b(1)<|end_of_box|>",
                "<|begin_of_box|>b(1)<|end_of_box|>",
            ),
            (
                "Thought: I see it. Action: b(1)<end_of_turn>",
                "Action: b(1)<end_of_turn>",
            ),
            (
                "Thought: I see it. Action: b(1)<end_of_utterance>\n",
                "Action: b(1)<end_of_utterance>",
            ),
            ("Thought: I see it. Action: b(1)<eos>", "Action: b(1)<eos>"),
            // These calls are only talked about.
            ("Thought: my last Action: b(1)", ""),
            (
                "Thought: I wrote <tool_call>{}</tool_call>\nIt failed.\n<tool_call>{1}</tool_call>",
                "<tool_call>{1}</tool_call>",
            ),
            ("Thought: I did it. Action: b(1) failed.", ""),
            (
                "Thought: I did it. Action: b(1)\nIt failed.\nAction: c(2)",
                "Action: c(2)",
            ),
            ("Thought: I write <tool_call> tags.", ""),
            ("Thought: I wrote <tool_call>{}</tool_call> before.", ""),
            (
                "Thought: I wrote <tool_call>{}</tool_call>, so <tool_call>{\"a\": 1}</tool_call>",
                "<tool_call>{\"a\": 1}</tool_call>",
            ),
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
