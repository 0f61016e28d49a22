//! `exchange.log`: requests to the model and its responses, as JSON lines.

pub mod index;
mod line;
pub mod read;
mod rotating;

use std::path::PathBuf;

use franz_home::{DiskError, Home};
use franz_secret::Secret;
use jiff::Timestamp;

use line::{Line, Side};
use rotating::RotatingLog;

pub use line::{LoggedBody, LoggedHead};

/// The newest log; older ones are `exchange.1.log.gz` and so on.
const LOG_FILE: &str = "exchange.log";
/// The suffix of a compressed file's name.
const COMPRESSED: &str = ".gz";

/// Which exchanges to log, and what must never be logged.
#[derive(Debug, Clone)]
pub struct ExchangeOptions {
    /// The size at which a new log begins. A line is never split.
    pub max_bytes: u64,
    /// How many logs to keep, including the newest; at least 1.
    pub files: u32,
    /// The API keys, replaced by `[the API key, N bytes]`.
    pub secret: Secret,
}

/// The size of one log, unless the total limit is too small for four of them.
const USUAL_BYTES: u64 = 64_000_000;

/// The minimum number of logs, so that dropping one never drops the whole history.
const LEAST_FILES: u64 = 4;

impl ExchangeOptions {
    /// Keeps this many bytes, before compression, in at least four logs of at most 64 MB each. With [`u64::MAX`], no
    /// run ever reaches the limit.
    pub fn keeping(bytes: u64, secret: Secret) -> Self {
        let max_bytes = (bytes / LEAST_FILES).clamp(1, USUAL_BYTES);
        Self {
            max_bytes,
            files: u32::try_from(bytes / max_bytes).unwrap_or(u32::MAX),
            secret,
        }
    }
}

impl Default for ExchangeOptions {
    /// Keeps 256 MB, which is enough for thousands of turns but does not fill a disk.
    fn default() -> Self {
        Self::keeping(256_000_000, Secret::default())
    }
}

/// Writes a line for each request and a line for each response. Writes nothing if it is switched off.
pub struct ExchangeLog {
    /// The log; `None` if switched off.
    log: Option<RotatingLog>,
}

impl ExchangeLog {
    /// Continues the log of the run in `home`. If its last line is not terminated, moves that line to the returned
    /// path. A log without JSON lines, which older versions wrote, is renamed like a full one.
    pub fn open(home: &Home, options: ExchangeOptions) -> Result<(Self, Option<PathBuf>), DiskError> {
        let (log, cut) = RotatingLog::open(home, options)?;
        Ok((Self { log: Some(log) }, cut))
    }

    /// Creates a log that is switched off and writes nothing.
    pub fn off() -> Self {
        Self { log: None }
    }

    /// Writes a request's line and returns the ID that the response refers to. The caller has already replaced the
    /// request's pictures. `turn` is the request's turn, if it is already known.
    pub fn request(&mut self, at: Timestamp, turn: Option<u64>, body: LoggedBody<'_>) -> Result<String, DiskError> {
        self.request_with_head(at, turn, None, body)
    }

    /// Does the same, and also logs where the request went and its headers.
    pub fn request_with_head(
        &mut self,
        at: Timestamp,
        turn: Option<u64>,
        head: Option<LoggedHead>,
        body: LoggedBody<'_>,
    ) -> Result<String, DiskError> {
        let id = format!("req_{:016x}", fastrand::u64(..));
        let mut line = Line::new(Side::Request(None), &id, at, turn, None);
        line.head = head;
        self.append(&line, body)?;
        Ok(id)
    }

    /// Writes the line for the response to the request with this ID.
    pub fn response(
        &mut self,
        id: &str,
        at: Timestamp,
        turn: Option<u64>,
        status: Option<u16>,
        body: LoggedBody<'_>,
    ) -> Result<(), DiskError> {
        self.append(&Line::new(Side::Response(None), id, at, turn, status), body)
    }

    fn append(&mut self, line: &Line<'_>, body: LoggedBody<'_>) -> Result<(), DiskError> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let line = line.with(body, &log.options.secret);
        log.append(&line.map_err(DiskError::when("append to", &log.path()))?)
    }
}

/// Returns the two names that an older file can have: plain and compressed.
fn older_names(number: u32) -> [String; 2] {
    let plain = format!("exchange.{number}.log");
    let compressed = format!("{plain}{COMPRESSED}");
    [plain, compressed]
}

#[cfg(test)]
mod tests;
