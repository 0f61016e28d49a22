//! On Linux, a reaper ends all processes of the browser and removes its directory, even if this process is killed.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::path::Path;
use std::process::Stdio;

use super::pipes;
use crate::child::{self, Environment};
use crate::private_desktop::ProcessSpawner;

pub(super) struct ProcessGuard {
    _spawner: ProcessSpawner,
}

pub(super) fn start(
    program: &Path,
    arguments: &[String],
    environment: &Environment,
    folder: &Path,
    said: File,
) -> io::Result<(ProcessGuard, PipeReader, PipeWriter)> {
    let mut spawner = ProcessSpawner::new()?;
    let mut command = child::command(program, environment);
    command
        .arg("--remote-debugging-pipe")
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(said);
    let (pipes, hears, says) = pipes::connect(&mut command)?;
    spawner.run_in(command, folder)?;
    drop(pipes);
    Ok((ProcessGuard { _spawner: spawner }, hears, says))
}
