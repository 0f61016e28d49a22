//! Measures as a client: requests on fresh and on kept connections, chunks of a stream, and a crowd of clients.

use std::io::{BufRead as _, BufReader, Error, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

use crate::origin::now;
use crate::{Outcome, RUN_KEY};

/// The number of bytes in a request with a picture.
const BODY: usize = 1_500_000;
/// The number of requests of each kind per target and round.
const IN_A_ROUND: usize = 10;

/// Sends rounds of requests to all targets in turn. Each round starts with a different target, so that none is always
/// first.
pub(crate) fn requests(rounds: usize, targets: &[(String, u16)]) -> Outcome {
    for round in 0..rounds {
        for place in 0..targets.len() {
            let Some((name, port)) = targets.get((round + place) % targets.len()) else {
                continue;
            };
            // The relay does not look up a client that presents the run's key.
            for (kind, header) in [
                ("short", String::new()),
                ("keyed", format!("X-Franz-Key: {RUN_KEY}\r\n")),
            ] {
                let request = request(*port, &header, 2);
                for _ in 0..IN_A_ROUND {
                    let started = Instant::now();
                    ask(&mut connect(*port)?, &request)?;
                    println!("{name} {kind} {}", started.elapsed().as_micros());
                }
            }
            let request = request(*port, "", BODY);
            for _ in 0..IN_A_ROUND {
                let started = Instant::now();
                ask(&mut connect(*port)?, &request)?;
                println!("{name} fresh {}", started.elapsed().as_micros());
            }
            let mut kept = connect(*port)?;
            ask(&mut kept, &request)?;
            for _ in 0..IN_A_ROUND {
                let started = Instant::now();
                ask(&mut kept, &request)?;
                println!("{name} kept {}", started.elapsed().as_micros());
            }
        }
    }
    Ok(())
}

/// Reads one stream from each target in turn. Each chunk contains the time at which it was sent.
pub(crate) fn streams(chunks: u32, targets: &[(String, u16)]) -> Outcome {
    for (name, port) in targets {
        let mut connection = connect(*port)?;
        connection
            .get_mut()
            .write_all(&request(*port, &format!("X-Chunks: {chunks}\r\n"), 2))?;
        let mut line = String::new();
        while line != "0\r\n" {
            line.clear();
            if connection.read_line(&mut line)? == 0 {
                return Err(format!("{name} ended its stream").into());
            }
            if let Some(sent) = line
                .strip_prefix("data: ")
                .and_then(|event| event.get(..30)?.parse::<u128>().ok())
            {
                println!("{name} stream {}", now().saturating_sub(sent) / 1000);
            }
        }
    }
    Ok(())
}

/// Sends a request of `megabytes` MB from each client. All but the last byte of every request is sent before any
/// request is complete.
pub(crate) fn crowd(clients: usize, megabytes: usize, port: u16) -> Outcome {
    let request = Arc::new(request(port, "", megabytes << 20));
    let barrier = Arc::new(Barrier::new(clients));
    let client = || {
        let (request, barrier) = (Arc::clone(&request), Arc::clone(&barrier));
        thread::spawn(move || {
            let mut connection = connect(port)?;
            let (most, last) = request.split_at(request.len() - 1);
            let sent = connection.get_mut().write_all(most);
            barrier.wait();
            sent?;
            ask(&mut connection, last)
        })
    };
    let threads: Vec<_> = (0..clients).map(|_| client()).collect();
    for thread in threads {
        thread.join().map_err(|_| "a client panicked")??;
    }
    Ok(())
}

fn request(port: u16, headers: &str, body: usize) -> Vec<u8> {
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}Content-Length: {body}\r\n\r\n"
    );
    [head.into_bytes(), vec![b'x'; body]].concat()
}

fn connect(port: u16) -> Result<BufReader<TcpStream>, Error> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_nodelay(true)?;
    Ok(BufReader::with_capacity(64 << 10, stream))
}

/// Sends a request and reads its answer.
fn ask(connection: &mut BufReader<TcpStream>, request: &[u8]) -> Result<(), Error> {
    connection.get_mut().write_all(request)?;
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            return Err(Error::other("the connection ended before the answer"));
        }
        let lower = line.trim_end().to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        if lower.is_empty() {
            break;
        }
    }
    let mut answer = vec![0; length];
    connection.read_exact(&mut answer)
}
