//! A model server that answers each connection with scripted bytes, however invalid.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// How the server handles one connection after it has read the request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Sends these bytes and closes the connection.
    Send(Vec<u8>),
    /// Sends these bytes as soon as anything arrives, and then nothing until the client leaves.
    Greet(Vec<u8>),
    /// Resets the connection without sending a byte.
    Reset,
    /// Sends these bytes, and then nothing until the client leaves.
    Hang(Vec<u8>),
    /// Sends these bytes, and then comments of an event stream until the client leaves.
    Ping(Vec<u8>),
    /// Sends the bytes for the path that was requested, or else a 404, and closes the connection.
    Route(Vec<(&'static str, Vec<u8>)>),
    /// Sends a head with status 200, followed by zeros for as long as the client accepts them.
    Flood,
}

/// A server on a free port of 127.0.0.1. It ends together with its test's runtime.
pub(crate) struct Server {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<String>>>,
    left: mpsc::UnboundedReceiver<()>,
}

impl Server {
    /// Starts a server that performs one act per connection, and repeats the last one for all further connections.
    pub(crate) async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (leave, left) = mpsc::unbounded_channel();
        tokio::spawn(serve(listener, acts, requests.clone(), leave));
        Self {
            address,
            requests,
            left,
        }
    }

    /// Returns the requests received so far, each with head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic while held").clone()
    }

    /// Waits until the client has left a connection on which the server hangs.
    pub(crate) async fn abandoned(&mut self) {
        self.left.recv().await.expect("the server runs");
    }
}

/// Returns an act that sends an answer with this status, these additional header lines and this body.
pub(crate) fn answer(status: &str, head: &str, body: &str) -> Act {
    Act::Send(bytes(status, head, body))
}

/// Returns the bytes of an answer with this status, these additional header lines and this body.
pub(crate) fn bytes(status: &str, head: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{head}\r\n{body}").into_bytes()
}

/// Returns an act that sends a valid answer with this content, given as a JSON literal.
pub(crate) fn good(content: &str) -> Act {
    answer(
        "200 OK",
        "",
        &format!(r#"{{"choices":[{{"message":{{"content":{content}}}}}]}}"#),
    )
}

/// Returns an address on which nothing listens.
pub(crate) async fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

async fn serve(
    listener: TcpListener,
    acts: Vec<Act>,
    requests: Arc<Mutex<Vec<String>>>,
    leave: mpsc::UnboundedSender<()>,
) {
    let mut connections = 0;
    while let Ok((stream, _)) = listener.accept().await {
        let act = acts[connections.min(acts.len() - 1)].clone();
        connections += 1;
        tokio::spawn(play(stream, act, requests.clone(), leave.clone()));
    }
}

async fn play(mut stream: TcpStream, act: Act, requests: Arc<Mutex<Vec<String>>>, leave: mpsc::UnboundedSender<()>) {
    if let Act::Greet(bytes) = &act {
        let _ = stream.read(&mut [0; 64]).await;
        let _ = stream.write_all(bytes).await;
        while stream.read(&mut [0; 64]).await.is_ok_and(|count| count > 0) {}
        return;
    }
    let request = read_request(&mut stream).await;
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    requests.lock().expect("no panic while held").push(request);
    match act {
        Act::Send(bytes) => send(&mut stream, &bytes).await,
        Act::Route(routes) => {
            let route = routes.into_iter().find(|(asked, _)| *asked == path);
            let bytes = route.map_or_else(|| bytes("404 Not Found", "", ""), |(_, bytes)| bytes);
            send(&mut stream, &bytes).await;
        }
        Act::Greet(_) => {}
        Act::Reset => stream.set_zero_linger().expect("a socket option"),
        Act::Hang(bytes) => {
            let _ = stream.write_all(&bytes).await;
            while stream.read(&mut [0; 64]).await.is_ok_and(|count| count > 0) {}
            let _ = leave.send(());
        }
        Act::Ping(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let mut pause = tokio::time::interval(Duration::from_millis(100));
            while stream.write_all(b": ping\n\n").await.is_ok() {
                pause.tick().await;
            }
        }
        Act::Flood => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").await;
            let zeros = vec![b'0'; 65_536];
            while stream.write_all(&zeros).await.is_ok() {}
        }
    }
}

/// Sends the bytes and closes the connection. The client might stop reading before the last byte.
async fn send(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut chunk = vec![0; 65_536];
    loop {
        if is_whole(&String::from_utf8_lossy(&request)) {
            return String::from_utf8_lossy(&request).into_owned();
        }
        match stream.read(&mut chunk).await {
            Ok(count) if count > 0 => request.extend_from_slice(&chunk[..count]),
            _ => return String::from_utf8_lossy(&request).into_owned(),
        }
    }
}

fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else {
        return false;
    };
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    body.len() >= length.map_or(0, |length| length.trim().parse().expect("a length"))
}

/// A time limit far longer than any test needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
