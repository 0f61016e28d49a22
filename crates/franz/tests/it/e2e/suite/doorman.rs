//! A model server that holds requests until it is told to let them in, and counts those inside.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

use franz_demo::DemoHandle;

/// The mark of a request with a picture, as runs send them.
const PICTURE: &str = "image_url";

/// A server in front of another one.
pub(super) struct Doorman {
    pub(super) url: String,
    door: Arc<Door>,
}

struct Door {
    server: SocketAddr,
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Default)]
struct State {
    is_open: bool,
    /// Whether requests without a picture are let in and counted for nothing.
    waves_on: bool,
    inside: usize,
    /// The bodies of all requests that were counted.
    bodies: Vec<String>,
}

impl Doorman {
    /// Holds every request for a reply.
    pub(super) fn holding(server: &DemoHandle) -> Doorman {
        Doorman::new(server, false)
    }

    /// Holds every request with a picture.
    pub(super) fn holding_pictures(server: &DemoHandle) -> Doorman {
        Doorman::new(server, true)
    }

    fn new(server: &DemoHandle, waves_on: bool) -> Doorman {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State {
            waves_on,
            ..State::default()
        };
        let door = Arc::new(Door {
            server: server.addr(),
            state: Mutex::new(state),
            opened: Condvar::new(),
        });
        let shared = Arc::clone(&door);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let door = Arc::clone(&shared);
                // The client is free to drop the connection.
                std::thread::spawn(move || door.pass(&stream));
            }
        });
        Doorman { url, door }
    }

    /// Lets everything in, now and later.
    pub(super) fn open(&self) {
        self.door.state.lock().unwrap().is_open = true;
        self.door.opened.notify_all();
    }

    /// Returns how many requests have no answer yet.
    pub(super) fn inside(&self) -> usize {
        self.door.state.lock().unwrap().inside
    }

    /// Returns the bodies of all requests so far.
    pub(super) fn bodies(&self) -> Vec<String> {
        self.door.state.lock().unwrap().bodies.clone()
    }
}

/// Returns whether a request has a picture.
pub(super) fn has_picture(body: &str) -> bool {
    body.contains(PICTURE)
}

impl Door {
    /// Passes on one request and its answer.
    fn pass(&self, mut client: &TcpStream) -> Option<()> {
        let (head, body) = request(client)?;
        let text = String::from_utf8_lossy(&body).into_owned();
        let is_counted = head.starts_with("POST") && {
            let state = self.state.lock().unwrap();
            !state.waves_on || has_picture(&text)
        };
        if is_counted {
            let mut state = self.state.lock().unwrap();
            state.inside += 1;
            state.bodies.push(text);
            drop(self.opened.wait_while(state, |state| !state.is_open).unwrap());
        }
        let mut server = TcpStream::connect(self.server).ok()?;
        server.write_all(closing(&head).as_bytes()).ok()?;
        server.write_all(&body).ok()?;
        let mut answer = Vec::new();
        server.read_to_end(&mut answer).ok()?;
        if is_counted {
            // Before the client can send its next request.
            self.state.lock().unwrap().inside -= 1;
        }
        client.write_all(&answer).ok()
    }
}

/// Reads a request: its head with the empty line, and its body.
fn request(mut client: &TcpStream) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    client.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Returns the head of a request after whose answer the connection is closed.
fn closing(head: &str) -> String {
    let lines = head.trim_end().lines();
    let kept = lines.filter(|line| !line.to_lowercase().starts_with("connection:"));
    kept.chain(["Connection: close", "", ""])
        .collect::<Vec<_>>()
        .join("\r\n")
}
