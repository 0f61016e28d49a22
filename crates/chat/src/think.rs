//! Finds think blocks: the parts of a reply in which the model reasoned before it answered.
//!
//! A block extends from a tag like `<think>` to the next tag like `</think>` ([`franz_thought`]). Servers that put
//! the opening tag into the prompt send replies without it. Such a block begins at the start of the text or after the
//! previous block. If a reply was cut off while the model was reasoning, the block extends to its end.

use std::ops::Range;

use franz_thought::tags;

/// Returns whether text contains a think block.
pub(crate) fn is_in(text: &str) -> bool {
    !blocks(text).is_empty()
}

/// Returns the text without its think blocks.
///
/// The white space after a block is removed with it. Words on either side of a block stay apart, so that they cannot
/// form a new tag.
pub(crate) fn without(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for block in blocks(text) {
        join(&mut rest, &text[from..block.start]);
        from = block.end;
    }
    join(&mut rest, &text[from..]);
    rest
}

/// Returns the ranges of the blocks, in order and without overlaps.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut only_thought = true;
    let mut from = 0;
    let mut open = None;
    for tag in tags(text) {
        if !tag.closes {
            open = open.or(Some(tag.range.start));
            continue;
        }
        let start = open.take().unwrap_or(from);
        only_thought &= is_blank(&text[from..start]);
        from = tag.range.end;
        blocks.push(start..from);
    }
    // An unclosed block counts only if nothing but think blocks comes before it. Elsewhere, an opening tag without a
    // closing tag is ordinary text.
    if only_thought && open.is_some_and(|open| is_blank(&text[from..open])) {
        blocks.push(from..text.len());
    }
    blocks
}

fn join(rest: &mut String, piece: &str) {
    let piece = piece.trim_start();
    let apart = rest.is_empty() || rest.ends_with(char::is_whitespace);
    if !apart && !piece.is_empty() {
        rest.push('\n');
    }
    rest.push_str(piece);
}

fn is_blank(text: &str) -> bool {
    text.trim_start().is_empty()
}

#[cfg(test)]
mod tests {
    use super::{blocks, is_in, without};
    use franz_thought::LONGEST_NAME;
    use proptest::prelude::*;

    #[test]
    fn blocks_are_found_and_cut() {
        let cases = [
            ("", 0, ""),
            ("plain <b>text</b>", 0, "plain <b>text</b>"),
            ("<think>a</think>\n\nDone.", 1, "Done."),
            ("<THINK>a</Think>Done.", 1, "Done."),
            ("a</think> Done.", 1, "Done."),
            ("Well. <think>a</think> Done.", 1, "Well. Done."),
            ("Well.<think>a</think>Done.", 1, "Well.\nDone."),
            ("<think>a</think>One<think>b</think> two", 2, "One\ntwo"),
            ("<think>a <think> b</think>Done.", 1, "Done."),
            ("<think>a</think> b</think>Done.", 2, "Done."),
            ("<think>cut off in the mid", 1, ""),
            ("<think>a</think>\n<think>cut", 2, ""),
            ("A <think> tag.", 0, "A <think> tag."),
            ("é<think>ü</think>ß", 1, "é\nß"),
            ("</thi<think>x</think>nk>", 1, "</thi\nnk>"),
            ("İ<think>x</think>", 1, "İ"),
            ("[THINK]a[/THINK]Done.", 1, "Done."),
            ("<thought>a</thought><Thoughts>b</Thoughts> Done.", 2, "Done."),
            ("<reasoning>a</reasoning>[reflection]b[/reflection]Done.", 2, "Done."),
            ("<gui_thinking2>a</gui_thinking2>Done.", 1, "Done."),
            ("a[/reasoning]Done.", 1, "Done."),
            ("<think>a</thinking>Done.", 1, "Done."),
            ("[reasoning]cut off in the mid", 1, ""),
            ("I [think] so.", 0, "I [think] so."),
            ("<think]a[/think>b", 0, "<think]a[/think>b"),
            (
                "<thought process>a</thought process>b",
                0,
                "<thought process>a</thought process>b",
            ),
            ("<afterthought>a</afterthought>b", 0, "<afterthought>a</afterthought>b"),
            ("[/thi<think>x</think>nk]", 1, "[/thi\nnk]"),
            ("<seed:think>a</seed:think>b", 1, "b"),
            ("\u{25c1}think\u{25b7}a\u{25c1}/think\u{25b7}b", 1, "b"),
            ("<|channel>thought\na\n<channel|>\nb", 1, "b"),
            ("<|channel|>analysis<|message|>a<|end|>b<|end|>", 1, "b<|end|>"),
            ("a<|end|>", 0, "a<|end|>"),
            ("to=self<|message|>a<|eom|>b", 1, "b"),
            ("<nothink>a", 0, "<nothink>a"),
            ("< think >a</ think>b", 0, "< think >a</ think>b"),
        ];
        for (text, found, rest) in cases {
            assert_eq!(blocks(text).len(), found, "{text}");
            assert_eq!(is_in(text), found > 0, "{text}");
            assert_eq!(without(text), rest, "{text}");
        }
    }

    #[test]
    fn many_tags_are_removed_in_linear_time() {
        let long = format!("<{}", "think".repeat(LONGEST_NAME));
        let tags = [
            "<think>",
            "</think>",
            "</thi<think></think>nk>",
            "<think></think>",
            "[think]",
            "[/THINK]",
            "\u{25c1}think\u{25b7}",
            "<|channel|>analysis<|message|><|end|>",
            "to=self<|message|><|eom|>",
            "<[",
            "</thinking",
            &long,
        ];
        for tag in tags {
            let text = tag.repeat(500_000 / tag.len());
            assert!(!is_in(&without(&text)), "{tag}");
        }
    }

    proptest! {
        #[test]
        fn cutting_blocks_never_creates_another(
            text in prop::collection::vec(
                prop_oneof![
                    Just("<think>"), Just("</think>"), Just("</THINK>"), Just("</thi"), Just("<thi"), Just("nk>"), Just(" "),
                    Just("\n"), Just("x"), Just("é"), Just("<"), Just("["), Just("[THINK]"), Just("[/THINK]"), Just("[/thi"),
                    Just("nk]"), Just("<thought>"), Just("</thought>"), Just("</gui_thinking>"), Just("[/reasoning]"),
                    Just("<|channel>thought"), Just("<channel|>"), Just("<|channel|>analysis<|message|>"), Just("<|end|>"),
                    Just("\u{25c1}think\u{25b7}"), Just("\u{25c1}/think\u{25b7}"), Just("</seed:think>"),
                ],
                0..20,
            ).prop_map(|pieces| pieces.concat()),
        ) {
            let tags = [
                "</think>", "[/think]", "</thought>", "</gui_thinking>", "[/reasoning]", "<channel|>",
                "\u{25c1}/think\u{25b7}", "</seed:think>",
            ];
            let closers = |text: &str| tags.iter().map(|tag| text.to_lowercase().matches(tag).count()).sum::<usize>();
            let rest = without(&text);
            prop_assert_eq!(closers(&rest), 0);
            prop_assert!(rest.len() <= text.len());
        }
    }
}
