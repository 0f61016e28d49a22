//! Tags: from `<note>` to `</note>`, from `[note]` to `[/note]`, and XML comments.

use std::collections::HashMap;

use super::Places;
use crate::written::line;

/// The maximum length of a tag's name, in characters.
const LONGEST_NAME: usize = 64;
/// How many open names to distinguish. If there are more, everything after the first surplus one counts as quoted.
const MOST_NAMES: usize = 1000;
/// How many characters to search for the end of a tag.
const LONGEST_TAG: usize = 256;
/// Opening and closing marks without a name.
const COMMENTS: [(&str, &str); 2] = [("<!--", "-->"), ("<![CDATA[", "]]>")];

/// An open tag.
struct Open {
    /// Where the outermost tag with this name was opened or, if there is none, the last one was closed.
    at: usize,
    depth: usize,
    /// Where a tag at the beginning of a line was opened. Unless it is closed, it extends to the end of the text.
    lasting: Option<usize>,
}

/// The open tags in text that is read line by line.
#[derive(Default)]
pub(super) struct Tags {
    open: HashMap<String, Open>,
    /// Where the number of open names first exceeded the limit.
    lost: Option<usize>,
}

impl Tags {
    /// Reads the next line. In a fence, whose code can be full of tags, only closed tags are considered.
    pub(super) fn line(&mut self, start: usize, line: &str, fenced: bool, places: &mut Places) {
        let first = line::marks(line);
        for (at, _) in line.match_indices(['<', '[', '-', ']']) {
            let Some(rest) = line.get(at..) else { continue };
            if let Some((opening, _)) = COMMENTS.into_iter().find(|(opening, _)| rest.starts_with(opening)) {
                self.open(opening.to_owned(), start + at, !fenced);
            } else if let Some((opening, _)) = COMMENTS.into_iter().find(|(_, closing)| rest.starts_with(closing)) {
                self.close(opening, start + at, places);
            } else if let Some(tag) = Tag::of(rest) {
                match tag.kind {
                    Kind::Opens => {
                        let begins = !fenced && at <= first && rest.starts_with('<');
                        self.open(tag.name, start + at, begins);
                    }
                    Kind::Closes => self.close(&tag.name, start + at, places),
                    Kind::Empty => {}
                }
            }
        }
    }

    fn open(&mut self, name: String, at: usize, lasts: bool) {
        if self.open.len() >= MOST_NAMES {
            self.lost.get_or_insert(at);
            return;
        }
        let open = self.open.entry(name).or_insert(Open {
            at,
            depth: 0,
            lasting: None,
        });
        open.depth += 1;
        if lasts {
            open.lasting.get_or_insert(at);
        }
    }

    fn close(&mut self, name: &str, at: usize, places: &mut Places) {
        let Some(open) = self.open.get_mut(name) else { return };
        places.quote(open.at..at);
        open.at = at;
        open.depth -= 1;
        if open.depth == 0 {
            self.open.remove(name);
        }
    }

    pub(super) fn end(self, end: usize, places: &mut Places) {
        let lasting = self.open.values().filter_map(|open| open.lasting);
        for at in lasting.chain(self.lost) {
            places.quote(at..end);
        }
    }
}

enum Kind {
    Opens,
    Closes,
    /// `<note/>`
    Empty,
}

struct Tag {
    /// The name in lower case, with the opening bracket.
    name: String,
    kind: Kind,
}

impl Tag {
    /// Reads the tag at the beginning of the text. The tag can end on another line.
    fn of(text: &str) -> Option<Tag> {
        let bracket = text.chars().next().filter(|c| matches!(c, '<' | '['))?;
        let inside = text.get(1..)?;
        let closes = inside.starts_with('/');
        let inside = inside.strip_prefix('/').unwrap_or(inside);
        let is_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let name: String = inside.chars().take(LONGEST_NAME).take_while(is_name).collect();
        let behind = inside.get(name.len()..)?.chars().next();
        let ends = behind.is_none_or(|c| c.is_whitespace() || matches!(c, '>' | ']' | '/' | '='));
        if !ends || !name.chars().next().is_some_and(char::is_alphabetic) {
            return None;
        }
        let kind = if closes {
            Kind::Closes
        } else if is_empty(inside) {
            Kind::Empty
        } else {
            Kind::Opens
        };
        let name = format!("{bracket}{}", name.to_lowercase());
        Some(Tag { name, kind })
    }
}

/// Checks whether a tag closes itself.
fn is_empty(inside: &str) -> bool {
    let mut before = ' ';
    for c in inside.chars().take(LONGEST_TAG) {
        match c {
            '>' | ']' => return before == '/',
            '<' => return false,
            _ => before = c,
        }
    }
    false
}
