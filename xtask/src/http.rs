//! The small part of HTTP that a model server for measurements needs.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, Result};

/// Reads the rest of a request's head, and returns the length of the request's body.
pub(crate) fn length(reader: &mut BufReader<&TcpStream>) -> Result<u64> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            return Ok(length);
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().context("the content length is not a number")?;
        }
    }
}

/// Answers with this JSON.
pub(crate) fn answer(mut stream: &TcpStream, body: &str) -> Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes())?;
    Ok(())
}
