//! Keeps open files from a child, such as those that this process itself inherited.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// The first descriptor after the standard streams.
const FIRST: libc::c_int = 3;

/// Where to stop on kernels that cannot mark all files at once; processes rarely have more files open than this.
const LAST: libc::c_int = 65_536;

/// Closes every file but the standard streams when the command starts.
#[expect(unsafe_code, reason = "marking files that nobody here owns")]
pub(super) fn close_on_exec(command: &mut Command) {
    // SAFETY: Between fork and exec, only system calls are made: nothing is allocated, no lock is taken, and no file in
    // use is closed.
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
    // SAFETY: The call marks files and touches no memory.
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
        // SAFETY: As above. The system rejects a number that is not an open file.
        unsafe {
            libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}
