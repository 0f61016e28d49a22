//! String literals of JSON, as they are written.

use memchr::memchr2;

/// Bytes before the closing quote of the string that has just begun; all of them where it never ends.
pub(crate) fn inside(string: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = string.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if string.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    string.len()
}
