//! The limits of one block.

/// The limits of one block. Exceeding one ends the block; its host calls up to that point remain valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Length of the source, in bytes.
    pub source_bytes: usize,
    /// Steps of the interpreter.
    pub steps: u64,
    /// Time, in seconds.
    pub seconds: f64,
    /// Memory of the block's values, in bytes.
    pub bytes: usize,
    /// Nested calls of the block's own functions.
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
