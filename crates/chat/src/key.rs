//! Represents the key that a model server can require.

use reqwest::header::HeaderValue;
use thiserror::Error;

/// An API key, sent as a bearer token and never shown.
#[derive(Clone)]
pub struct ApiKey {
    text: String,
    header: HeaderValue,
}

/// Why text is not a valid key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ApiKeyError {
    /// The key contains something other than visible ASCII, the only characters allowed in a header line.
    #[error("the API key contains characters that are not allowed in a header; copy it again")]
    Illegal,
    /// The text contains only white space.
    #[error("the API key is empty; copy it again, or remove it if the server needs none")]
    Empty,
}

impl ApiKey {
    /// Creates a key from text. Surrounding white space, as in a copied line, is dropped.
    pub fn new(text: &str) -> Result<Self, ApiKeyError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ApiKeyError::Empty);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ApiKeyError::Illegal);
        }
        let mut header = HeaderValue::from_str(&format!("Bearer {text}")).map_err(|_| ApiKeyError::Illegal)?;
        header.set_sensitive(true);
        Ok(Self {
            text: text.to_owned(),
            header,
        })
    }

    /// Returns the key's text, for code that must know it: the code that hides it, and the pipe to an agent.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, ApiKeyError};

    #[test]
    fn a_key_is_never_shown() {
        let key = ApiKey::new(" sk-123\n").unwrap();
        assert_eq!(format!("{key:?} {:?}", key.header()), "Key(..) Sensitive");
        assert_eq!(key.header().as_bytes(), b"Bearer sk-123");
    }

    #[test]
    fn a_key_that_fits_in_no_header_is_rejected() {
        assert_eq!(ApiKey::new(" \n").unwrap_err(), ApiKeyError::Empty);
        for text in ["a\nb", "a b", "schlüssel", "a\0"] {
            assert_eq!(ApiKey::new(text).unwrap_err(), ApiKeyError::Illegal, "{text:?}");
        }
    }
}
