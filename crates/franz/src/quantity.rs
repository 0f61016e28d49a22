//! Quantities in words: sizes, and counts with their nouns.

/// Formats a number of bytes with two or three digits. Whole numbers are rounded up.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["MB", "GB", "TB"];
    let mut size = bytes as f64 / 1e3;
    let mut unit = "kB";
    for larger in UNITS {
        if size <= 999.0 {
            break;
        }
        (size, unit) = (size / 1e3, larger);
    }
    if size < 9.95 && unit != "kB" {
        format!("{size:.1} {unit}")
    } else {
        format!("{} {unit}", size.ceil())
    }
}

/// Formats a count with its noun: `1 turn`, `2 turns`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_or_three_digits() {
        for (bytes, said) in [
            (0, "0 kB"),
            (1, "1 kB"),
            (52_000, "52 kB"),
            (999_000, "999 kB"),
            (999_200, "1.0 MB"),
            (999_600, "1.0 MB"),
            (1_040_000, "1.0 MB"),
            (9_900_000, "9.9 MB"),
            (12_300_000, "13 MB"),
            (187_000_000, "187 MB"),
            (999_960_000, "1.0 GB"),
            (7_900_000_000, "7.9 GB"),
            (9_960_000_000, "10 GB"),
            (2_000_000_000_000, "2.0 TB"),
            (u64::MAX, "18446745 TB"),
        ] {
            assert_eq!(size(bytes), said);
        }
    }

    #[test]
    fn one_thing_is_singular() {
        for (count, said) in [(0, "0 turns"), (1, "1 turn"), (2, "2 turns")] {
            assert_eq!(counted(count, "turn"), said);
        }
    }
}
