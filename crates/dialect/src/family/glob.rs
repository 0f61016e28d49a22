//! Globs over model ids: `*` matches anything, everything else matches itself.

/// Checks whether `text` matches `pattern`.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some((last, between)) = pieces
        .collect::<Vec<_>>()
        .split_last()
        .map(|(last, between)| (*last, between.to_vec()))
    else {
        return rest.is_empty();
    };
    for piece in between {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

/// Returns how many characters of a pattern are literal.
pub(super) fn literal(pattern: &str) -> usize {
    pattern.chars().filter(|c| *c != '*').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, wanted) in [
            ("*qwen3-vl*", "qwen/qwen3-vl-8b", true),
            ("gpt-5*", "gpt-5.5", true),
            ("gpt-5*", "my-gpt-5", false),
            ("*doubao*ui-tars*", "doubao-1.5-ui-tars", true),
            ("*doubao*ui-tars*", "ui-tars-doubao", false),
            ("abc", "abc", true),
            ("abc", "abcd", false),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits(pattern, text), wanted, "{pattern} {text}");
        }
    }
}
