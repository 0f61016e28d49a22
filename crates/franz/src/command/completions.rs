//! `franz completions SHELL`

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;

use crate::cli::Cli;

pub(super) fn print(shell: clap_complete::Shell) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "franz", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(0)
}
