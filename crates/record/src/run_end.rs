//! How a run ended. The file exists only while the run is not in progress.

use franz_home::{DiskError, Home, View};
use serde::{Deserialize, Serialize};

use crate::line::to_line;
use crate::turn::is_false;

/// The file that holds the [`RunEnd`].
pub(crate) const END_FILE: &str = "ended.json";

/// The maximum size of the file in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// How the last process that recorded a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// When the process ended, RFC 3339.
    pub at: String,
    /// The reason why it ended, in words.
    pub reason: String,
    /// Its exit code; see [`Exit`](crate::Exit).
    pub exit_code: u8,
    /// Whether the person ended the run before an agent could withdraw the last reply's actions. The next agent
    /// withdraws them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub withdraws: bool,
    /// Whether the model answered, but wrote no reply that could be used.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unusable_reply: bool,
}

impl RunEnd {
    /// Returns how the run ended. `None` if it has not ended, if it was killed, or if the file cannot be read.
    pub fn of(run: &View) -> Option<RunEnd> {
        let bytes = run.read(END_FILE, MOST_BYTES).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Records this end. Continuing the run removes the record.
    pub fn keep(&self, run: &Home, durable: bool) -> Result<(), DiskError> {
        let json = to_line(self).map_err(DiskError::when("write", &run.path_of(END_FILE)))?;
        run.replace(END_FILE, &json, durable)
    }
}
