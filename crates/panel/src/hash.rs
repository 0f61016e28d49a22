//! Hashes as bytes, which take up half as much memory as hexadecimal digits.

use std::fmt::Write as _;

/// A SHA-256 hash.
pub(crate) type Hash = [u8; 32];

/// Parses 64 lowercase hexadecimal digits.
pub(crate) fn hash(digits: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != hash.len() || !rest.is_empty() {
        return None;
    }
    for (byte, &[high, low]) in hash.iter_mut().zip(pairs) {
        *byte = nibble(high)? << 4 | nibble(low)?;
    }
    Some(hash)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Formats a hash as 64 lowercase hexadecimal digits.
pub(crate) fn digits(hash: &Hash) -> String {
    hash.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use franz_record::digest::sha256_hex;

    use super::*;

    #[test]
    fn digits_are_read_back() {
        let text = sha256_hex(b"abc");
        assert_eq!(digits(&hash(&text).unwrap()), text);
        for other in [
            "",
            &text[1..],
            &text[2..],
            &text.to_uppercase(),
            &format!("{text}0"),
            &"é".repeat(32),
        ] {
            assert_eq!(hash(other), None, "{other}");
        }
    }
}
