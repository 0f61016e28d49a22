//! Open files that are not for a child, such as those that this process itself inherited.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Descriptors behind the standard streams.
const FIRST: libc::c_int = 3;

/// Hardly a process has more open files where the kernel cannot mark all at once.
const LAST: libc::c_int = 65_536;

/// Has every file but the standard streams closed when the command starts.
#[expect(unsafe_code, reason = "marking files that nobody here owns")]
pub(super) fn close_on_exec(command: &mut Command) {
    // SAFETY: between fork and exec only system calls are made; nothing is allocated, no lock is taken, and no file is closed that is in use.
    unsafe {
        command.pre_exec(|| {
            mark();
            Ok(())
        });
    }
}

#[expect(unsafe_code, reason = "system calls on files that nobody here owns")]
fn mark() {
    #[cfg(target_os = "linux")]
    // SAFETY: it marks files and touches no memory.
    if unsafe {
        libc::syscall(
            libc::SYS_close_range,
            FIRST,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    } == 0
    {
        return;
    }
    for file in FIRST..LAST {
        // SAFETY: as above; a number that is no file is refused.
        unsafe {
            libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}
