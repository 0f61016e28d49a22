//! Prepares all child processes in one place, so that none inherits more than it needs.

mod environment;
#[cfg(unix)]
mod files;
#[cfg(windows)]
mod job;

use std::ffi::OsStr;
use std::process::{Command, Stdio};

pub use environment::Environment;
#[cfg(windows)]
pub use job::ProcessJob;

/// Creates a command that inherits nothing but `environment`: it has no standard input, no open files, and a process
/// group of its own.
///
/// Standard output, standard error and the working directory are the parent's until the caller changes them.
pub fn command(program: impl AsRef<OsStr>, environment: &Environment) -> Command {
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    let mut command = Command::new(program);
    command.env_clear().envs(environment.iter()).stdin(Stdio::null());
    #[cfg(unix)]
    {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        files::close_on_exec(&mut command);
    }
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NEW_PROCESS_GROUP);
    command
}

/// A flag of the Windows function `CreateProcess`, with its documented value.
#[cfg(windows)]
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;

#[cfg(all(test, target_os = "linux"))]
mod tests;
