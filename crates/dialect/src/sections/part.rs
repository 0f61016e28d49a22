//! The sections of a reply: where each begins and ends.

use std::ops::Range;

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
        if line::is_action(label) {
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
    /// Where the label stands.
    pub(super) at: usize,
    /// What the section contains: from after its header to the next one.
    pub(super) body: Range<usize>,
}

/// How many sections are told apart; everything after that belongs to the last one.
pub(super) const MOST: usize = 1000;

/// Finds the sections of a text, in order. A repeated name starts another section and ends the one before.
pub(super) fn all(text: &str) -> Vec<SectionPart> {
    let mut parts: Vec<SectionPart> = Vec::new();
    for (start, line) in line::lines(text, 0..text.len()) {
        let Some((label, behind)) = line::labelled(line) else {
            continue;
        };
        let Some(section) = Section::named(label) else {
            continue;
        };
        if parts.len() == MOST {
            break;
        }
        if let Some(before) = parts.last_mut() {
            before.body.end = start;
        }
        parts.push(SectionPart {
            section,
            at: start + line.find(char::is_alphabetic).unwrap_or_default(),
            body: start + behind..text.len(),
        });
    }
    parts
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

    /// Checks whether the section reaches the end of the text, so that part of it may be missing.
    pub(super) fn is_last(&self, whole: &str) -> bool {
        self.body.end == whole.len()
    }
}

/// Checks whether a line only opens or closes a fence.
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
    fn sections_in_every_dress() {
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
