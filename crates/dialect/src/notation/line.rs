//! Written calls: `name(...)` on a line of its own, after a label, or in the middle of a sentence.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr2, memchr2_iter, memrchr2};

use super::joined::JoinedPart;
use super::literal::{self, Literal};
use super::{Arguments, Flaw, MOST_CALLS, RawCall, Wrap, rest};
use crate::dialects::Speakers;
use crate::json::{self, behind_blanks};
use crate::label::{self, is_action};
use crate::written::line::labelled;

/// The maximum length of a name including its qualifiers.
const LONGEST_NAME: usize = 64;

/// A written call.
#[derive(Debug)]
pub(crate) struct LineCall {
    pub(crate) call: RawCall,
    /// The dialects that have a verb with this name.
    pub(crate) speakers: Speakers,
    /// Whether a label such as `Action:` precedes it, which makes it a call no matter what its name is.
    pub(crate) announced: bool,
    /// Where the call before it on its line begins.
    pub(crate) behind: Option<usize>,
}

/// Finds the calls, in order: those named by a verb, for which `verb` returns the dialects, and those that follow a
/// label announcing actions. Brackets in a call's arguments do not begin another call.
pub(crate) fn calls(text: &str, verb: impl Fn(&str) -> Option<Speakers>) -> Vec<LineCall> {
    let (mut calls, mut at, mut from): (Vec<LineCall>, _, _) = (Vec::new(), 0, 0);
    // The number of the last call that is not in the middle of a sentence.
    let mut last: Option<usize> = None;
    for bracket in memchr2_iter(b'(', FULL_WIDTH.as_bytes()[0], text.as_bytes()) {
        let open = match rest(text, bracket) {
            behind if behind.starts_with('(') => bracket + 1,
            behind if behind.starts_with(FULL_WIDTH) => bracket + FULL_WIDTH.len(),
            _ => continue,
        };
        let (name, start) = name_before(text, std::mem::replace(&mut from, open), bracket);
        if name.is_empty() || start < at {
            continue;
        }
        if calls.len() >= MOST_CALLS {
            break;
        }
        let speakers = verb(name);
        let before = last.and_then(|last| calls.get(last));
        let before = before.and_then(|before| Some((before, gap(text, before.call.span.end, start)?)));
        let listed = before.is_some_and(|(_, gap)| is_separator(gap));
        if speakers.is_none() && !listed && !may_be_announced(text, start) {
            continue;
        }
        let place = match before {
            Some((before, _)) if listed && before.announced => Place::Announced,
            Some(_) if listed => Place::Beginning,
            _ => place(text, start),
        };
        let (announced, inside) = (place == Place::Announced, place == Place::Inside);
        let blank = start + name.len() < bracket;
        if speakers.is_none() && !announced || blank && (inside || listed && speakers.is_none()) {
            continue;
        }
        let behind = before.map(|(before, _)| before.call.span.start);
        let wrap = if inside { Wrap::Words } else { Wrap::Line };
        let mut call = call(text, name, start, open, wrap);
        if call.flaw.is_some() && !announced && (inside || !speakers.is_some_and(Speakers::any)) {
            // Words such as `e.g.(` are not a call, and a sentence may only talk about one. An open quote in them must
            // not hide the lines that follow.
            call.span.end = line_end(text, open).min(call.span.end);
        }
        if inside && behind.is_some() {
            call.flaw = Some(Flaw::Amid);
        }
        at = call.span.end;
        if !inside {
            last = Some(calls.len());
        }
        calls.push(LineCall {
            call,
            speakers: speakers.unwrap_or_default(),
            announced,
            behind,
        });
    }
    calls
}

const FULL_WIDTH: &str = "\u{ff08}";
const WIDE_COLON: &str = "\u{ff1a}";

/// Reads the call whose arguments begin at `open`.
fn call(text: &str, name: &str, start: usize, open: usize, wrap: Wrap) -> RawCall {
    // Outside of code, models mean quotes inside a string. Only code qualifies a name.
    let is_code = |joined: JoinedPart| joined != JoinedPart::Quotes || name.contains('.');
    match literal::arguments(text, open) {
        Ok(read) if goes_on_behind(text, open, &read) => RawCall {
            name: name.to_owned(),
            ..RawCall::flawed(Flaw::Quotes, start..line_end(text, read.end), wrap)
        },
        Ok(read) if read.joined.is_some_and(is_code) => RawCall {
            name: name.to_owned(),
            ..RawCall::flawed(Flaw::Quotes, start..read.end, wrap)
        },
        Ok(read) => RawCall::new(name, read.args, start..read.end, wrap).mended(read.mended),
        Err(unread) => {
            let end = text.ceil_char_boundary(unread.at.max(open).min(text.len()));
            RawCall {
                name: name.to_owned(),
                ..RawCall::flawed(unread.flaw, start..end, wrap)
            }
        }
    }
}

/// Checks whether the text behind a call ends another string, as in `type('say 'a')')`. Then a string of the call must
/// have been meant to go on there.
pub(crate) fn goes_on_behind(text: &str, open: usize, read: &Literal) -> bool {
    let inside = text.get(open..read.end).unwrap_or_default();
    let Some(closers) = inside.chars().find_map(json::closers) else {
        return false;
    };
    let tail = text.get(read.end..line_end(text, read.end)).unwrap_or_default();
    let tail = tail.split(['(', '\u{ff08}', '<', '#']).next().unwrap_or_default();
    let ends = |(at, quote): (usize, &str)| {
        let behind = rest(tail, at + quote.len()).trim_start();
        behind.starts_with([')', '\u{ff09}'])
    };
    tail.match_indices(closers).any(ends) && !has_only_words(&read.args)
}

/// Checks whether the arguments have no other text than places, keys and plain words. None of these contains a string
/// that could go on behind the brackets.
fn has_only_words(args: &Arguments) -> bool {
    let is_mark = |c: char| c.is_ascii_digit() || matches!(c, '(' | ')' | '[' | ']' | ',' | '.' | '-' | ' ');
    let is_place = |text: &str| text.starts_with(['(', '[', '<']) && without_tags(text).chars().all(is_mark);
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '+' | '-' | '.');
    let is_words = |text: &str| text.chars().all(is_letter) && !text.ends_with(' ');
    let mut values = args.positional.iter().chain(args.named.iter().map(|(_, value)| value));
    values.all(|value| value.as_str().is_none_or(|text| is_place(text) || is_words(text)))
}

/// Returns where the line that contains this position ends.
fn line_end(text: &str, at: usize) -> usize {
    memchr2(b'\n', b'\r', rest(text, at).as_bytes()).map_or(text.len(), |length| at + length)
}

/// Returns the name before a bracket and where it begins, but does not look before `from`.
fn name_before(text: &str, from: usize, bracket: usize) -> (&str, usize) {
    let from = text.ceil_char_boundary(from.max(bracket.saturating_sub(LONGEST_NAME)));
    let before = text.get(from..bracket).unwrap_or_default();
    let trimmed = before.trim_end_matches(' ');
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'\\');
    let start = trimmed.bytes().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
    let name = trimmed.get(start..).unwrap_or_default();
    // The two characters `\n` can stand for a line break.
    let lead = if name.contains('\\') {
        name.rfind("\\n").map_or(0, |at| at + 2)
    } else {
        0
    };
    let name = name.get(lead..).unwrap_or_default();
    let dots = name.len() - name.trim_start_matches('.').len();
    (name.get(dots..).unwrap_or_default(), from + start + lead + dots)
}

/// Returns the text between two calls on the same line, or `None` if the second one is on another line, too far away, or
/// in a comment.
fn gap(text: &str, end: usize, start: usize) -> Option<&str> {
    let gap = text.get(end..start).filter(|gap| gap.len() <= LONGEST_LEAD)?;
    let behind = gap.trim_start();
    let comment = behind.starts_with(['#', '(', '\u{ff08}']) || behind.starts_with("//");
    (!comment && memchr2(b'\n', b'\r', gap.as_bytes()).is_none()).then_some(gap)
}

/// Checks whether the text between two calls only separates them, as in a list.
pub(crate) fn is_separator(gap: &str) -> bool {
    let gap = without_tags(gap);
    let is_comma = |c: char| matches!(c, ',' | ';' | '\u{ff0c}' | '\u{ff1b}' | '\u{3001}');
    gap.contains(is_comma) && gap.trim_matches(|c| is_comma(c) || is_mark(c) || c == ']').is_empty()
}

/// Where a call is on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// After a label that announces actions.
    Announced,
    /// At the beginning of the line.
    Beginning,
    /// In the middle of a sentence.
    Inside,
}

/// How much of a line before a call to examine.
const LONGEST_LEAD: usize = 200;

/// Returns the part of the line before a call.
fn lead(text: &str, start: usize) -> &str {
    let from = text.ceil_char_boundary(start.saturating_sub(LONGEST_LEAD));
    let before = text.get(from..start).unwrap_or_default();
    let line = memrchr2(b'\n', b'\r', before.as_bytes());
    line.map_or(before, |line| rest(before, line + 1))
}

/// Checks cheaply whether a label might precede a call, because most brackets do not follow one.
fn may_be_announced(text: &str, start: usize) -> bool {
    let lead = lead(text, start);
    let last = lead.trim_end_matches(|c: char| is_mark(c) || c == '>');
    (last.ends_with([':', '\u{ff1a}']) || last.len() < lead.len() && lead.contains('<'))
        && lead.contains([':', '\u{ff1a}'])
}

/// Checks whether an object begins its line, apart from marks, tags, the mark of a fence and a label.
pub(crate) fn begins_line(text: &str, start: usize) -> bool {
    let plain = without_tags(lead(text, start));
    let said = rest(&plain, crate::written::line::marks(&plain)).trim();
    let in_fence = plain.trim_start().starts_with("```") && said.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_marks(said) || in_fence || ends_in_label(&plain)
}

/// Checks whether only closing marks follow an object on its line, as in `computer_use({"action": "wait"})`, and the
/// words before it, which begin behind the object `before` it, open no quote.
pub(crate) fn ends_line(text: &str, before: usize, span: &Range<usize>) -> bool {
    let behind = text.get(span.end..line_end(text, span.end)).unwrap_or_default();
    if behind.len() > LONGEST_LEAD {
        return false;
    }
    let is_closing = |c: char| c.is_whitespace() || matches!(c, ')' | ']' | '}' | ';' | '\u{ff09}');
    let closes = without_tags(behind).replace("```", "").chars().all(is_closing);
    let lead = lead(text, span.start);
    let words = span.start.saturating_sub(before).min(lead.len());
    let lead = rest(lead, lead.len() - words).replace("```", "");
    let opens = |quote: char| !lead.matches(quote).count().is_multiple_of(2);
    closes && !opens('"') && !opens('`') && !lead.ends_with(json::is_quote)
}

/// Checks whether two positions are on the same line.
pub(crate) fn is_on_line(text: &str, from: usize, to: usize) -> bool {
    let between = text.get(from..to).unwrap_or_default();
    memchr2(b'\n', b'\r', between.as_bytes()).is_none()
}

/// Checks whether the text between two objects only separates them.
pub(crate) fn is_gap(gap: &str) -> bool {
    let gap = without_tags(gap);
    let mut marks = gap.chars();
    marks.all(|c| is_mark(c) || matches!(c, ',' | ';' | ']' | '}' | '\u{ff0c}'))
}

/// Checks whether a label that announces actions is all that precedes a call on its line.
fn ends_in_label(line: &str) -> bool {
    labelled(line).is_some_and(|(label, behind)| {
        (is_action(label) || is_operation(label)) && is_marks(line.get(behind..).unwrap_or_default())
    })
}

fn place(text: &str, start: usize) -> Place {
    let line = lead(text, start);
    let plain = without_tags(line);
    let has_label = memchr2(b':', WIDE_COLON.as_bytes()[0], plain.as_bytes()).is_some();
    if has_label && ends_in_label(&plain) {
        return Place::Announced;
    }
    let said = plain.trim_end();
    let lead = crate::written::line::marks(said);
    let said = said.get(lead..).unwrap_or_default();
    // The text before it is another call or the end of a thought.
    if is_marks(said)
        || said.ends_with([')', ';', '\u{ff09}'])
        || has_label && label::of(said).is_some_and(label::is_thought)
    {
        return Place::Beginning;
    }
    Place::Inside
}

/// Checks whether a call begins its line, and a label that announces actions is all of the line above.
pub(crate) fn is_below_label(text: &str, start: usize) -> bool {
    let above = text.get(..start).unwrap_or_default().trim_end();
    ends_in_label(lead(text, above.len()))
}

/// Checks whether a call is the first one in a tag or token that encloses the calls of a reply.
pub(crate) fn is_enveloped(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end_matches(is_mark);
    ["<|begin_of_box|>", "<action>", "<answer>"]
        .iter()
        .any(|open| before.ends_with(open))
}

fn is_operation(label: &str) -> bool {
    let labels = [
        "grounded operation",
        "operation",
        "code",
        "next action",
        "grounded action",
        "call",
    ];
    labels.iter().any(|known| label.eq_ignore_ascii_case(known))
}

fn is_marks(text: &str) -> bool {
    text.trim_matches(is_mark).is_empty()
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | '*' | '[' | '-' | '"' | '\'')
}

/// Returns a line without the tags in it.
fn without_tags(line: &str) -> Cow<'_, str> {
    if !line.contains('<') {
        return Cow::Borrowed(line);
    }
    let mut left = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(open) = rest(line, at).find('<') {
        let open = at + open;
        let Some(close) = rest(line, open).find('>') else { break };
        left.push_str(line.get(at..open).unwrap_or_default());
        at = open + close + 1;
    }
    left.push_str(rest(line, at));
    Cow::Owned(left)
}

/// Reads `[name(...), name(...)]`, or one call that is the whole text. Fails if there is anything else.
pub(crate) fn listed(text: &str, from: usize, wrap: Wrap) -> Result<(Vec<RawCall>, usize), Flaw> {
    let mut at = behind_blanks(text, from);
    let list = rest(text, at).starts_with('[');
    at += usize::from(list);
    let mut calls = Vec::new();
    loop {
        at = behind_blanks(text, at);
        if list && rest(text, at).starts_with(']') {
            return Ok((calls, at + 1));
        }
        let name = rest(text, at);
        let length = name.bytes().take(LONGEST_NAME);
        let length = length
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
            .count();
        let name = name.get(..length).filter(|name| !name.is_empty());
        let name = name.ok_or(Flaw::Foreign)?;
        let open = at + length;
        if !rest(text, open).starts_with('(') || calls.len() > MOST_CALLS {
            return Err(Flaw::Foreign);
        }
        let read = literal::arguments(text, open + 1).map_err(|unread| unread.flaw)?;
        match read.joined {
            Some(JoinedPart::Quotes) => return Err(Flaw::Quotes),
            Some(JoinedPart::Strings) if wrap == Wrap::Code => {}
            Some(_) => return Err(Flaw::Foreign),
            None => {}
        }
        if goes_on_behind(text, open + 1, &read) {
            return Err(Flaw::Quotes);
        }
        calls.push(RawCall::new(name, read.args, at..read.end, wrap).mended(read.mended));
        at = behind_blanks(text, read.end);
        if !list {
            return Ok((calls, read.end));
        }
        if rest(text, at).starts_with([',', ';']) {
            at += 1;
        }
    }
}
