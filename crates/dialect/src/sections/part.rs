//! The sections of a reply: where each begins and ends.

use std::ops::Range;

use crate::label;
use crate::written::line;

/// The kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Status,
    Goal,
    Action,
    Story,
}

impl Section {
    fn named(label: &str) -> Option<Section> {
        if label::is_action(label) {
            return Some(Section::Action);
        }
        let named = [
            ("status", Section::Status),
            ("goal", Section::Goal),
            ("story", Section::Story),
        ];
        let found = named.into_iter().find(|(name, _)| label.eq_ignore_ascii_case(name));
        found.map(|(_, section)| section)
    }
}

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SectionPart {
    pub(super) section: Section,
    /// Where the section's label is.
    pub(super) at: usize,
    /// Whether another section precedes it on the same line.
    pub(super) shared: bool,
    /// The contents of the section, from the end of its header to the next section.
    pub(super) body: Range<usize>,
}

/// How many sections to distinguish. Everything after them belongs to the last one.
pub(super) const MOST: usize = 1000;

/// Finds the sections in the text, in order. If a name is repeated, the previous section ends and another one begins.
pub(super) fn all(text: &str) -> Vec<SectionPart> {
    let lines = || line::lines(text, 0..text.len());
    let begun: Vec<Section> = lines()
        .filter_map(|(_, line)| Some(header(line)?.0))
        .take(MOST)
        .collect();
    let mut parts: Vec<SectionPart> = Vec::new();
    for (start, line) in lines() {
        let Some((section, behind)) = header(line) else {
            continue;
        };
        if !push(
            &mut parts,
            text,
            section,
            start,
            start + line.find(char::is_alphabetic).unwrap_or_default(),
            start + behind,
        ) {
            break;
        }
        let mut at = behind;
        let mut inside = section;
        while let Some((section, label, behind)) = shared(line, at, inside, &begun) {
            at = behind;
            // Skip a section that has already appeared: on a shared line, a repetition is ambiguous.
            if parts.iter().any(|part| part.section == section) {
                continue;
            }
            if !push(&mut parts, text, section, start + label, start + label, start + behind) {
                break;
            }
            inside = section;
        }
    }
    parts
}

/// Begins a section. Returns `false` if there are too many.
fn push(parts: &mut Vec<SectionPart>, text: &str, section: Section, end: usize, at: usize, body: usize) -> bool {
    if parts.len() == MOST {
        return false;
    }
    if let Some(before) = parts.last_mut() {
        let shares = end > before.body.start && !text.get(before.body.start..end).unwrap_or_default().contains('\n');
        before.body.end = end;
        if shares {
            let said = text.get(before.body.clone()).unwrap_or_default();
            let said = said.trim_end_matches([' ', '\t', ';', '|', ',', '\u{ff1b}']);
            before.body.end = before.body.start + said.len();
        }
    }
    parts.push(SectionPart {
        section,
        at,
        shared: end == at
            && text
                .get(..at)
                .is_some_and(|before| !before.is_empty() && !before.ends_with(['\n', '\r'])),
        body: body..text.len(),
    });
    true
}

/// Returns the section that begins with this line, and where its text begins.
fn header(line: &str) -> Option<(Section, usize)> {
    let labelled = line::labelled(line).and_then(|(label, behind)| Some((Section::named(label)?, behind)));
    labelled.or_else(|| Some((Section::Action, announced(line)?)))
}

/// Returns where the action begins on a line that announces it in another form: `<action>`, `| ACTION |`, `"action":`,
/// `NEXT ACTION:`, `ACTION ->`, `ACTION left_click(...)`.
fn announced(line: &str) -> Option<usize> {
    let lower = line.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let at = from + lower.get(from..)?.find("action")?;
        from = at + "action".len();
        let before = lower.get(..at)?.trim_end();
        let quoted = before.ends_with('"');
        let before = before.trim_start_matches(|c: char| c.is_whitespace() || "*#_>-|<{\"".contains(c));
        // In an object on a single line, other members can precede the action.
        let first = before.is_empty() || before == "next" || quoted && lower.trim_start().starts_with('{');
        if first && let Some(behind) = separator(line, from) {
            let said = line.get(behind..).unwrap_or_default().trim_start_matches('"');
            // If an `action` member contains only a verb, it belongs to a call in another dialect.
            if !quoted || line::begins_call(said) {
                return Some(behind);
            }
        }
    }
}

/// Returns where the text after a label continues, if a mark separates the two or a call follows directly.
fn separator(line: &str, at: usize) -> Option<usize> {
    let mut rest = line.get(at..)?.trim_start_matches(['s', 'S']);
    let to_take = rest.get(..8).filter(|words| words.eq_ignore_ascii_case(" to take"));
    rest = rest.get(to_take.map_or(0, str::len)..)?;
    rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "*_`\"".contains(c));
    if rest.starts_with('(') {
        rest = rest.split_once(')')?.1.trim_start();
    }
    let marks = [":", "\u{ff1a}", "->", "=>", "\u{2192}", "=", "|", ">"];
    let behind = match marks.iter().find_map(|mark| rest.strip_prefix(mark)) {
        Some(behind) => behind.trim_start_matches(|c: char| c.is_whitespace() || "*`=>".contains(c)),
        None if line::begins_call(rest) && !line.get(..at)?.ends_with(char::is_whitespace) => rest,
        None => return None,
    };
    Some(line.len() - behind.len())
}

/// Returns the next section on this line, the position of its label and where its text begins. The label must be in
/// capitals, and no line of the reply may begin with it. After a story, only an action can follow.
fn shared(line: &str, from: usize, inside: Section, begun: &[Section]) -> Option<(Section, usize, usize)> {
    let labels = [
        ("STATUS", Section::Status),
        ("GOAL", Section::Goal),
        ("ACTION", Section::Action),
        ("STORY", Section::Story),
    ];
    let found = labels.into_iter().filter_map(|(label, section)| {
        let at = from + line.get(from..)?.find(label)?;
        let apart = line.get(..at)?.ends_with([' ', '\t', ';', '|', '\u{3002}', '\u{ff1b}']);
        let behind = line.get(at + label.len()..)?.trim_start_matches('*').trim_start();
        let behind = behind.strip_prefix([':', '\u{ff1a}'])?;
        let allowed = inside != Section::Story || section == Section::Action;
        let counts = apart && allowed && !begun.contains(&section);
        counts.then_some((section, at, line.len() - behind.len()))
    });
    found.min_by_key(|(_, at, _)| *at)
}

impl SectionPart {
    /// Returns the section's text, without fences.
    pub(super) fn text(&self, whole: &str) -> String {
        let mut text = String::with_capacity(self.body.len());
        for (_, line) in line::lines(whole, self.body.clone()).filter(|(_, line)| !is_fence(line)) {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text.drain(..text.len() - text.trim_start().len());
        text
    }

    /// Checks whether the section reaches the end of the text, in which case part of it might be missing.
    pub(super) fn is_last(&self, whole: &str) -> bool {
        self.body.end == whole.len()
    }
}

/// Checks whether a line does nothing but open or close a fence.
pub(super) fn is_fence(line: &str) -> bool {
    let line = line.trim();
    let marks = |mark: char| line.trim_start_matches(mark);
    ['`', '~'].into_iter().any(|mark| {
        let label = marks(mark);
        line.len() - label.len() >= 3 && !label.contains(mark) && !label.trim().contains(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_in_every_format() {
        for text in [
            "STATUS: a\nGOAL: b\nACTION: c\nSTORY: d",
            "status:\na\nGoal :\nb\nactions:\nc\n\nstory:\n\nd\n",
            "```\nSTATUS: a\nGOAL: b\nACTION: c\nSTORY: d\n```",
            "STATUS: a\n```\nGOAL: b\n```text\nACTION:\n```python\nc\n```\nSTORY: d",
            "**STATUS:** a\n**GOAL**: b\n### ACTION: c\n- STORY: d",
            "1. STATUS\u{ff1a}a\r\n2. GOAL\u{ff1a}b\r\n3. ACTION\u{ff1a}c\r\n4. STORY\u{ff1a}d\r\n",
            "> `STATUS:` a\n> `GOAL:` b\nACTION: c\nSTORY: d\nSTATUS: e",
            "STATUS: a\nGOAL: b\nACTION: c\nSTORY: d\nGOAL: e\nSTORY: f",
        ] {
            let parts = all(text);
            let found = |section| parts.iter().find(|part| part.section == section).unwrap().text(text);
            let sections = [Section::Status, Section::Goal, Section::Action, Section::Story];
            assert_eq!(sections.map(found), ["a", "b", "c", "d"], "{text}");
        }
    }

    #[test]
    fn headers_stand_at_the_beginning_of_a_line() {
        for text in [
            "The STATUS: a",
            "STATUSES: a",
            "STATUS a",
            "\"GOAL\": \"b\"",
            "Current goal: b",
        ] {
            assert!(all(text).is_empty(), "{text}");
        }
    }
}
