//! On Windows, the browser gets the handles of its pipes as an argument, and a job object ends its processes when this
//! process ends.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::windows::io::{AsHandle, AsRawHandle as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};

use crate::child::{self, Environment, ProcessJob};

/// How long a browser may take to end after its pipes are closed.
const FAREWELL: Duration = Duration::from_secs(3);

pub(super) struct ProcessGuard {
    child: Child,
    /// The browser's processes, which end when this is dropped.
    job: Option<ProcessJob>,
}

pub(super) fn start(
    program: &Path,
    arguments: &[String],
    environment: &Environment,
    _: &Path,
    said: File,
) -> io::Result<(ProcessGuard, PipeReader, PipeWriter)> {
    let (their_input, says) = io::pipe()?;
    let (hears, their_output) = io::pipe()?;
    inherit(&their_input)?;
    inherit(&their_output)?;
    let mut command = child::command(program, environment);
    command
        .arg("--remote-debugging-pipe")
        .arg(format!(
            "--remote-debugging-io-pipes={},{}",
            their_input.as_raw_handle() as usize,
            their_output.as_raw_handle() as usize
        ))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(said);
    let job = ProcessJob::new()?;
    let mut child = command.spawn()?;
    job.add(&child).inspect_err(|_| {
        let _ = child.kill();
    })?;
    Ok((ProcessGuard { child, job: Some(job) }, hears, says))
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        let until = Instant::now() + FAREWELL;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.job = None;
        let _ = self.child.wait();
    }
}

#[expect(unsafe_code, reason = "handing over a handle")]
fn inherit(end: &impl AsHandle) -> io::Result<()> {
    let handle = end.as_handle().as_raw_handle();
    // SAFETY: The handle is open.
    match unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
