//! A model server that answers at once, tells when it was asked, and can be told to wait.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A wait that no working run comes near.
const PATIENCE: Duration = Duration::from_mins(10);

/// Milestones that nobody has asked for yet.
const MILESTONES: usize = 1024;

/// A server in threads of its own, which lives as long as the program.
pub(super) struct Model {
    pub(super) address: SocketAddr,
    replies: u64,
    asked: Receiver<(u64, Instant)>,
}

/// What was asked for when it is told: each such number of replies, and the last.
pub(super) const MILESTONE: u64 = 1000;

impl Model {
    /// Answers so many requests for a reply. One more is never answered.
    pub(super) fn answering(replies: u64) -> Result<Model> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (sender, asked) = sync_channel(MILESTONES);
        std::thread::spawn(move || {
            let given = Arc::new(AtomicU64::new(0));
            for stream in listener.incoming().flatten() {
                let (given, sender) = (Arc::clone(&given), sender.clone());
                // A client that breaks off is not measured.
                std::thread::spawn(move || converse(&stream, &given, replies, &sender));
            }
        });
        Ok(Model {
            address,
            replies,
            asked,
        })
    }

    /// Waits for the request that is not answered, and says when it had come.
    pub(super) fn asked_last(&self) -> Result<Instant> {
        loop {
            let (number, instant) = self.milestone()?;
            if number == self.replies {
                return Ok(instant);
            }
        }
    }

    /// Waits until so many thousand requests were answered and another one has come: how many, and when.
    pub(super) fn milestone(&self) -> Result<(u64, Instant)> {
        match self.asked.recv_timeout(PATIENCE) {
            Ok(milestone) => Ok(milestone),
            Err(RecvTimeoutError::Timeout) => bail!("the run did not get there within {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => bail!("the model server of this measurement has failed"),
        }
    }
}

/// Answers one client until it goes, or for ever, when it asks for a reply too many.
fn converse(stream: &TcpStream, given: &AtomicU64, replies: u64, asked: &SyncSender<(u64, Instant)>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut start = String::new();
        if reader.read_line(&mut start)? == 0 {
            return Ok(());
        }
        let length = length(&mut reader)?;
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink())?;
        if !start.starts_with("POST ") {
            answer(stream, r#"{"object":"list","data":[{"id":"bench"}]}"#)?;
            continue;
        }
        let before = given.fetch_add(1, Ordering::Relaxed);
        if before.is_multiple_of(MILESTONE) || before == replies {
            // Whoever is measured never waits for who measures.
            let _ = asked.try_send((before, Instant::now()));
        }
        if before == replies {
            // The end of the run is the end of this connection.
            std::io::copy(&mut reader, &mut std::io::sink())?;
            return Ok(());
        }
        answer(stream, &reply(before + 1))?;
    }
}

/// The length of the body, as the rest of the head says.
fn length(reader: &mut BufReader<&TcpStream>) -> Result<u64> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            return Ok(length);
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().context("a length that is no number")?;
        }
    }
}

/// Another stroke each time, so that every picture is another one.
fn reply(number: u64) -> String {
    let (x, y) = (number * 37 % 1000, number * 91 % 1000);
    let text = format!("Turn {number}: a stroke more.\\n```python\\ndrag({x}, {y}, {y}, {x})\\n```");
    format!(r#"{{"choices":[{{"message":{{"role":"assistant","content":"{text}"}},"finish_reason":"stop"}}]}}"#)
}

fn answer(mut stream: &TcpStream, body: &str) -> Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes())?;
    Ok(())
}
