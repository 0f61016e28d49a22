//! Whether a place in a text is a word of its own, however the characters beside it are written.

/// Letters that are a control character behind a backslash.
const CONTROLS: &[u8] = b"bfnrt";

/// Whether neither a letter nor a digit stands beside these bytes, of which `length` begin at `start`.
pub(super) fn is_word(text: &[u8], start: usize, length: usize) -> bool {
    let (before, rest) = text.split_at(start.min(text.len()));
    let (found, behind) = rest.split_at(length.min(rest.len()));
    let letters = found.len() - slashes(found);
    let escaped = found.len() > letters || before.ends_with(b"\\");
    if escaped
        && letters == 1
        && found
            .last()
            .is_some_and(|last| *last == b'u' || CONTROLS.contains(last))
    {
        return false;
    }
    !ends_in_letter(before) && !begins_with_letter(behind)
}

fn slashes(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte == b'\\').count()
}

/// What may be a control character is no letter: better a word too many is hidden.
fn ends_in_letter(text: &[u8]) -> bool {
    let last = |count: usize| text.get(text.len().saturating_sub(count)..).unwrap_or_default();
    if let [b'\\', letter] = last(2)
        && CONTROLS.contains(letter)
    {
        return false;
    }
    match last(6) {
        [b'\\', b'u', digits @ ..] if digits.len() == 4 => is_letter(digits),
        _ => {
            // No character is longer than four bytes; what is cut before the last one does not matter.
            let end = String::from_utf8_lossy(last(4));
            end.chars().next_back().is_some_and(char::is_alphanumeric)
        }
    }
}

fn begins_with_letter(text: &[u8]) -> bool {
    match text.get(slashes(text)..).unwrap_or_default() {
        [b'u', digits @ ..] if text.starts_with(b"\\") => digits.get(..4).is_some_and(is_letter),
        _ if text.starts_with(b"\\") => false,
        rest => {
            let start = String::from_utf8_lossy(rest.get(..4).unwrap_or(rest));
            start.chars().next().is_some_and(char::is_alphanumeric)
        }
    }
}

/// Whether these hexadecimal digits name a letter or a digit.
fn is_letter(digits: &[u8]) -> bool {
    let number = str::from_utf8(digits)
        .ok()
        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
    number.and_then(char::from_u32).is_some_and(char::is_alphanumeric)
}
