//! The key that a model server may want to see.

use reqwest::header::HeaderValue;
use thiserror::Error;

/// A shorter key, such as `x` for servers that want any, is in every other word: it is struck out where it is a word of its own.
const SHORT_BYTES: usize = 6;

/// An API key, sent as bearer token and shown nowhere.
#[derive(Clone)]
pub struct Key {
    text: String,
    header: HeaderValue,
}

/// Why a text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KeyError {
    /// A key goes into a header line, which takes visible ASCII alone.
    #[error("the API key holds characters that no header can carry; copy it again into FRANZ_API_KEY")]
    Illegal,
    /// Nothing but blanks.
    #[error("the API key is empty; set FRANZ_API_KEY, or unset it when the server needs none")]
    Empty,
}

impl Key {
    /// The key of that text; blanks around it, as a copied line has, are dropped.
    pub fn new(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(KeyError::Illegal);
        }
        let mut header = HeaderValue::from_str(&format!("Bearer {text}")).map_err(|_| KeyError::Illegal)?;
        header.set_sensitive(true);
        Ok(Self {
            text: text.to_owned(),
            header,
        })
    }

    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// A server's words without the key, which some servers repeat when they refuse it.
    pub(crate) fn struck_from(&self, words: &str) -> String {
        if self.text.len() >= SHORT_BYTES {
            return words.replace(&self.text, "[key]");
        }
        let mut struck = String::with_capacity(words.len());
        let mut end = 0;
        for (start, key) in words.match_indices(&self.text) {
            let behind = start + key.len();
            let (before, after) = words.split_at(start);
            let beside = [before.chars().next_back(), after.chars().nth(key.len())];
            if beside.into_iter().flatten().any(char::is_alphanumeric) {
                continue;
            }
            struck.push_str(words.get(end..start).unwrap_or_default());
            struck.push_str("[key]");
            end = behind;
        }
        struck.push_str(words.get(end..).unwrap_or_default());
        struck
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, KeyError};

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" sk-123\n").unwrap();
        assert_eq!(format!("{key:?} {:?}", key.header()), "Key(..) Sensitive");
        assert_eq!(key.header().as_bytes(), b"Bearer sk-123");
        assert_eq!(key.struck_from("wrong key sk-123!"), "wrong key [key]!");
    }

    #[test]
    fn a_short_key_is_struck_out_where_it_is_a_word() {
        let cases = [
            ("x", "x is not x-1, exit (x)", "[key] is not [key]-1, exit ([key])"),
            ("1", "status 401: 1", "status 401: [key]"),
            (
                "sk-12",
                "bad sk-12, not sk-123 or äsk-12",
                "bad [key], not sk-123 or äsk-12",
            ),
        ];
        for (key, words, struck) in cases {
            assert_eq!(Key::new(key).unwrap().struck_from(words), struck);
        }
    }

    #[test]
    fn what_no_header_carries_is_no_key() {
        assert_eq!(Key::new(" \n").unwrap_err(), KeyError::Empty);
        for text in ["a\nb", "a b", "schlüssel", "a\0"] {
            assert_eq!(Key::new(text).unwrap_err(), KeyError::Illegal, "{text:?}");
        }
    }
}
