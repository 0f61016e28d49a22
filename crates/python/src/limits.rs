//! The limits of one block.

/// The limits of one block. Exceeding one ends the block; its host calls up to that point remain valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The maximum length of the source, in bytes.
    pub source_bytes: usize,
    /// The maximum number of interpreter steps.
    pub steps: u64,
    /// The maximum running time, in seconds.
    pub seconds: f64,
    /// The maximum memory of the block's values, in bytes.
    pub bytes: usize,
    /// The maximum nesting of calls of the block's own functions.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            source_bytes: 64 << 10,
            steps: 1_000_000,
            seconds: 2.0,
            bytes: 64 << 20,
            depth: 60,
        }
    }
}
