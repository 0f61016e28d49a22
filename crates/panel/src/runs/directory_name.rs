//! The names of the directories of runs: a number, and what is safe of the run's own name.

/// How many characters of a run's name to use in the name of its directory.
const NAME: usize = 40;

/// Combines an unused number with those characters of the run's name that are safe in a file name.
pub(super) fn name_of(number: u64, run: Option<&str>) -> String {
    let harmless = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let run: String = run.unwrap_or_default().chars().filter(harmless).take(NAME).collect();
    if run.is_empty() {
        format!("{number:04}")
    } else {
        format!("{number:04}-{run}")
    }
}

/// Checks whether a directory can have been given this name.
pub(super) fn is_name(name: &str) -> bool {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    number(name).is_some() && name.len() <= NAME + 21 && name.bytes().all(harmless)
}

/// Returns the number at the beginning of a directory's name.
pub(super) fn number(name: &str) -> Option<u64> {
    let digits = name.split('-').next()?;
    let only_digits = digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    only_digits.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_run_name_escapes_its_directory(number in 1..100_000_u64, run in any::<String>()) {
            let name = name_of(number, Some(&run));
            prop_assert!(is_name(&name), "{name}");
            prop_assert_eq!(Path::new(&name).components().count(), 1);
            prop_assert!(!is_name(&run) || Path::new(&run).components().count() == 1);
        }
    }
}
