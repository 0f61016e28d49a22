//! A job of Windows, with which a program and everything that it starts can be ended.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::Child;

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};

/// A program and everything that it starts. All of it ends when this value is dropped, or with this process, however it
/// ends.
#[derive(Debug)]
pub struct ProcessJob {
    handle: OwnedHandle,
}

impl ProcessJob {
    /// Creates an empty job.
    #[expect(unsafe_code, reason = "making a job that ends with this process")]
    pub fn new() -> io::Result<ProcessJob> {
        // SAFETY: The structure is plain data of the size that is passed, and nobody else owns the handle.
        unsafe {
            let handle = CreateJobObjectW(std::ptr::null(), std::ptr::null());
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            let handle = OwnedHandle::from_raw_handle(handle);
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            let set = SetInformationJobObject(
                handle.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_val(&limits) as u32,
            );
            if set == 0 {
                Err(io::Error::last_os_error())
            } else {
                Ok(ProcessJob { handle })
            }
        }
    }

    /// Adds a program, and whatever it starts from now on.
    #[expect(unsafe_code, reason = "putting a process into a job")]
    pub fn add(&self, child: &Child) -> io::Result<()> {
        // SAFETY: Both handles are open.
        match unsafe { AssignProcessToJobObject(self.handle.as_raw_handle(), child.as_raw_handle()) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Ends everything in the job.
    #[expect(unsafe_code, reason = "ending the processes of a job")]
    pub fn end(&self) -> io::Result<()> {
        // SAFETY: The handle is open.
        match unsafe { TerminateJobObject(self.handle.as_raw_handle(), 1) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::process::{ChildStdout, Command, Stdio};

    use super::*;

    /// Starts a program that, after a line of input, starts another one, which waits for input that never comes;
    /// returns its output, which ends when both have ended.
    fn start_two() -> (Child, ChildStdout) {
        let mut command = Command::new("cmd.exe");
        command.args(["/c", "set /p go=& cmd.exe /c pause"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        (child, output)
    }

    #[test]
    fn a_program_ends_with_everything_that_it_started() {
        let ends: [fn(ProcessJob); 2] = [drop, |job: ProcessJob| job.end().unwrap()];
        for end in ends {
            let job = ProcessJob::new().unwrap();
            let (mut child, mut output) = start_two();
            job.add(&child).unwrap();
            // What a program started before it was added is not in the job.
            child.stdin.as_mut().unwrap().write_all(b"go\r\n").unwrap();
            // The second program writes this.
            output.read_exact(&mut [0]).unwrap();
            end(job);
            output.read_to_end(&mut Vec::new()).unwrap();
            child.wait().unwrap();
        }
    }
}
