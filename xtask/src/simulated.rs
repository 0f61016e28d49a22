//! Models as servers: the built-in one, and the Python programs in `crates/suite/tests`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

use crate::process::root;

/// A model, which ends when this value is dropped.
pub(crate) struct SimulatedModel {
    process: Child,
    /// The address of its server.
    pub(crate) address: String,
}

impl SimulatedModel {
    /// Starts a program in `crates/suite/tests`, and waits until it says its address.
    pub(crate) fn start(python: &Path, program: &str, more: &[&str]) -> Result<SimulatedModel> {
        let mut command = Command::new(python);
        let program = root().join("crates/suite/tests").join(program);
        command.arg("-B").arg(program).args(more);
        SimulatedModel::of(command)
    }

    /// Starts a server, and waits until it says its address.
    pub(crate) fn of(mut command: Command) -> Result<SimulatedModel> {
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let address = line.split_whitespace().find(|word| word.starts_with("http://"));
        let address = address.context("the model printed no address")?.to_owned();
        Ok(SimulatedModel { process, address })
    }
}

impl Drop for SimulatedModel {
    fn drop(&mut self) {
        // Neither of these is needed if the server has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
