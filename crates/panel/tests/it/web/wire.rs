//! A client that sends and reads raw bytes.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The server's response.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The status; 0 if there was no response.
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Whether the body is as long as the head says.
    pub(crate) whole: bool,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns all values of a header, separated by commas.
    pub(crate) fn header(&self, name: &str) -> String {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let values = lines.filter(|(given, _)| given.eq_ignore_ascii_case(name));
        values.map(|(_, value)| value).collect::<Vec<_>>().join(", ")
    }
}

pub(crate) fn line(name: &str, value: &str) -> String {
    format!("{name}: {value}\r\n")
}

/// Sends `bytes` on a new connection and reads until the server closes it.
pub(crate) async fn exchange(address: SocketAddr, bytes: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut all = Vec::new();
    {
        let (mut reading, mut writing) = stream.split();
        // A server that refuses a request early closes the connection before it has read everything.
        let (_, _) = tokio::join!(writing.write_all(bytes), reading.read_to_end(&mut all));
    }
    read(&all)
}

pub(crate) fn read(all: &[u8]) -> Reply {
    let Some(end) = all.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Reply {
            status: 0,
            head: String::from_utf8_lossy(all).into_owned(),
            body: Vec::new(),
            whole: false,
        };
    };
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    let mut reply = Reply {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head,
        body: all[end + 4..].to_vec(),
        whole: true,
    };
    if reply.header("transfer-encoding") == "chunked" {
        (reply.body, reply.whole) = dechunked(&reply.body);
    } else if let Ok(length) = reply.header("content-length").parse::<usize>() {
        reply.whole = reply.body.len() == length;
    }
    reply
}

fn dechunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|window| window == b"\r\n") else {
            return (body, false);
        };
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return (body, true);
        }
        let Some(chunk) = rest.get(end + 2..end + 2 + length) else {
            return (body, false);
        };
        body.extend_from_slice(chunk);
        rest = rest.get(end + 2 + length + 2..).unwrap_or_default();
    }
}
