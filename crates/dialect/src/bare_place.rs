//! Bare places: two or four adjacent numbers in plain text, in brackets, in tags or after a name, but outside any call.
//!
//! The text is read once, from left to right, as a sequence of words, numbers and the marks between them. Numbers with
//! nothing but separators between them form a group. A group after a name such as `bbox` or `point` takes precedence
//! over a group in brackets, which takes precedence over a group in plain words. Several groups of equal precedence are
//! ambiguous and ignored, unless they are identical.

use crate::geometry::Spot;
use crate::spot::is_place;

/// Words that introduce a place.
const NAMES: [&str; 17] = [
    "bbox",
    "bbox_2d",
    "box",
    "box_2d",
    "box_start",
    "start_box",
    "point",
    "points",
    "point_2d",
    "point_start",
    "coordinate",
    "coordinates",
    "coords",
    "position",
    "location",
    "click",
    "center",
];
/// Words that name the next number.
const LABELS: [&str; 6] = ["x", "y", "x1", "y1", "x2", "y2"];
/// Units that can follow a number.
const UNITS: [&str; 2] = ["px", "pixels"];
/// The maximum size of a group: enough for a point that is written four times.
const MOST: usize = 8;

/// How likely a group is to be a place, from least to most likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Plain,
    Bracketed,
    Named,
}

/// Reads the only place in the text, or returns `None` if there is none or more than one.
pub(crate) fn read(text: &str) -> Option<Spot> {
    let mut groups: Vec<(Standing, Spot)> = Scan::of(text).groups;
    let most = groups.iter().map(|(standing, _)| *standing).max()?;
    groups.retain(|(standing, _)| *standing == most);
    let (_, first) = groups[0];
    groups.iter().all(|(_, spot)| *spot == first).then_some(first)
}

/// A scan of text for groups of numbers.
#[derive(Default)]
struct Scan {
    groups: Vec<(Standing, Spot)>,
    numbers: Vec<f64>,
    /// The first label in the group, if its numbers have labels.
    labelled: Option<Labels>,
    /// How many brackets are open since the last word.
    depth: usize,
    named: bool,
    /// Whether the brackets around the group are closed. If so, only a comma and another opening bracket continue it.
    closed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Labels {
    X,
    Y,
}

impl Scan {
    fn of(text: &str) -> Scan {
        let mut scan = Scan::default();
        let mut at = 0;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = &text[at..];
            let length = if c.is_alphanumeric() || c == '_' {
                let word = word(rest);
                scan.word(word);
                word.len()
            } else if let Some((number, length)) = signed(rest) {
                scan.number(number);
                length
            } else {
                scan.mark(c, rest);
                c.len_utf8()
            };
            at += length;
        }
        scan.end();
        scan
    }

    fn word(&mut self, word: &str) {
        let lower = word.to_ascii_lowercase();
        let plain = UNITS.iter().find_map(|unit| lower.strip_suffix(unit)).unwrap_or(&lower);
        if plain.starts_with(|c: char| c.is_ascii_digit())
            && let Ok(number) = plain.parse::<f64>()
        {
            return self.number(number);
        }
        if UNITS.contains(&lower.as_str()) && !self.numbers.is_empty() {
            return;
        }
        if LABELS.contains(&lower.as_str()) {
            let label = if lower.starts_with('x') { Labels::X } else { Labels::Y };
            if self.numbers.is_empty() {
                self.labelled = Some(label);
                return;
            }
            if self.labelled.is_some() && self.numbers.len() < 4 {
                return;
            }
        }
        self.end();
        self.depth = 0;
        // `bbox_100_200_300_400` is a name followed by its numbers.
        let mut parts = lower.split('_');
        let name = parts.next().unwrap_or_default();
        let numbers: Option<Vec<f64>> = parts.map(|part| part.parse().ok()).collect();
        self.named = NAMES.contains(&lower.as_str());
        if let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty() && NAMES.contains(&name)) {
            self.named = true;
            self.numbers = numbers;
            self.end();
        }
    }

    fn number(&mut self, number: f64) {
        if self.closed {
            self.end();
        }
        self.numbers.push(number);
    }

    fn mark(&mut self, mark: char, rest: &str) {
        match mark {
            '(' | '[' | '\u{ff08}' | '\u{ff3b}' | '<' => {
                // The words inside `</point>` and `<|box_end|>` end the group.
                self.closed = false;
                self.depth += 1;
            }
            ')' | ']' | '\u{ff09}' | '\u{ff3d}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && !self.numbers.is_empty() {
                    self.closed = true;
                    if !continues(rest) {
                        self.end();
                    }
                }
            }
            '{' | '}' => {
                self.end();
                self.depth = 0;
            }
            ',' | ';' | '"' | '\'' | '|' | '>' | '=' | ':' | '%' | '*' | '`' | '\u{ff0c}' | '\u{3001}' | '\u{ff1a}' => {
            }
            c if c.is_whitespace() => {}
            _ => self.end(),
        }
    }

    /// Ends the group.
    fn end(&mut self) {
        let numbers = std::mem::take(&mut self.numbers);
        let labelled = self.labelled.take();
        let standing = match () {
            () if self.named || labelled.is_some() => Standing::Named,
            () if self.depth > 0 || self.closed => Standing::Bracketed,
            () => Standing::Plain,
        };
        self.closed = false;
        if numbers.is_empty() {
            return;
        }
        self.named = false;
        if let Some(spot) = spot(&numbers, labelled).filter(is_place) {
            self.groups.push((standing, spot));
        }
    }
}

/// Returns the place that a group stands for: a point, a point written several times, or a box.
fn spot(numbers: &[f64], labelled: Option<Labels>) -> Option<Spot> {
    if numbers.len() > MOST {
        return None;
    }
    let spot = match *numbers {
        [y, x] if labelled == Some(Labels::Y) => Some(Spot::Point([x, y])),
        _ if labelled == Some(Labels::Y) => None,
        [a, b, c, d] if (a, b) != (c, d) => Some(Spot::Corners([a, b, c, d])),
        [a, b, ref rest @ ..] => {
            let same = rest.len() % 2 == 0 && rest.chunks(2).all(|pair| pair == [a, b]);
            same.then_some(Spot::Point([a, b]))
        }
        _ => None,
    };
    spot.map(|spot| if labelled.is_some() { spot.named() } else { spot })
}

/// Checks whether the bracket at the start of the text is followed by a comma and another bracket, as in `(1,2),(3,4)`.
fn continues(rest: &str) -> bool {
    let mut behind = rest.chars().skip(1).filter(|c| !c.is_whitespace());
    behind.next() == Some(',') && matches!(behind.next(), Some('(' | '['))
}

/// Returns the word or number at the start of the text. A dot between digits is part of a number.
fn word(text: &str) -> &str {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let end = text.char_indices().find(|(at, c)| {
        let inside = c.is_alphanumeric() || *c == '_' || (*c == '.' && digit(at.checked_sub(1)) && digit(Some(at + 1)));
        !inside
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Reads a number that has a sign or begins with its decimal point.
fn signed(text: &str) -> Option<(f64, usize)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let digits = digits.strip_prefix('.').unwrap_or(digits);
    if digits.len() == text.len() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let length = text.len() - digits.len() + word(digits).len();
    text.get(..length)?.parse().ok().map(|number| (number, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(text: &str) -> Option<[f64; 2]> {
        match read(text) {
            Some(Spot::Point(point) | Spot::Named(point)) => Some(point),
            _ => None,
        }
    }

    #[test]
    fn points_are_read_in_every_notation() {
        for text in [
            "[321, 456]",
            "(321,456)",
            "321, 456",
            "321 456",
            "The red circle is at (321, 456).",
            "I see 3 shapes. The middle of the circle is at 321, 456.",
            "<point>321 456</point>",
            "<point x=\"321\" y=\"456\" alt=\"circle\">circle</point>",
            "<points x1=\"321\" y1=\"456\"></points>",
            "{\"x\": 321, \"y\": 456}",
            "{\"y\": 456, \"x\": 321}",
            "x=321, y=456",
            "X: 321 Y: 456",
            "(x: 321px, y: 456px)",
            "{\"point_2d\": [321, 456], \"label\": \"number 7 of 9\"}",
            "```json\n[\n  {\"point_2d\": [\n 321,\n 456\n], \"label\": \"circle\"}\n]\n```",
            "{\"bbox\": [321 456]}",
            "**[321, 456]**",
            "\u{ff08}321\u{ff0c}456\u{ff09}",
            "Step 1: I look for it.\n(321, 456)",
            "[\"321 456\", \"321 456\"]",
            "point_321_456",
            "(321, 456), so (321, 456)",
        ] {
            assert_eq!(point(text), Some([321.0, 456.0]), "{text}");
        }
        assert_eq!(point("[0.25, 0.5]"), Some([0.25, 0.5]));
        assert_eq!(point("(.25, .5)"), Some([0.25, 0.5]));
        assert_eq!(point("(25.5%, 50%)"), Some([25.5, 50.0]));
        assert_eq!(point("[-4, 12]"), Some([-4.0, 12.0]));
    }

    #[test]
    fn boxes_are_read_in_every_notation() {
        for text in [
            "[300, 400, 342, 512]",
            "{\"bbox_2d\": [300, 400, 342, 512], \"label\": \"circle\"}",
            "<ref>circle</ref><box>[[300, 400, 342, 512]]</box>",
            "<|box_start|>(300,400),(342,512)<|box_end|>",
            "{\"bbox\": [300 400,342 512]}",
            "{\"bbox\": [300, \"400; 342 512;\"]}",
            "{\"bbox\": [\"bbox\", [300, 400, 342, 512]]}",
            "failed 2 times, 10, 20; bbox_300_400_342_512",
            "{\"prompt\": \"the \"7th\" circle of 12\", \"bbox\": [300, 400, 342, 512]}",
        ] {
            assert_eq!(read(text), Some(Spot::Corners([300.0, 400.0, 342.0, 512.0])), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_a_place() {
        for text in [
            "",
            "I cannot see it.",
            "It is number 4731.",
            "[1, 2, 3]",
            "[900, 620, 120, 40]",
            "(10, 20) or (30, 40)",
            "[{\"point_2d\": [10, 20]}, {\"point_2d\": [30, 40]}]",
            "a picture of 1344x896",
            "{\"a\": 1}, {\"b\": 2}",
            "[1,2,3,4,5,6,7,8,9,10]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ -~\u{ff08}\u{ff0c}x(\\[0-9.,]{0,200}") {
            let _ = read(&text);
        }

        #[test]
        fn any_written_point_is_read_back(x in -9999i32..9999, y in -9999i32..9999, which in 0usize..5) {
            let text = match which {
                0 => format!("[{x}, {y}]"),
                1 => format!("<point>{x} {y}</point>"),
                2 => format!("{{\"x\": {x}, \"y\": {y}}}"),
                3 => format!("It is at ({x},{y})."),
                _ => format!("{x}, {y}"),
            };
            prop_assert_eq!(point(&text), Some([f64::from(x), f64::from(y)]));
        }
    }
}
