//! Reads the body of an answer as it arrives, up to a sensible limit.

use std::time::Duration;

use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::answer::MOST_OF_A_FAILED_ANSWER;
use crate::connection_error::ConnectionError;

/// The largest number of bytes to read of a reply. Real replies are kilobytes long. This limits memory use, and leaves
/// room for unusual replies.
pub(crate) const MOST: usize = 64 << 20;

/// The largest number of bytes to read of an error answer. Its text is later shortened to far less.
const MOST_OF_AN_ERROR: usize = 64 << 10;

/// The space reserved before the first byte arrives, whatever length the server announces.
const FIRST_ROOM: usize = 64 << 10;

/// A length that no key exceeds. A key that crosses the end of the recorded part is therefore still complete when FRANZ
/// searches for it and hides it.
const LONGEST_KEY: usize = 64 << 10;

/// How long to wait for the end of a body whose remaining bytes are not needed.
const GRACE: Duration = Duration::from_millis(1);

/// How long to wait for bytes that usually follow a complete reply, such as the number of tokens. Some servers send
/// neither them nor an end.
const AFTERWARDS: Duration = Duration::from_secs(2);

/// How long to wait for more of a reply that is probably complete. A gateway that sends a finish reason with every piece
/// might pause for so long after its first piece.
const PROBABLY_AFTERWARDS: Duration = Duration::from_secs(10);

/// How long to read an error answer's body. Some proxies never end it, but its status says enough.
const ERROR_BODY: Duration = Duration::from_secs(5);

/// What a body still contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remainder {
    /// Bytes that are needed.
    Needed,
    /// Bytes that are probably only useful, but might be needed.
    Probable,
    /// Bytes that are useful if they come soon.
    Useful,
    /// Nothing of interest.
    Useless,
}

impl Remainder {
    /// Returns the total time to wait for the remainder; `None` means no limit.
    fn patience(self) -> Option<Duration> {
        match self {
            Self::Needed => None,
            Self::Probable => Some(PROBABLY_AFTERWARDS),
            Self::Useful => Some(AFTERWARDS),
            Self::Useless => Some(GRACE),
        }
    }
}

/// Why a body could not be read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    Broken(ConnectionError),
    TooLarge,
}

/// Reads the whole body, up to [`MOST`] bytes. `body` contains everything received, even if the connection breaks or
/// the future is dropped. If the body is too large, `body` keeps only as much as the record of a failed attempt needs.
/// `hear` is called with each piece, and returns what remains.
pub(crate) async fn whole(
    mut response: Response,
    body: &mut Vec<u8>,
    mut hear: impl FnMut(&[u8]) -> Remainder,
) -> Result<(), Unread> {
    let announced = response.content_length().unwrap_or_default();
    if announced > MOST as u64 {
        return Err(Unread::TooLarge);
    }
    body.reserve(FIRST_ROOM.min(announced as usize));
    let mut remainder = Remainder::Needed;
    let mut until: Option<Instant> = None;
    loop {
        let next = response.chunk();
        let chunk = match until {
            None => next.await,
            Some(until) => match timeout_at(until, next).await {
                // The end usually arrives with the last piece. Once it has been read, the connection can be reused.
                Ok(_) if remainder == Remainder::Useless => return Ok(()),
                Ok(chunk) => chunk,
                Err(_) => return Ok(()),
            },
        };
        let chunk = chunk.map_err(|error| Unread::Broken(ConnectionError::in_body(&error)))?;
        let Some(chunk) = chunk else { return Ok(()) };
        if body.len() + chunk.len() > MOST {
            body.truncate(MOST_OF_A_FAILED_ANSWER + LONGEST_KEY);
            body.shrink_to_fit();
            return Err(Unread::TooLarge);
        }
        body.extend_from_slice(&chunk);
        let now = hear(&chunk);
        // Comments that follow a complete reply do not prolong the wait.
        if now != remainder {
            remainder = now;
            until = now.patience().map(|patience| Instant::now() + patience);
        }
    }
}

/// Reads the start of an error answer's body, for a limited time and no more of it than needed.
pub(crate) async fn start(mut response: Response, body: &mut Vec<u8>) {
    let until = Instant::now() + ERROR_BODY;
    while let Ok(Ok(Some(chunk))) = timeout_at(until, response.chunk()).await {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_OF_AN_ERROR {
            break;
        }
    }
}
