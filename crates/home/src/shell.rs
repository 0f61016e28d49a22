//! Quotes the words of a command for the person to paste into a shell.

use std::iter::repeat_n;
use std::path::Path;

/// Formats a path as one word of this system's shell. No command takes the word for an option.
pub fn path(path: &Path) -> String {
    let text = path.display().to_string();
    if text.starts_with('-') {
        word(&format!("./{text}"))
    } else {
        word(&text)
    }
}

/// Formats text as one word of this system's shell: a POSIX shell or, on Windows, `cmd.exe`.
pub fn word(text: &str) -> String {
    if cfg!(windows) { windows(text) } else { posix(text) }
}

/// Returns the command that moves a file or directory.
pub(crate) fn moving(from: &Path, to: &Path) -> String {
    let (from, to) = (file(from), file(to));
    if cfg!(windows) {
        format!("move {from} {to}")
    } else {
        format!("mv {from} {to}")
    }
}

/// Returns the commands that turn one of a file's names into a file of its own, by way of `copy`.
pub(crate) fn separating(name: &Path, copy: &Path) -> String {
    let (name, copy) = (file(name), file(copy));
    if cfg!(windows) {
        // Both shells of Windows have these commands, but they join and force them in different ways.
        format!("copy {name} {copy}, then del {name}, then move {copy} {name}")
    } else {
        format!("cp {name} {copy} && mv {copy} {name}")
    }
}

/// Formats a path for a command of the shell itself. On Windows, such a command takes what follows `/` for an option.
fn file(at: &Path) -> String {
    if cfg!(windows) {
        path(Path::new(&at.display().to_string().replace('/', r"\")))
    } else {
        path(at)
    }
}

fn posix(text: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+:,@%=".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Programs on Windows split their command line themselves: a backslash is special only before a quotation mark.
fn windows(text: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || r"/\._-+:@=".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut word = String::from('"');
    let mut backslashes = 0;
    for character in text.chars() {
        if character == '"' {
            word.extend(repeat_n('\\', backslashes + 1));
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
        word.push(character);
    }
    word.extend(repeat_n('\\', backslashes));
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_one_word_of_each_shell() {
        for (text, in_posix, on_windows) in [
            ("runs/run_1", "runs/run_1", "runs/run_1"),
            (r"C:\runs\run_1", r"'C:\runs\run_1'", r"C:\runs\run_1"),
            (r"C:\my runs\", r"'C:\my runs\'", r#""C:\my runs\\""#),
            ("my runs/x", "'my runs/x'", r#""my runs/x""#),
            ("it's", r"'it'\''s'", r#""it's""#),
            ("a;b", "'a;b'", r#""a;b""#),
            ("猫", "猫", "猫"),
            ("", "''", r#""""#),
            (
                r#"mask=[{window="a"}]"#,
                r#"'mask=[{window="a"}]'"#,
                r#""mask=[{window=\"a\"}]""#,
            ),
            (r#"a\\"b"#, r#"'a\\"b'"#, r#""a\\\\\"b""#),
        ] {
            assert_eq!((posix(text).as_str(), windows(text).as_str()), (in_posix, on_windows));
        }
    }

    #[test]
    fn files_are_moved_by_commands_of_the_shell() {
        let (old, new) = (Path::new("runs/my run/old"), Path::new("runs/new"));
        let (moving, separating) = (moving(old, new), separating(old, new));
        if cfg!(windows) {
            assert_eq!(moving, r#"move "runs\my run\old" runs\new"#);
            assert_eq!(
                separating,
                r#"copy "runs\my run\old" runs\new, then del "runs\my run\old", then move runs\new "runs\my run\old""#
            );
        } else {
            assert_eq!(moving, "mv 'runs/my run/old' runs/new");
            assert_eq!(
                separating,
                "cp 'runs/my run/old' runs/new && mv runs/new 'runs/my run/old'"
            );
        }
    }

    #[test]
    fn a_path_is_no_option() {
        assert_eq!(path(Path::new("-rf")), "./-rf");
        assert_eq!(path(Path::new("runs/-rf")), "runs/-rf");
    }
}
