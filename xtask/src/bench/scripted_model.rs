//! The built-in model's server, which answers immediately with prepared replies.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

/// The server, which ends when this value is dropped.
pub(super) struct ScriptedModel {
    server: Child,
    pub(super) url: String,
}

impl ScriptedModel {
    /// Starts the server of this `franz` with the replies in a file.
    pub(super) fn start(program: &Path, script: &Path) -> Result<ScriptedModel> {
        let mut command = Command::new(program);
        command
            .args(["demo-model", "--port", "0", "--delay", "0", "--script"])
            .arg(script);
        let mut server = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(server.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let url = line.split(' ').find(|word| word.starts_with("http://"));
        let url = url.context("the model server did not say where it is")?.to_owned();
        Ok(ScriptedModel { server, url })
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        // Neither of these is needed if the server has already ended.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
