//! Fenced blocks in a reply: which one to run, and how many there are.

use std::borrow::Cow;
use std::ops::Range;

use crate::thought;

/// The block that a reply wants to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoundBlock<'a> {
    /// There is none.
    Nothing,
    /// It does not end, so part of it might be missing.
    Unclosed,
    Block(Block<'a>),
}

/// The contents of a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// Its source, without the indentation of the fence.
    pub(crate) source: Cow<'a, str>,
    /// Its lines exactly as in the reply.
    body: &'a str,
    start: usize,
    indent: &'a str,
}

impl<'a> Block<'a> {
    fn new(reply: &'a str, fence: &Fence<'a>) -> Block<'a> {
        let body = &reply[fence.body.clone()];
        Block {
            source: outdented(body, fence.indent),
            body,
            start: fence.body.start,
            indent: fence.indent,
        }
    }

    /// Returns where in the reply a line of the source is.
    pub(crate) fn line_in_reply(&self, number: usize) -> Range<usize> {
        let mut lines = self.body.split_inclusive('\n');
        let start = self.start + lines.by_ref().take(number).map(str::len).sum::<usize>();
        start..start + lines.next().map_or(0, |line| line.trim_end().len())
    }

    /// Converts a byte position in the source into one in the reply.
    pub(crate) fn in_reply(&self, at: usize) -> usize {
        let (mut place, mut left) = (self.start, at);
        for line in self.body.split_inclusive('\n') {
            let kept = line.strip_prefix(self.indent).unwrap_or(line).len();
            if left < kept {
                return place + line.len() - kept + left;
            }
            left -= kept;
            place += line.len();
        }
        place
    }
}

/// A fence and its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fence<'a> {
    /// The first word after the opening marks.
    label: &'a str,
    /// Where in the reply the lines inside the fence are.
    body: Range<usize>,
    indent: &'a str,
    closed: bool,
}

impl Fence<'_> {
    fn is_python(&self) -> bool {
        ["python", "py"]
            .iter()
            .any(|label| self.label.eq_ignore_ascii_case(label))
    }
}

/// Finds the first block marked `python` or `py`. If no block is marked and there is only one, finds that one. Also
/// returns the number of marked blocks.
pub(crate) fn find(reply: &str) -> (FoundBlock<'_>, usize) {
    let (mut first, mut wanted): (Option<Fence<'_>>, Option<Fence<'_>>) = (None, None);
    let (mut all, mut marked) = (0_usize, 0);
    for fence in fences(reply) {
        all += 1;
        if fence.is_python() {
            marked += 1;
            wanted.get_or_insert(fence);
        } else {
            first.get_or_insert(fence);
        }
    }
    let wanted = wanted.or(first.filter(|only| all == 1 && only.label.is_empty()));
    let found = match wanted {
        Some(fence) if fence.closed => FoundBlock::Block(Block::new(reply, &fence)),
        unclosed => match beside_words(reply) {
            Some(fence) => FoundBlock::Block(Block::new(reply, &fence)),
            None if unclosed.is_some() => FoundBlock::Unclosed,
            None => FoundBlock::Nothing,
        },
    };
    (found, marked)
}

/// Finds the only block marked `python` whose fence marks are on the same line as words or code.
fn beside_words(reply: &str) -> Option<Fence<'_>> {
    let masked = thought::masked(reply);
    let count = |word: &str| masked.match_indices(word).count();
    if count("```python") + count("```py\n") != 1 || masked.len() != reply.len() {
        return None;
    }
    let opening = masked.find("```py")?;
    let line = line_at(&masked, opening);
    let label = line.trim_start_matches('`').trim();
    let start = opening + line.len();
    let length = masked.get(start..)?.find("```")?;
    let body = start..start + length;
    (["python", "py"].contains(&label) && !masked.get(body.clone())?.trim().is_empty()).then_some(Fence {
        label: "python",
        body,
        indent: "",
        closed: true,
    })
}

/// Iterates over the fences outside thoughts. A tag opens a thought only at the beginning of a line. Later in the line
/// it is part of a sentence, and inside a fence it is code.
fn fences(reply: &str) -> impl Iterator<Item = Fence<'_>> {
    let mut thoughts = thought::tagged(reply).peekable();
    let (mut at, mut next) = (0, 0);
    std::iter::from_fn(move || {
        while at < reply.len() {
            // Do not scan a line with many thoughts again after each thought.
            if at >= next {
                next = at + line_at(reply, at).len();
            }
            let line = &reply[at..next];
            let begins = next - line.trim_start().len();
            while thoughts.next_if(|thought| thought.end <= at).is_some() {}
            let thinks = at == 0 || thought::opens(line.trim_start());
            if let Some(thought) = thoughts.next_if(|thought| thinks && thought.contains(&begins)) {
                at = thought.end;
            } else if let Some(opening) = Opening::of(line) {
                let (body, after, closed) = body(reply, next, &opening);
                at = after;
                return Some(Fence {
                    label: opening.label,
                    body,
                    indent: opening.indent,
                    closed,
                });
            } else {
                at = next;
            }
        }
        None
    })
}

/// Returns the line that starts here, including its line break.
fn line_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest.find(['\n', '\r']).map_or(rest.len(), |end| {
        end + if rest[end..].starts_with("\r\n") { 2 } else { 1 }
    });
    &rest[..end]
}

/// The line that opens a fence.
struct Opening<'a> {
    indent: &'a str,
    mark: char,
    count: usize,
    label: &'a str,
}

impl<'a> Opening<'a> {
    fn of(line: &'a str) -> Option<Opening<'a>> {
        let text = line.trim_start();
        let indent = &line[..line.len() - text.len()];
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let count = text.len() - info.len();
        if count < 3 || mark == '`' && info.contains('`') {
            return None;
        }
        let mut word = info
            .trim_start()
            .split(|c: char| c.is_whitespace() || matches!(c, '{' | ',' | ':'));
        Some(Opening {
            indent,
            mark,
            count,
            label: word.next().unwrap_or_default(),
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.count && text.chars().all(|mark| mark == self.mark)
    }
}

/// Returns the range of lines up to the closing mark, where the reply continues after it, and whether there is a
/// closing mark.
fn body(reply: &str, start: usize, opening: &Opening<'_>) -> (Range<usize>, usize, bool) {
    let mut at = start;
    while at < reply.len() {
        let line = line_at(reply, at);
        if opening.is_closed_by(line) {
            return (start..at, at + line.len(), true);
        }
        at += line.len();
    }
    (start..at, at, false)
}

/// Removes the fence's own indentation from the lines that have it.
fn outdented<'a>(body: &'a str, indent: &str) -> Cow<'a, str> {
    if indent.is_empty() {
        return Cow::Borrowed(body);
    }
    let mut outdented = String::with_capacity(body.len());
    for line in body.split_inclusive('\n') {
        outdented.push_str(line.strip_prefix(indent).unwrap_or(line));
    }
    Cow::Owned(outdented)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(reply: &str) -> Option<String> {
        match find(reply).0 {
            FoundBlock::Block(block) => Some(block.source.into_owned()),
            FoundBlock::Nothing | FoundBlock::Unclosed => None,
        }
    }

    #[test]
    fn a_line_of_many_thoughts_is_scanned_once() {
        // With two million bytes, scanning again after each thought would take minutes.
        for thought in ["<think>a</think>", "<think></think>", "<think>a</think> ", "</think>"] {
            let reply = thought.repeat(2_000_000 / thought.len()) + "\n```python\nx\n```\n";
            assert_eq!(find(&reply).1, 1, "{thought}");
        }
    }

    #[test]
    fn code_blocks_are_found_in_every_format() {
        let cases = [
            ("text\n```python\na\nb\n```\nmore", "a\nb\n"),
            ("```PY\na\n```", "a\n"),
            ("``` python title=x\na\n```", "a\n"),
            ("```python {.line}\na\n```", "a\n"),
            ("~~~python\n```\n~~~", "```\n"),
            ("````python\n```\na\n````", "```\na\n"),
            ("```python\r\na\r\n```\r\n", "a\r\n"),
            ("- item\n  ```python\n  if a:\n    b\n  ```", "if a:\n  b\n"),
            ("\t```python\n\ta\n\t```", "a\n"),
            ("```\na\n```", "a\n"),
            ("```json\n{}\n```\n```python\na\n```", "a\n"),
            ("```python\n```", ""),
            ("```python\na\n```   ", "a\n"),
            (
                "```python\ntype(\"\"\"```x```\"\"\")\n```",
                "type(\"\"\"```x```\"\"\")\n",
            ),
        ];
        for (reply, source) in cases {
            assert_eq!(block(reply).as_deref(), Some(source), "{reply:?}");
        }
    }

    #[test]
    fn text_without_a_closed_python_block_is_not_a_block() {
        for reply in [
            "",
            "left_click(1, 2)",
            "```\na\n```\n```\nb\n```",
            "```json\n{}\n```",
            "```python left_click(1, 2)```",
            "``python\na\n``",
        ] {
            assert_eq!(find(reply), (FoundBlock::Nothing, 0), "{reply:?}");
        }
        assert_eq!(find("```python\na"), (FoundBlock::Unclosed, 1));
        assert_eq!(find("```python\na\n~~~\n``"), (FoundBlock::Unclosed, 1));
    }

    #[test]
    fn thoughts_are_not_searched() {
        let real = "```python\nreal\n```";
        for thoughts in [
            "<think>\n```python\nno\n```\n</think>\n",
            "```python\nno\n```\n</think>\n",
            "```python\nno\n</think>\n",
            "Hm.\n<think>\n```python\nno\n```\n</think>\n",
            "I <think> so.\n<think>\n```python\nno\n```\n</think>\n",
            "  [THINK]\n```python\nno\n```\n[/THINK]\n",
            "\n```python\nno\n```\n</thinking>\n",
        ] {
            assert_eq!(
                block(&format!("{thoughts}{real}")).as_deref(),
                Some("real\n"),
                "{thoughts:?}"
            );
        }
        assert_eq!(find(&format!("<think>\n{real}")).0, FoundBlock::Nothing);
        assert_eq!(find(&format!("{real}\nI <think> so.\n{real}")).1, 2);
    }

    proptest! {
        #[test]
        fn any_reply_is_searched_without_a_panic(
            parts in prop::collection::vec(
                prop::sample::select(vec!["```", "```python", "~~~py", "\n", "\r\n", "<think>", "</think>", " ", "\u{e9}", "a()"]),
                0..30,
            )
        ) {
            let reply = parts.concat();
            find(&reply);
        }
    }
}
