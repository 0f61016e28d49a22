//! Numbers in words that do not promise more than they know.

/// Words a fraction as a percentage: `62 %`. Only 0 and 1 themselves become `0 %` and `100 %`.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{} %", hundredths(fraction))
}

/// Formats a difference of fractions in percentage points: `14`, `−3`, `0.4`.
pub(crate) fn points(difference: f64) -> String {
    let points = difference * 100.0;
    let small = points.abs() < 0.95;
    signed(points, usize::from(small))
}

/// Words a fraction in hundredths, without the sign for percent.
pub(crate) fn hundredths(fraction: f64) -> String {
    let hundredths = fraction * 100.0;
    let near_an_end = fraction > 0.0 && hundredths < 0.5 || fraction < 1.0 && hundredths >= 99.5;
    if near_an_end {
        return format!("{:.1}", hundredths.clamp(0.1, 99.9));
    }
    signed(hundredths, 0)
}

/// Words an interval: `3 to 25`.
pub(crate) fn span(low: f64, high: f64, word: fn(f64) -> String) -> String {
    format!("{} to {}", word(low), word(high))
}

/// Words a size of the data: `24 tasks x 5`, `1 task x 4 to 5`.
pub(crate) fn times(tasks: usize, (fewest, most): (u64, u64)) -> String {
    let repeats = if fewest == most {
        most.to_string()
    } else {
        format!("{fewest} to {most}")
    };
    format!("{} x {repeats}", count(tasks as u64, "task", "tasks"))
}

/// Words a number of things: `1 task`, `24 tasks`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Words a mean of counts: with one decimal below 100, without any above.
pub(crate) fn mean(value: f64) -> String {
    if value < 99.95 {
        format!("{value:.1}")
    } else {
        grouped(value.round() as u64)
    }
}

/// Writes a number with commas between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Replaces characters that could change how a terminal or a page shows the text around them: control characters and
/// marks that reverse the direction of writing. Line breaks and tabs become spaces.
pub(crate) fn printable(text: &str) -> String {
    let replaced = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        _ if acts(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(replaced).collect()
}

/// Returns whether a character could change how the text around it is shown.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
}

/// Returns the text, cut off with an ellipsis if it has more than `most` characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn signed(number: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", number.abs());
    let zero = text.chars().all(|c| matches!(c, '0' | '.'));
    match (zero, number < 0.0) {
        (true, _) => "0".to_owned(),
        (false, true) => format!("−{text}"),
        (false, false) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words() {
        let cases = [
            (0.0, "0 %", "0"),
            (0.0004, "0.1 %", "0"),
            (0.004, "0.4 %", "0.4"),
            (0.0094, "1 %", "0.9"),
            (0.0096, "1 %", "1"),
            (0.144, "14 %", "14"),
            (0.99, "99 %", "99"),
            (0.9951, "99.5 %", "100"),
            (0.9999, "99.9 %", "100"),
            (1.0, "100 %", "100"),
        ];
        for (fraction, as_percent, as_points) in cases {
            assert_eq!(percent(fraction), as_percent, "{fraction}");
            assert_eq!(points(fraction), as_points, "{fraction}");
        }
        assert_eq!(points(-0.07), "−7");
        assert_eq!(points(-1e-17), "0");
        assert_eq!(span(-0.07, 0.152, points), "−7 to 15");
        assert_eq!(
            (mean(3.0), mean(99.96), mean(12_345.4)),
            ("3.0".into(), "100".into(), "12,345".into())
        );
        assert_eq!(
            (times(24, (5, 5)), times(1, (4, 5))),
            ("24 tasks x 5".into(), "1 task x 4 to 5".into())
        );
    }

    #[test]
    fn text_cannot_act_on_the_terminal() {
        assert_eq!(printable("a\u{1b}[2J\nb\u{202e}c é 猫"), "a\u{fffd}[2J b\u{fffd}c é 猫");
    }
}
