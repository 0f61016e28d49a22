//! A model server that answers each request with scripted bytes, however invalid.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Far longer than any run needs.
const PATIENCE: Duration = Duration::from_mins(4);
/// The pause between two bytes of an answer that is sent byte by byte.
const DRIP: Duration = Duration::from_millis(1);

/// The server's act after it has read a request for a reply. Then it closes the connection.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends these bytes and resets the connection.
    Reset(Vec<u8>),
    /// Sends these bytes and then nothing, until the other side disconnects.
    Hang(Vec<u8>),
    /// Sends these bytes, one at a time.
    Drip(Vec<u8>),
    /// Sends the first bytes once, and then the others repeatedly, either this many times or for as long as they are
    /// accepted.
    Flood(Vec<u8>, Vec<u8>, Option<usize>),
}

/// The server.
pub(super) struct Server {
    address: SocketAddr,
    ended: Receiver<()>,
}

/// The remaining acts, and a channel that reports when there are none left.
struct Script {
    acts: Mutex<std::vec::IntoIter<Act>>,
    ended: Sender<()>,
}

impl Server {
    /// Starts a server that performs one act per request. The request after the last act is reported and never
    /// answered. With `leave`, the server has closed its port by then.
    pub(super) fn performing(acts: Vec<Act>, leave: bool) -> Server {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, ended) = channel();
        let script = Script {
            acts: Mutex::new(acts.into_iter()),
            ended: sender,
        };
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let Some(act) = script.asked(&stream) else { continue };
                let over = script.acts.lock().unwrap().len() == 0;
                if leave && over {
                    // Stop listening before the last answer, so that the port is closed once the client has it.
                    drop(listener);
                    perform(&act, &stream);
                    return;
                }
                std::thread::spawn(move || perform(&act, &stream));
            }
        });
        Server { address, ended }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits for the request after the last act.
    pub(super) fn wait_for_the_end(&self) {
        self.ended
            .recv_timeout(PATIENCE)
            .expect("the run comes to the end of the script");
    }
}

impl Script {
    /// Reads the request on a connection. Returns the act to perform, unless the request has already been answered.
    fn asked(&self, stream: &TcpStream) -> Option<Act> {
        if !read_request(&mut BufReader::new(stream))? {
            send(
                stream,
                &answer("200 OK", "", r#"{"object":"list","data":[{"id":"chaos"}]}"#),
            );
            return None;
        }
        let next = self.acts.lock().unwrap().next();
        Some(next.unwrap_or_else(|| {
            // The test need not be waiting for this.
            let _ = self.ended.send(());
            Act::Hang(Vec::new())
        }))
    }
}

/// Returns an answer with this end of the status line, these additional header lines and this body.
pub(super) fn answer(status: &str, head: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{head}\r\n{body}").into_bytes()
}

fn perform(act: &Act, mut stream: &TcpStream) {
    match act {
        Act::Send(bytes) => send(stream, bytes),
        Act::Reset(bytes) => {
            send(stream, bytes);
            let _ = rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO));
            return;
        }
        Act::Hang(bytes) => {
            send(stream, bytes);
            wait_until_it_goes(stream);
        }
        Act::Drip(bytes) => {
            for byte in bytes {
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
                std::thread::sleep(DRIP);
            }
        }
        Act::Flood(start, piece, times) => {
            send(stream, start);
            let mut sent = 0;
            while times.is_none_or(|times| sent < times) && stream.write_all(piece).is_ok() {
                sent += 1;
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Write);
}

fn send(mut stream: &TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes);
}

fn wait_until_it_goes(mut stream: &TcpStream) {
    while stream.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
}

/// Reads a request. Returns whether it asks for a reply.
fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<bool> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        (reader.read_line(&mut head).ok()? > 0).then_some(())?;
    }
    let head = head.to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = reader.take(length.unwrap_or(0));
    std::io::copy(&mut body, &mut std::io::sink()).ok()?;
    Some(head.starts_with("post "))
}
