//! The pipes of a browser on Unix: it reads commands from descriptor 3 and writes to descriptor 4.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// The descriptors that a browser reads from and writes to.
const PLACES: [RawFd; 2] = [3, 4];

/// Copies get descriptors from this number up, so that they do not clash with the browser's.
const HIGH: RawFd = 10;

/// Two pipes. All of their ends stay open until this is dropped, so that nothing else can get the descriptors that the
/// browser's ends will take.
pub(super) struct Pipes {
    _theirs: (PipeReader, PipeWriter),
}

/// Attaches new pipes to a command that is about to be started. Also returns this process's ends.
#[expect(unsafe_code, reason = "handing over descriptors")]
pub(super) fn connect(command: &mut Command) -> io::Result<(Pipes, PipeReader, PipeWriter)> {
    let (their_input, says) = io::pipe()?;
    let (hears, their_output) = io::pipe()?;
    let handed = [high(&their_input)?, high(&their_output)?];
    // SAFETY: Between fork and exec, only system calls are made, on descriptors that are open.
    unsafe {
        command.pre_exec(move || {
            for (from, to) in handed.iter().zip(PLACES) {
                if libc::dup2(from.as_raw_fd(), to) < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
    let pipes = Pipes {
        _theirs: (their_input, their_output),
    };
    Ok((pipes, hears, says))
}

/// Returns a copy of a descriptor that has a high number and that no program inherits.
#[expect(unsafe_code, reason = "copying a descriptor")]
fn high(end: &impl AsRawFd) -> io::Result<OwnedFd> {
    // SAFETY: The descriptor is open, and nobody else owns the copy.
    unsafe {
        match libc::fcntl(end.as_raw_fd(), libc::F_DUPFD_CLOEXEC, HIGH) {
            -1 => Err(io::Error::last_os_error()),
            copy => Ok(OwnedFd::from_raw_fd(copy)),
        }
    }
}
