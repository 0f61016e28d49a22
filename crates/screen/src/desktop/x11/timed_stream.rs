//! Limits the wait for an X server; once the run is over, to a fraction of a second.

use std::io::{self, ErrorKind, IoSlice};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};
use x11rb::rust_connection::{DefaultStream, PollMode, Stream};
use x11rb::utils::RawFdContainer;

use crate::desktop::display::IsOver;

/// How long to wait for a server's answer. Other programs can block the server for seconds.
const SILENCE: Duration = Duration::from_secs(20);

/// How long to wait for an answer once the run is over, so that FRANZ can still release what it holds.
const MOMENT: Duration = Duration::from_millis(80);

/// How often a wait checks whether the run is over.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 10_000_000,
};

/// The stream of a connection. It is closed when an answer is missing, because a later answer would belong to an older
/// question, and because the server would keep the claim of an unused connection.
pub(super) struct TimedStream {
    stream: DefaultStream,
    is_over: IsOver,
}

impl TimedStream {
    pub(super) fn new(stream: DefaultStream, is_over: IsOver) -> TimedStream {
        TimedStream { stream, is_over }
    }

    fn why_to_end(&self, waited: Duration) -> Option<String> {
        if waited >= SILENCE {
            return Some(format!("no answer for {} s", SILENCE.as_secs()));
        }
        (waited >= MOMENT && (self.is_over)()).then(|| "no answer before the run ended".to_owned())
    }
}

impl AsFd for TimedStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Stream for TimedStream {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, mode.readable());
        flags.set(PollFlags::OUT, mode.writable());
        let mut source = [PollFd::new(&self.stream, flags)];
        let began = Instant::now();
        loop {
            match poll(&mut source, Some(&LOOK)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            if let Some(why) = self.why_to_end(began.elapsed()) {
                let _ = shutdown(&self.stream, Shutdown::Both);
                return Err(io::Error::new(ErrorKind::TimedOut, why));
            }
        }
    }

    fn read(&self, buffer: &mut [u8], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.stream.read(buffer, files)
    }

    fn write(&self, bytes: &[u8], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.stream.write(bytes, files)
    }

    fn write_vectored(&self, parts: &[IoSlice<'_>], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.stream.write_vectored(parts, files)
    }
}
