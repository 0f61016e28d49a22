//! A stream of pictures from PipeWire, over its native protocol.
//!
//! In reading order: [`mod@pod`] are the values of messages, [`socket`] exchanges messages, and [`memory`] is what
//! PipeWire shares. [`node`] is our end of the stream: [`port`] is what it accepts, [`mod@link`] exchanges buffers, and
//! [`activation`] says whose turn it is. [`newest`] is the picture that arrived last.

mod activation;
mod link;
mod memory;
mod newest;
mod node;
mod pod;
mod port;
mod socket;
#[cfg(test)]
mod tests;

use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::JoinHandle;

pub(super) use newest::Newest;
use node::Node;

/// A stream that a thread receives until this is dropped.
pub(super) struct Stream {
    newest: Arc<Newest>,
    stop: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Stream {
    /// Receives the stream of a node, over a connection to PipeWire.
    pub(super) fn receive(remote: OwnedFd, node: u32) -> io::Result<Stream> {
        let newest = Arc::new(Newest::default());
        let (stopped, stop) = io::pipe()?;
        let mut own = Node::attach(remote, node, Arc::clone(&newest))?;
        let thread = std::thread::Builder::new().name("pipewire".to_owned()).spawn(move || {
            let ended = own.run(&stopped);
            own.end(ended);
        })?;
        Ok(Stream {
            newest,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    pub(super) fn newest(&self) -> &Newest {
        &self.newest
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
