//! Lets programs that ask a model do so through `franz panel`, with the libraries that people use. A program must get the
//! same answers as from the server itself, and the panel must record each of its conversations.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::browser;
use crate::node;
use crate::process::{cargo, root, run};
use crate::python;

/// The directory with the clients, the model server that answers them, and the harness that compares.
const CLIENTS: &str = "crates/franz/tests/clients";

/// Builds the program and lets the Python and Node libraries ask.
pub(crate) fn test() -> Result<()> {
    run(&mut cargo(&["build", "--quiet", "--package", "franz-agent"]))?;
    ask(&browser::program()?)
}

/// Installs the Python and Node libraries if necessary, and lets both ask through a panel of this program.
pub(crate) fn ask(franz: &Path) -> Result<()> {
    let python = python::environment("clients", &clients().join("requirements.txt"))?;
    let client = clients().join("openai_client.py");
    run(&mut harness(
        &python,
        franz,
        [python.as_os_str(), "-B".as_ref(), client.as_os_str()],
    ))?;
    // This installs the packages that the script needs.
    node::script(&clients(), "")?;
    let client = clients().join("openai_client.mjs");
    run(&mut harness(&python, franz, ["node".as_ref(), client.as_os_str()]))
}

/// Returns the command that compares a client's answers, given the client's own command.
pub(crate) fn harness<'a>(python: &Path, franz: &Path, client: impl IntoIterator<Item = &'a OsStr>) -> Command {
    let mut command = Command::new(python);
    command
        .arg("-B")
        .arg(clients().join("harness.py"))
        .arg(franz)
        .args(client);
    command
}

fn clients() -> PathBuf {
    root().join(CLIENTS)
}
