//! Limits the values that a server can plausibly report about itself. Values outside these limits, whether by mistake
//! or by malice, are ignored.

/// The largest plausible number of tokens.
const MOST_TOKENS: u64 = 1_000_000_000;
/// The shortest context in which a model can say anything.
const SHORTEST_CONTEXT: u64 = 256;
/// The largest number of characters in a version.
const LONGEST_VERSION: usize = 40;

/// Returns a number of tokens if it is plausible.
pub(crate) fn tokens(count: u64) -> Option<u64> {
    (count <= MOST_TOKENS).then_some(count)
}

/// Returns a context size in tokens if it is plausible.
pub(crate) fn context(tokens: u64) -> Option<u64> {
    (SHORTEST_CONTEXT..=MOST_TOKENS).contains(&tokens).then_some(tokens)
}

/// Returns a program's version if the text looks like one.
pub(crate) fn version(text: String) -> Option<String> {
    let fits = (1..=LONGEST_VERSION).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{context, tokens, version};

    #[test]
    fn contexts_outside_the_plausible_range_are_ignored() {
        for (said, believed) in [
            (0, None),
            (255, None),
            (256, Some(256)),
            (1_000_000_000, Some(1_000_000_000)),
            (1_000_000_001, None),
            (u64::MAX, None),
        ] {
            assert_eq!(context(said), believed, "{said}");
        }
        assert_eq!((tokens(0), tokens(u64::MAX)), (Some(0), None));
    }

    #[test]
    fn only_a_short_graphic_text_is_a_version() {
        for (said, believed) in [
            ("b6789-0a1b2c3d", true),
            ("0.12.3+cpu", true),
            (&"9".repeat(40), true),
            (&"9".repeat(41), false),
            ("", false),
            ("1.0 all is well", false),
            ("1.0\u{1b}[2J", false),
            ("1.0\n", false),
            ("1.0é", false),
        ] {
            assert_eq!(version(said.to_owned()).is_some(), believed, "{said:?}");
        }
    }
}
