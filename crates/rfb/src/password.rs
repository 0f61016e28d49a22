//! A VNC password, and the answer to a server's challenge.

use std::fmt;

use des::Des;
use des::cipher::{BlockCipherEncrypt, KeyInit};

/// How many bytes of a password the protocol uses.
const LENGTH: usize = 8;

/// The length of a challenge: two blocks of the cipher.
pub(crate) const CHALLENGE: usize = 16;

/// A password, which is never displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct VncPassword(String);

impl VncPassword {
    /// Creates a password; returns `None` if the text is empty.
    pub fn new(text: &str) -> Option<VncPassword> {
        (!text.is_empty()).then(|| VncPassword(text.to_owned()))
    }

    /// Returns the password itself, so that it can be passed on.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns whether the password is longer than the part that the protocol uses.
    pub fn is_cut(&self) -> bool {
        self.0.len() > LENGTH
    }

    /// Returns the challenge, encrypted with the password.
    pub(crate) fn answer(&self, challenge: [u8; CHALLENGE]) -> [u8; CHALLENGE] {
        let mut key = [0; LENGTH];
        for (key, byte) in key.iter_mut().zip(self.0.bytes()) {
            // The protocol numbers the bits of a key in the opposite order.
            *key = byte.reverse_bits();
        }
        let cipher = Des::new(&key.into());
        let mut answer = challenge;
        for block in answer.chunks_exact_mut(LENGTH) {
            let mut bytes = [0; LENGTH];
            bytes.copy_from_slice(block);
            let mut encrypted = bytes.into();
            cipher.encrypt_block(&mut encrypted);
            block.copy_from_slice(&encrypted);
        }
        answer
    }
}

impl fmt::Debug for VncPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VncPassword")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_eight_bytes_count() {
        let answer = |text: &str| VncPassword::new(text).unwrap().answer([7; CHALLENGE]);
        assert_eq!(answer("12345678"), answer("123456789"));
        assert_ne!(answer("1234567"), answer("12345678"));
        assert!(VncPassword::new("123456789").unwrap().is_cut());
        assert_eq!(VncPassword::new(""), None);
    }

    #[test]
    fn it_is_never_shown() {
        let password = VncPassword::new("secret12").unwrap();
        assert_eq!(format!("{password:?}"), "VncPassword");
    }
}
