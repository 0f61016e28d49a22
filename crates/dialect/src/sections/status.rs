//! What a reply declares about the mode: the STATUS that it states, as opposed to one that it quotes.

use franz_action::mode::{Looseness, Unclear};
use franz_action::{DeclaredMode, Mode};

use super::part::{self, Section, SectionPart, is_fence};
use super::quoted::Places;
use crate::written::line;

/// If there are more STATUS sections than this, they count as contradictory.
const MOST: usize = 100;
/// How many words of the line with the mode to read.
const MOST_WORDS: usize = 50;
/// The longest word that is examined, in bytes.
const LONGEST_WORD: usize = 40;

/// The STATUS sections that a reply states or quotes.
pub(super) struct Statuses {
    said: Vec<Status>,
    quotes: bool,
    /// Whether there are too many sections to distinguish. Some have then not been read.
    more: bool,
}

/// A STATUS section that the reply states and does not quote.
struct Status {
    at: usize,
    value: Value,
}

/// What a STATUS section declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Mode {
        mode: Mode,
        /// Whether the line contains nothing else.
        alone: bool,
    },
    Unclear(Unclear),
    /// No mode.
    Other,
    /// The reply was cut off in this section.
    Cut,
}

impl Statuses {
    /// Finds the STATUS sections in text without thoughts.
    pub(super) fn of(masked: &str, parts: &[SectionPart], cut: bool) -> Statuses {
        let found = || parts.iter().filter(|part| part.section == Section::Status);
        let found: Vec<(&SectionPart, Option<(usize, &str)>)> =
            found().take(MOST + 1).map(|part| (part, value(masked, part))).collect();
        let mut at: Vec<usize> = Vec::with_capacity(2 * found.len());
        for (part, value) in &found {
            at.push(part.at);
            at.extend(value.map(|(start, _)| start));
        }
        let places = Places::of(masked, at);
        let is_quoted = |part: &SectionPart, value: &Option<(usize, &str)>| {
            places.is_quoted(part.at)
                || value.is_some_and(|(start, _)| places.is_quoted(start))
                || is_code(masked, part)
        };
        let (quoted, said): (Vec<_>, Vec<_>) = found.into_iter().partition(|(part, value)| is_quoted(part, value));
        let said = said.into_iter().map(|(part, value)| Status {
            at: part.at,
            value: match value {
                _ if cut && part.is_last(masked) => Value::Cut,
                Some((_, words)) => match read(words) {
                    Value::Mode { mode, .. } if part.shared => Value::Mode { mode, alone: false },
                    value => value,
                },
                None => Value::Other,
            },
        });
        Statuses {
            said: said.collect(),
            quotes: !quoted.is_empty(),
            more: parts.len() >= part::MOST,
        }
    }

    /// Returns the mode that the sections declare together, given where the reply's first call is.
    pub(super) fn declared(&self, call: Option<usize>) -> DeclaredMode {
        if self.more {
            return DeclaredMode::Unclear(Unclear::Contradictory);
        }
        let Some((first, others)) = self.said.split_first() else {
            return if self.quotes {
                DeclaredMode::Unclear(Unclear::Quoted)
            } else {
                DeclaredMode::Absent
            };
        };
        let mode = match first.value {
            _ if others.iter().any(|other| !other.value.agrees(first.value)) || others.len() >= MOST => {
                return DeclaredMode::Unclear(Unclear::Contradictory);
            }
            Value::Unclear(why) => return DeclaredMode::Unclear(why),
            Value::Other | Value::Cut => return DeclaredMode::Absent,
            Value::Mode { mode, alone } => (mode, alone),
        };
        match mode {
            (Mode::Monitoring, _) => DeclaredMode::Monitoring,
            (Mode::Executing, _) if !others.is_empty() => DeclaredMode::Loose(Looseness::Repeated),
            (Mode::Executing, _) if call.is_some_and(|call| call < first.at) => DeclaredMode::Loose(Looseness::Late),
            (Mode::Executing, false) => DeclaredMode::Loose(Looseness::Wordy),
            (Mode::Executing, true) => DeclaredMode::Executing,
        }
    }

    /// Returns a sentence about what is wrong with the sections.
    pub(super) fn notice(&self) -> Option<&'static str> {
        match self.declared(None) {
            DeclaredMode::Absent if self.said.iter().any(|said| said.value == Value::Other) => Some(NO_MODE),
            DeclaredMode::Unclear(Unclear::Contradictory) => Some(CONTRADICTORY),
            DeclaredMode::Unclear(Unclear::Denied) => Some(DENIED),
            DeclaredMode::Unclear(Unclear::Quoted) => Some(QUOTED),
            _ => None,
        }
    }
}

pub(super) const NO_MODE: &str = "STATUS must be executing, monitoring or completed; the mode is unchanged.";
pub(super) const CONTRADICTORY: &str =
    "STATUS named more than one mode; the mode is unchanged. Write one line: STATUS: executing or STATUS: monitoring.";
pub(super) const DENIED: &str =
    "STATUS denied a mode; the mode is unchanged. Write one line: STATUS: executing or STATUS: monitoring.";
pub(super) const QUOTED: &str = "STATUS was inside a quote, code fence or tag, where it does not count; the mode is unchanged. Write it on a line of its own.";

impl Value {
    fn agrees(self, other: Value) -> bool {
        match (self, other) {
            (Value::Mode { mode: a, .. }, Value::Mode { mode: b, .. }) => a == b,
            (a, b) => a == b,
        }
    }
}

/// Returns the line that states the mode, which is the first one with a word in it, and where that line begins.
fn value<'a>(masked: &'a str, part: &SectionPart) -> Option<(usize, &'a str)> {
    line::lines(masked, part.body.clone()).find(|(_, line)| line.contains(char::is_alphanumeric) && !is_fence(line))
}

/// Checks whether the header is in a code span or opens a fence. Marks around only the label do not make it code, as in
/// `` `STATUS:` executing ``.
fn is_code(masked: &str, part: &SectionPart) -> bool {
    let before = masked.get(..part.at).unwrap_or_default();
    let line = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let before = before.get(line..).unwrap_or_default();
    let runs = before.split(|c| c != '`').filter(|run| !run.is_empty()).count();
    let header = masked.get(part.at..part.body.start).unwrap_or_default();
    let behind = masked.get(part.body.start..).unwrap_or_default();
    let behind = behind.split(['\n', '\r']).next().unwrap_or_default();
    let behind = behind.split(char::is_alphanumeric).next().unwrap_or_default();
    before.contains("```") || runs % 2 == 1 && !header.contains('`') && !behind.contains('`')
}

/// Reads what a line says about the mode.
fn read(line: &str) -> Value {
    let apart = |c: char| !c.is_alphanumeric() && !APOSTROPHES.contains(&c);
    let all = line.split(apart).filter(|word| !word.is_empty());
    let words: Vec<Word> = all.clone().take(MOST_WORDS).map(Word::of).collect();
    let mut modes = words
        .iter()
        .enumerate()
        .filter_map(|(at, word)| Some((at, word.mode()?)));
    let Some((at, mode)) = modes.next() else {
        let is_near = words.contains(&Word::NearMode);
        return if is_near {
            Value::Unclear(Unclear::Denied)
        } else {
            Value::Other
        };
    };
    if modes.any(|(_, other)| other != mode) {
        return Value::Unclear(Unclear::Contradictory);
    }
    let before = words.get(..at).unwrap_or_default();
    let behind = words.get(at + 1..).unwrap_or_default();
    if is_denied_before(before) || is_denied_behind(behind, mode) {
        return Value::Unclear(Unclear::Denied);
    }
    // A single bracket is a quote mark, as in `> executing`. A pair of them is decoration, as in `<executing>`.
    let is_bracketed = line
        .find('>')
        .is_none_or(|end| line.find('<').is_some_and(|start| start < end));
    let alone = words.iter().all(|word| word.mode().is_some()) && line.chars().all(is_dress) && is_bracketed;
    Value::Mode { mode, alone }
}

const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];

/// Checks whether a character next to a mode leaves its meaning unchanged.
fn is_dress(c: char) -> bool {
    c.is_alphanumeric() || c.is_whitespace() || DRESS.contains(c)
}

const DRESS: &str = "*_`'\"\u{2018}\u{2019}\u{201c}\u{201d}.,;()[]<>{}-+\u{2022}\u{2013}\u{3002}";

/// A word of the line that states the mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Mode(Mode),
    /// A longer word that contains a mode, such as `nonexecuting`.
    NearMode,
    /// `not`, `never`, `isn't`
    Denial,
    No,
    Longer,
    Other,
}

impl Word {
    fn of(word: &str) -> Word {
        let word = word.trim_matches(APOSTROPHES);
        if word.len() > LONGEST_WORD {
            return Word::Other;
        }
        let word = word.to_lowercase();
        if let Ok(mode) = word.parse() {
            return Word::Mode(mode);
        }
        match word.as_str() {
            "no" => Word::No,
            "longer" => Word::Longer,
            "not" | "non" | "un" | "never" | "cannot" | "neither" | "nor" | "without" | "stopped" | "false" | "off" => {
                Word::Denial
            }
            _ if is_short_not(&word) => Word::Denial,
            _ if ["executing", "monitoring", "completed"]
                .iter()
                .any(|mode| word.contains(mode)) =>
            {
                Word::NearMode
            }
            _ => Word::Other,
        }
    }

    fn mode(self) -> Option<Mode> {
        match self {
            Word::Mode(mode) => Some(mode),
            _ => None,
        }
    }

    fn denies(self) -> bool {
        matches!(self, Word::Denial | Word::No)
    }
}

/// `isn't`, `isnt`, `don't`
fn is_short_not(word: &str) -> bool {
    let stem = word.strip_suffix('t').map(|stem| stem.trim_end_matches(APOSTROPHES));
    let spelled = stem.is_some_and(|stem| stem.len() + 1 < word.len() && stem.ends_with('n'));
    spelled || matches!(word, "isnt" | "arent" | "wasnt" | "dont" | "cant" | "wont")
}

/// Checks whether these words deny the mode that follows them: `I am not yet executing`, `no longer executing`.
fn is_denied_before(words: &[Word]) -> bool {
    let is_no = words.last() == Some(&Word::No);
    is_no || words.contains(&Word::Denial) || words.windows(2).any(|pair| pair == [Word::No, Word::Longer])
}

/// Checks whether these words deny the mode that precedes them: `executing: no`. Denying another activity while
/// monitoring does not count: `monitoring, not yet acting`.
fn is_denied_behind(words: &[Word], mode: Mode) -> bool {
    let first = words.first().is_some_and(|word| word.denies());
    first && (mode == Mode::Executing || words.iter().all(|word| word.denies()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_unambiguous_mode_counts() {
        let plain = |mode| Value::Mode { mode, alone: true };
        let wordy = |mode| Value::Mode { mode, alone: false };
        let (two, denied) = (Value::Unclear(Unclear::Contradictory), Value::Unclear(Unclear::Denied));
        let (executing, monitoring) = (Mode::Executing, Mode::Monitoring);
        let cases = [
            ("executing", plain(executing)),
            ("**'Executing'**.", plain(executing)),
            ("`executing`", plain(executing)),
            ("\u{201c}EXECUTING\u{201d}", plain(executing)),
            ("- executing", plain(executing)),
            ("<monitoring>", plain(monitoring)),
            ("monitoring (completed)", plain(monitoring)),
            ("executing, executing", plain(executing)),
            ("task COMPLETED.", wordy(monitoring)),
            ("monitoring, not yet acting", wordy(monitoring)),
            ("nothing found, so monitoring", wordy(monitoring)),
            ("executing (the cat)", wordy(executing)),
            ("<executing>", plain(executing)),
            ("> executing", wordy(executing)),
            ("-> executing", wordy(executing)),
            ("executing?", wordy(executing)),
            ("~~executing~~", wordy(executing)),
            ("!executing", wordy(executing)),
            ("no errors, so executing", wordy(executing)),
            ("executing or monitoring", two),
            ("executing | monitoring", two),
            ("<executing or monitoring>", two),
            ("monitoring, not executing", two),
            ("executing -> completed", two),
            ("not executing", denied),
            ("NOT yet **executing**", denied),
            ("non-executing", denied),
            ("nonexecuting", denied),
            ("not_executing", denied),
            ("no executing", denied),
            ("no longer executing", denied),
            ("I am no\tlonger executing", denied),
            ("isn't executing", denied),
            ("isnt executing", denied),
            ("wasn\u{2019}t executing", denied),
            ("never executing", denied),
            ("executing: no", denied),
            ("executing = false", denied),
            ("executing? Not yet.", denied),
            ("not monitoring", denied),
            ("monitoring: no", denied),
            ("resting", Value::Other),
            ("", Value::Other),
        ];
        for (line, value) in cases {
            assert_eq!(read(line), value, "{line}");
        }
    }
}
