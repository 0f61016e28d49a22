//! Whole numbers on the command line.

use std::str::FromStr;

/// Reads a number that counts from 1.
pub(super) fn from_one(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "use a whole number from 1".to_owned())
}

/// Reads a limit, which counts from 1.
pub(super) fn limit(text: &str) -> Result<u64, String> {
    from_one(text).map_err(|told| format!("{told}; for no limit, leave it out"))
}

/// Reads a number that is checked later.
pub(super) fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "use a whole number".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::cli::Cli;

    #[test]
    fn a_wrong_number_is_refused_in_plain_words() {
        let limit = "use a whole number from 1; for no limit, leave it out";
        for (arguments, told) in [
            (&["run", "--max-turns", "3x"][..], limit),
            (&["run", "--max-turns", "0"], limit),
            (&["run", "--max-turns", "-1"], limit),
            (&["run", "--max-turns", "99999999999999999999"], limit),
            (&["run", "--scenario", "one"], "use a whole number"),
            (&["run", "--scenario", "-1"], "use a whole number"),
            (&["fork", "--at", "0"], "use a whole number from 1"),
            (&["replay", "--offline", "--from", "x"], "use a whole number from 1"),
            (&["runs", "delete", "--keep-last", "all"], "use a whole number"),
        ] {
            let error = Cli::try_parse_from([&["franz"], arguments].concat()).unwrap_err();
            let error = error.to_string();
            let line = error.lines().next().unwrap_or_default();
            assert!(line.ends_with(told), "{error}");
            assert!(!error.contains("tip:"), "{error}");
        }
    }
}
