//! A model server that answers immediately and reports when each request arrived. It can also stop answering.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::http;

/// How long to wait for a request, which is far longer than any working run needs.
const PATIENCE: Duration = Duration::from_mins(10);

/// The maximum number of milestones waiting to be read.
const MILESTONES: usize = 1024;

/// A server that runs on its own threads until the program ends.
pub(super) struct Model {
    pub(super) address: SocketAddr,
    replies: u64,
    asked: Receiver<(u64, Instant)>,
}

/// The number of replies between two milestones. The last reply is also a milestone.
pub(super) const MILESTONE: u64 = 1000;

impl Model {
    /// Starts a server that answers the first `replies` requests for a reply, and no others.
    pub(super) fn answering(replies: u64) -> Result<Model> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (sender, asked) = sync_channel(MILESTONES);
        std::thread::spawn(move || {
            let given = Arc::new(AtomicU64::new(0));
            for stream in listener.incoming().flatten() {
                let (given, sender) = (Arc::clone(&given), sender.clone());
                // A client that disconnects early is not part of the measurement.
                std::thread::spawn(move || converse(&stream, &given, replies, &sender));
            }
        });
        Ok(Model {
            address,
            replies,
            asked,
        })
    }

    /// Waits for the request that is never answered, and returns when it arrived.
    pub(super) fn asked_last(&self) -> Result<Instant> {
        loop {
            let (number, instant) = self.milestone()?;
            if number == self.replies {
                return Ok(instant);
            }
        }
    }

    /// Waits for the next milestone. Returns how many requests had been answered before it, and when its request
    /// arrived.
    pub(super) fn milestone(&self) -> Result<(u64, Instant)> {
        match self.asked.recv_timeout(PATIENCE) {
            Ok(milestone) => Ok(milestone),
            Err(RecvTimeoutError::Timeout) => bail!("the run did not get that far within {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => bail!("the model server for this measurement has failed"),
        }
    }
}

/// Answers one client until the client disconnects. Never answers requests after the last reply.
fn converse(stream: &TcpStream, given: &AtomicU64, replies: u64, asked: &SyncSender<(u64, Instant)>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut start = String::new();
        if reader.read_line(&mut start)? == 0 {
            return Ok(());
        }
        let length = http::length(&mut reader)?;
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink())?;
        if !start.starts_with("POST ") {
            http::answer(stream, r#"{"object":"list","data":[{"id":"bench"}]}"#)?;
            continue;
        }
        let before = given.fetch_add(1, Ordering::Relaxed);
        if before.is_multiple_of(MILESTONE) || before == replies {
            // The measured program must not wait for the measurement.
            let _ = asked.try_send((before, Instant::now()));
        }
        if before == replies {
            // When the run ends, it closes this connection.
            std::io::copy(&mut reader, &mut std::io::sink())?;
            return Ok(());
        }
        http::answer(stream, &reply(before + 1))?;
    }
}

/// Returns a different stroke each time, so that all pictures differ.
fn reply(number: u64) -> String {
    let (x, y) = (number * 37 % 1000, number * 91 % 1000);
    let text = format!("Turn {number}: a stroke more.\\n```python\\ndrag({x}, {y}, {y}, {x})\\n```");
    format!(r#"{{"choices":[{{"message":{{"role":"assistant","content":"{text}"}},"finish_reason":"stop"}}]}}"#)
}
