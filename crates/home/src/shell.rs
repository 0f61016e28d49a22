//! Quotes the words of a command for the user to paste into a shell.

use std::path::Path;

/// Formats the path as one word of a POSIX shell.
pub(crate) fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |character: char| character.is_alphanumeric() || "/._-+:,@%=".contains(character);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        text
    } else if text.starts_with('-') {
        format!("'./{}'", text.replace('\'', r"'\''"))
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word() {
        for (path, expected) in [
            ("runs/run_1", "runs/run_1"),
            ("my runs/x", "'my runs/x'"),
            ("it's", r"'it'\''s'"),
            ("-rf", "'./-rf'"),
            ("a;b", "'a;b'"),
        ] {
            assert_eq!(word(Path::new(path)), expected);
        }
    }
}
