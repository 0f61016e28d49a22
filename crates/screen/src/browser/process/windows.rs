//! On Windows, the browser gets the handles of its pipes as an argument, and a job object ends its processes when this
//! process ends.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle as _, OwnedHandle};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
};

use crate::child::{self, Environment};

/// How long a browser may take to end after its pipes are closed.
const FAREWELL: Duration = Duration::from_secs(3);

pub(super) struct ProcessGuard {
    child: Child,
    /// The browser's processes end when the last handle of the job is closed.
    job: Option<OwnedHandle>,
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
    let job = job()?;
    let child = command.spawn()?;
    assign(&job, &child)?;
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

#[expect(unsafe_code, reason = "making a job that ends with this process")]
fn job() -> io::Result<OwnedHandle> {
    // SAFETY: The structure is plain data of the size that is passed, and nobody else owns the handle.
    unsafe {
        let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        let job = OwnedHandle::from_raw_handle(job);
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let set = SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size_of_val(&limits) as u32,
        );
        if set == 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(job)
        }
    }
}

#[expect(unsafe_code, reason = "putting a process into a job")]
fn assign(job: &OwnedHandle, child: &Child) -> io::Result<()> {
    // SAFETY: Both handles are open.
    match unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
