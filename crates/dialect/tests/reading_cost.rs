//! The memory cost of reading a reply: at most four times its length plus the allowance of one call, whatever the reply
//! contains.

use std::sync::Mutex;

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::protocols::KINDS;
use franz_dialect::{Limits, Plan, Protocol, ReplyText};
use peak_alloc::PeakAlloc;
use proptest::prelude::*;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Allows only one measurement at a time, because all threads allocate from the same memory.
static MEASURING: Mutex<()> = Mutex::new(());

const MB: usize = 1 << 20;
/// The memory that may be used in addition to four times the length: a parsed call, a block of Python, and the calls
/// that are kept.
const BESIDES: usize = 100 * MB;

fn protocols() -> Vec<(&'static str, Box<dyn Protocol>)> {
    let settings = || ReadingSettings {
        limits: Limits {
            steps: 10_000,
            ..Limits::default()
        },
        ..ReadingSettings::new(ToolSet::all())
    };
    KINDS.iter().map(|kind| (kind.name, (kind.new)(settings()))).collect()
}

/// Returns the plan for a reply, and the memory that reading it used in addition to the reply itself.
fn read(protocol: &dyn Protocol, reply: &ReplyText<'_>) -> (Plan, usize) {
    let _alone = MEASURING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let plan = protocol.read(reply);
    (plan, MEMORY.peak_usage().saturating_sub(before))
}

/// Returns about this many bytes of text: a beginning, followed by one piece over and over.
fn hostile(head: &str, piece: &str, bytes: usize) -> String {
    format!("{head}{}", piece.repeat(bytes / piece.len()))
}

const HEADS: [&str; 8] = [
    "",
    "click(",
    "type(\"",
    "ACTION: click(",
    "```python\nf(",
    "```json\n[",
    "<tool_call>{\"name\":\"wait\",\"arguments\":[",
    "<function=type_text><parameter=text>",
];

const PIECES: [&str; 56] = [
    ",",
    "(",
    "[",
    "{",
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    "\r",
    " ",
    "a",
    "a ",
    "1,",
    "\u{1}",
    "\u{ff08}",
    "<",
    "[]",
    "{}",
    "{}\n",
    "> \n",
    "a\n",
    "click(",
    "click(1, 2)\n",
    "click(1, 2); ",
    "foo(1);",
    "type(\"a\"b) ",
    "type(\"it\"s\") ",
    "type(\u{201c}\"",
    "click(1, 2) (",
    "x: ",
    "```\n",
    "```\n```\n",
    "```python\n```\n",
    "~~~\n",
    "<think>",
    "</think>",
    "<think></think>",
    "<think>\n</think>\n",
    "Thought:\n",
    "Thought:\n\n",
    "GOAL:\n",
    "ACTION:\n",
    "STATUS:\n",
    "STATUS: executing\n",
    "STORY:\na\n",
    "<a>",
    "<a>\n</a>\n",
    "[a]",
    "<tool_call>",
    "<tool_call>{}</tool_call>",
    "<tool_call>{\"name\":\"wait\"}</tool_call>",
    "<function=wait></function>",
    "<function=wait><parameter=a></parameter>",
    "{\"name\":\"wait\",\"arguments\":{}}\n",
    "\"name\": \"wait\" ",
];

/// Checks the peak memory use, and how it grows: each additional byte of a reply may use at most four bytes.
fn check(kind: &str, protocol: &dyn Protocol, reply: impl Fn(usize) -> String, named: &str) {
    let lengths = [MB / 2, MB];
    let [(short, little), (long, much)] = lengths.map(|bytes| {
        let text = reply(bytes);
        let in_text = read(protocol, &ReplyText::of(&text)).1;
        // Only one protocol reads calls that the server reports.
        let reported = (kind == "tools").then(|| ReplyText {
            tool_calls: Some(&text),
            ..ReplyText::default()
        });
        let reported = reported.map_or(0, |reply| read(protocol, &reply).1);
        (text.len(), in_text.max(reported))
    });
    assert!(
        much <= 4 * long + BESIDES,
        "{kind}: {much} bytes for {long} of {named:?}"
    );
    // By then, anything bounded has reached its bound or grows more slowly.
    let grown = much.saturating_sub(little);
    assert!(
        grown <= 4 * (long - short) + 40 * MB,
        "{kind}: {grown} bytes more for {named:?}"
    );
}

#[test]
fn no_reply_costs_more_than_four_times_its_length() {
    for (kind, protocol) in protocols() {
        for (index, piece) in PIECES.iter().enumerate() {
            let head = HEADS[index % HEADS.len()];
            check(
                kind,
                &*protocol,
                |bytes| hostile(head, piece, bytes),
                &format!("{head}{piece}"),
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn no_mixture_costs_more_than_four_times_its_length(
        head in prop::sample::select(&HEADS[..]),
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..5),
    ) {
        let piece = pieces.concat();
        for (kind, protocol) in protocols() {
            check(kind, &*protocol, |bytes| hostile(head, &piece, bytes), &format!("{head}{piece}"));
        }
    }
}

/// The reply that once took six gigabytes and a minute to read, in the form of every protocol.
#[test]
fn reading_a_call_of_60_mb_takes_less_than_700_mb() {
    let commas = ",".repeat(60 * MB);
    for (kind, protocol) in protocols() {
        let text = match kind {
            "python" => format!("```python\nclick({commas})\n```\n"),
            "tools" => format!("<tool_call>{{\"name\": \"wait\", \"arguments\": [{commas}]}}</tool_call>"),
            "sections" => format!("STATUS: executing\nACTION: click({commas})"),
            _ => format!("click({commas})"),
        };
        let (plan, memory) = read(&*protocol, &ReplyText::of(&text));
        assert!(text.len() + memory < 700 * MB, "{kind}: {memory} bytes");
        assert_eq!(plan.actions().count(), 0, "{kind}");
    }
}
