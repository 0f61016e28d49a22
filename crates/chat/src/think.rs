//! Think blocks: the parts of a reply in which the model reasoned before it spoke.
//!
//! A block runs from `<think>` to the next `</think>`, in any case. Servers that put the opening tag into the prompt send
//! replies in which it is missing: what such a tag would open begins where the text, or the block before, left off.
//! A reply that was cut off while the model reasoned is one block to its end.

use std::ops::Range;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// How many think blocks a text has.
pub(crate) fn count(text: &str) -> usize {
    blocks(text).len()
}

/// The text without its first blocks, of which there are to be that many.
///
/// The blanks behind a block go with it. Where a block stood between two words they stay apart, so that no new tag comes
/// of what was left and right of it.
pub(crate) fn without_first(text: &str, blocks_to_cut: usize) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for block in blocks(text).into_iter().take(blocks_to_cut) {
        join(&mut rest, &text[from..block.start]);
        from = block.end;
    }
    join(&mut rest, &text[from..]);
    rest
}

/// Where the blocks are, in order, none within another.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut blocks = Vec::new();
    let mut only_thought = true;
    let mut from = 0;
    while let Some(close) = lower[from..].find(CLOSE) {
        let close = from + close;
        let start = lower[from..close].find(OPEN).map_or(from, |open| from + open);
        only_thought &= is_blank(&lower[from..start]);
        from = close + CLOSE.len();
        blocks.push(start..from);
    }
    // Behind words of its own a lone tag is a word like any other.
    if only_thought && lower[from..].trim_start().starts_with(OPEN) {
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
    use super::{count, without_first};
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
        ];
        for (text, blocks, rest) in cases {
            assert_eq!(count(text), blocks, "{text}");
            assert_eq!(without_first(text, blocks), rest, "{text}");
        }
        assert_eq!(
            without_first("<think>a</think>b<think>c</think>", 1),
            "b<think>c</think>"
        );
    }

    #[test]
    fn many_tags_take_no_time() {
        for tag in ["<think>", "</think>", "</thi<think></think>nk>", "<think></think>"] {
            let text = tag.repeat(100_000);
            assert_eq!(count(&without_first(&text, usize::MAX)), 0, "{tag}");
        }
    }

    proptest! {
        #[test]
        fn what_is_cut_is_gone_and_nothing_new_comes_of_it(
            text in prop::collection::vec(
                prop_oneof![
                    Just("<think>"), Just("</think>"), Just("</THINK>"), Just("</thi"), Just("<thi"), Just("nk>"), Just(" "),
                    Just("\n"), Just("x"), Just("é"), Just("<"),
                ],
                0..20,
            ).prop_map(|pieces| pieces.concat()),
            cut in 0..6_usize,
        ) {
            let closers = |text: &str| text.to_lowercase().matches("</think>").count();
            let rest = without_first(&text, cut);
            prop_assert_eq!(closers(&rest), closers(&text).saturating_sub(cut));
            prop_assert!(rest.len() <= text.len());
            if cut >= count(&text) {
                prop_assert_eq!(closers(&rest), 0);
            }
        }
    }
}
