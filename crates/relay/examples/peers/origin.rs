//! A server that reads a request and answers immediately, or streams chunks that contain the time at which they were
//! sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::Outcome;

/// The number of bytes in an ordinary answer.
const ANSWER: usize = 2048;
/// The pause between two chunks, which matches a model that writes 500 tokens a second.
const PACE: Duration = Duration::from_millis(2);

/// Serves until the process is stopped.
pub(crate) fn serve() -> Outcome {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("{}", listener.local_addr()?.port());
    for stream in listener.incoming() {
        let stream = stream?;
        stream.set_nodelay(true)?;
        // When a client goes away, only its own thread ends.
        thread::spawn(move || converse(&stream).ok());
    }
    Ok(())
}

/// Returns the time in nanoseconds, from a clock that all processes of this machine share.
pub(crate) fn now() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos()
}

fn converse(stream: &TcpStream) -> Result<(), std::io::Error> {
    let mut reader = BufReader::with_capacity(256 << 10, stream);
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {ANSWER}\r\n\r\n{}",
        "x".repeat(ANSWER)
    );
    loop {
        let (mut length, mut chunks, mut line) = (0_u64, 0_u32, String::new());
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let lower = line.trim_end().to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or_default();
            }
            if let Some(value) = lower.strip_prefix("x-chunks:") {
                chunks = value.trim().parse().unwrap_or_default();
            }
            if lower.is_empty() {
                break;
            }
        }
        std::io::copy(&mut (&mut reader).take(length), &mut std::io::sink())?;
        if chunks == 0 {
            (&mut &*stream).write_all(answer.as_bytes())?;
        } else {
            stream_chunks(stream, chunks)?;
        }
    }
}

fn stream_chunks(mut stream: &TcpStream, chunks: u32) -> Result<(), std::io::Error> {
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")?;
    for _ in 0..chunks {
        thread::sleep(PACE);
        let event = format!("data: {:0>30} {}\n\n", now(), "x".repeat(100));
        stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())?;
    }
    stream.write_all(b"0\r\n\r\n")
}
