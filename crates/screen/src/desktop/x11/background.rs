//! A thread that handles the events of its own X connection until it is no longer needed.

use std::io::{PipeReader, PipeWriter, pipe};
use std::thread::{Builder, JoinHandle, current};

use rustix::event::{PollFd, PollFlags};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;

use super::server::{Answer, Server, wait};

/// The thread; it ends when this is dropped.
pub(super) struct Background {
    /// Closing this wakes the thread so that it ends.
    end: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Starts the thread; `see` gets every event, and ends the thread by returning an error.
    pub(super) fn start(
        name: &str,
        server: Server,
        mut see: impl FnMut(&Server, Event) -> Answer<()> + Send + 'static,
    ) -> std::io::Result<Background> {
        let (ended, end) = pipe()?;
        let thread = Builder::new().name(name.to_owned());
        // If the connection ends, the desktop is gone. The next access reports that.
        let thread = thread.spawn(move || drop(listen(&server, &ended, &mut see)))?;
        Ok(Background {
            end: Some(end),
            thread: Some(thread),
        })
    }
}

fn listen(server: &Server, ended: &PipeReader, see: &mut dyn FnMut(&Server, Event) -> Answer<()>) -> Answer<()> {
    loop {
        while let Some(event) = server.connection.poll_for_event()? {
            see(server, event)?;
            if is_over(ended) {
                return Ok(());
            }
        }
        server.connection.flush()?;
        let sources = [
            PollFd::new(server.connection.stream(), PollFlags::IN),
            PollFd::new(ended, PollFlags::IN),
        ];
        wait(&mut { sources }, None).map_err(x11rb::errors::ConnectionError::from)?;
        if is_over(ended) {
            return Ok(());
        }
    }
}

/// Returns whether the other end is gone.
fn is_over(ended: &PipeReader) -> bool {
    let mut source = [PollFd::new(ended, PollFlags::IN)];
    let looked = wait(&mut source, Some(std::time::Duration::ZERO));
    looked.is_err() || source.iter().any(|source| !source.revents().is_empty())
}

impl Drop for Background {
    fn drop(&mut self) {
        self.end = None;
        // A thread that drops itself ends as soon as it returns.
        if let Some(thread) = self
            .thread
            .take()
            .filter(|thread| thread.thread().id() != current().id())
        {
            let _ = thread.join();
        }
    }
}
