//! Finds API keys in every form in which a server might repeat them: plain, JSON-escaped, percent-encoded, base64 and
//! hex.
//!
//! [`Secret`] checks whether text contains a key, and hides it; [`Scanner`] checks text that arrives in pieces, and
//! [`Veil`] withholds a possible key while text grows. They do not find keys that are split across several strings,
//! reversed, encrypted, compressed or broken into lines.
//!
//! ```
//! use franz_secret::Secret;
//!
//! let secret = Secret::new(["sk-0123456789"]);
//! assert!(secret.is_in(b"the key is c2stMDEyMzQ1Njc4OQ=="));
//! assert_eq!(secret.text("sk%2d0123456789!"), "[the API key, 15 bytes]!");
//! ```
#![forbid(unsafe_code)]

mod form;
mod scanner;
mod secret;
mod veil;

pub use scanner::Scanner;
pub use secret::{SHORTEST, Secret};
pub use veil::Veil;
