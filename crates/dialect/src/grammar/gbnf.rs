//! Writes a grammar in GBNF, which llama.cpp and vLLM read.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::{CharSet, Grammar};

/// Longer parts get a rule of their own, so that they are written only once no matter how often they occur.
const LONGEST_PART: usize = 24;

/// The rules so far. Identical rules share a name.
#[derive(Default)]
struct Rules {
    names: HashMap<String, String>,
    lines: String,
}

impl Grammar {
    /// Writes the grammar in GBNF.
    pub fn gbnf(&self) -> String {
        let mut rules = Rules::default();
        let root = rules.whole(self);
        format!("root ::= {root}\n{}", rules.lines)
    }
}

impl Rules {
    /// Writes the right-hand side of a rule.
    fn whole(&mut self, grammar: &Grammar) -> String {
        match grammar {
            Grammar::Text(text) => quoted(text),
            Grammar::Char(set) => set.gbnf(),
            Grammar::Sequence(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .filter(|part| !is_empty(part))
                    .map(|part| self.part(part))
                    .collect();
                if parts.is_empty() { quoted("") } else { parts.join(" ") }
            }
            Grammar::Choice(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.part(part)).collect();
                parts.join(" | ")
            }
            Grammar::Repeat(part, least, most) => {
                let part = match &**part {
                    Grammar::Char(set) => set.gbnf(),
                    other => self.named(other),
                };
                match (least, most) {
                    (0, 1) => format!("{part}?"),
                    (1, 1) => part,
                    (least, most) if least == most => format!("{part}{{{least}}}"),
                    _ => format!("{part}{{{least},{most}}}"),
                }
            }
        }
    }

    /// Writes a part of a right-hand side.
    fn part(&mut self, grammar: &Grammar) -> String {
        let written = self.whole(grammar);
        match grammar {
            Grammar::Text(_) | Grammar::Char(_) => written,
            _ if written.len() > LONGEST_PART => self.rule(written),
            Grammar::Repeat(..) => written,
            Grammar::Sequence(parts) | Grammar::Choice(parts) if parts.len() == 1 => written,
            Grammar::Sequence(_) | Grammar::Choice(_) => format!("({written})"),
        }
    }

    fn named(&mut self, grammar: &Grammar) -> String {
        let written = self.whole(grammar);
        self.rule(written)
    }

    fn rule(&mut self, written: String) -> String {
        if let Some(name) = self.names.get(&written) {
            return name.clone();
        }
        let name = format!("r{}", self.names.len() + 1);
        let _ = writeln!(self.lines, "{name} ::= {written}");
        self.names.insert(written, name.clone());
        name
    }
}

fn is_empty(grammar: &Grammar) -> bool {
    matches!(grammar, Grammar::Text(text) if text.is_empty())
}

fn quoted(text: &str) -> String {
    let mut written = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => written.extend(['\\', c]),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

impl CharSet {
    fn gbnf(&self) -> String {
        let mut written = String::from(if self.except { "[^" } else { "[" });
        for (first, last) in self.ranges {
            push(&mut written, *first);
            if first != last {
                written.push('-');
                push(&mut written, *last);
            }
        }
        written.push(']');
        written
    }
}

/// Writes a character of a set. All characters except letters and digits are written as numbers, because each server
/// has its own special characters.
fn push(written: &mut String, c: char) {
    let _ = match u32::from(c) {
        _ if c.is_ascii_alphanumeric() => write!(written, "{c}"),
        code @ 0..=0xff => write!(written, "\\x{code:02X}"),
        code @ 0x100..=0xffff => write!(written, "\\u{code:04X}"),
        code => write!(written, "\\U{code:08X}"),
    };
}
