//! Classifies how a connection can break while an answer is read.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;

/// The way in which an established connection failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ConnectionError {
    /// The connection was closed or reset before the whole head arrived.
    #[error("it was closed before a response arrived")]
    NoAnswer,
    /// The response is not HTTP.
    #[error("the response is not HTTP")]
    NotHttp,
    /// The headers are larger than any answer needs.
    #[error("the response's head never ends")]
    EndlessHead,
    /// The connection was closed or reset within the body, or the body is shorter than its `Content-Length`.
    #[error("it ended before the response was complete")]
    Cut,
    /// The chunked body has invalid framing.
    #[error("the response has malformed chunks")]
    BadChunks,
}

impl ConnectionError {
    /// Classifies an error that occurred while waiting for the head.
    pub(crate) fn in_head(error: &reqwest::Error) -> Self {
        match find::<hyper::Error>(error) {
            Some(error) if error.is_parse_too_large() => Self::EndlessHead,
            Some(error) if error.is_parse() => Self::NotHttp,
            _ => Self::NoAnswer,
        }
    }

    /// Classifies an error that occurred while reading the body.
    pub(crate) fn in_body(error: &reqwest::Error) -> Self {
        use io::ErrorKind::{InvalidData, InvalidInput};
        match find::<io::Error>(error).map(io::Error::kind) {
            Some(InvalidData | InvalidInput) => Self::BadChunks,
            _ => Self::Cut,
        }
    }
}

/// Returns the text of an error's root cause, the most informative part of the error.
pub(crate) fn root(error: &(dyn StdError + 'static)) -> String {
    causes(error).last().unwrap_or(error).to_string()
}

/// Returns the text of the error with which TLS failed, if it did.
pub(crate) fn of_tls(error: &(dyn StdError + 'static)) -> Option<String> {
    causes(error).find_map(tls_inside)
}

/// Looks for an error of TLS in I/O errors, which do not list the error that they contain as their cause.
fn tls_inside(error: &(dyn StdError + 'static)) -> Option<String> {
    if let Some(tls) = error.downcast_ref::<rustls::Error>() {
        return Some(tls.to_string());
    }
    tls_inside(error.downcast_ref::<io::Error>()?.get_ref()?)
}

fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}
