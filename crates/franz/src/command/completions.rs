//! `franz completions SHELL`

use clap::CommandFactory;

use crate::cli::Cli;

pub(super) fn print(shell: clap_complete::Shell) {
    clap_complete::generate(shell, &mut Cli::command(), "franz", &mut std::io::stdout());
}
