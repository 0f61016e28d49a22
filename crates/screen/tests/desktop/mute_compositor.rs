//! A Wayland compositor that lists what it offers, or says nothing at all.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use tempfile::TempDir;

pub(crate) struct MuteCompositor {
    directory: TempDir,
    requests: Receiver<()>,
}

impl MuteCompositor {
    /// Starts a compositor that answers nothing.
    pub(crate) fn silent() -> MuteCompositor {
        MuteCompositor::start(|stream, asked| {
            let mut stream = stream;
            while stream.read(&mut [0; 512]).is_ok_and(|count| count > 0) {
                let _ = asked.send(());
            }
        })
    }

    /// Starts a compositor that offers these interfaces, in their first version.
    pub(crate) fn listing(interfaces: &'static [&'static str]) -> MuteCompositor {
        MuteCompositor::start(move |stream, _| drop(serve(&stream, interfaces)))
    }

    fn start(serve: impl Fn(UnixStream, &Sender<()>) + Send + 'static) -> MuteCompositor {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join("wayland-1")).unwrap();
        let (asked, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                serve(stream, &asked);
            }
        });
        MuteCompositor { directory, requests }
    }

    pub(crate) fn name(&self) -> String {
        self.directory.path().join("wayland-1").to_str().unwrap().to_owned()
    }

    /// Waits for a request.
    pub(crate) fn asked(&self) {
        self.requests.recv().unwrap();
    }
}

/// Answers requests for the list of globals, and questions whether everything has been processed.
fn serve(mut stream: &UnixStream, interfaces: &[&str]) -> std::io::Result<()> {
    loop {
        let mut head = [0; 8];
        stream.read_exact(&mut head)?;
        let word = |at: usize| u32::from_ne_bytes(head[at..at + 4].try_into().unwrap());
        let (object, code, length) = (word(0), word(4) & 0xffff, word(4) >> 16);
        let mut body = vec![0; length as usize - 8];
        stream.read_exact(&mut body)?;
        match (object, code) {
            (1, 0) => {
                let callback = u32::from_ne_bytes(body[..4].try_into().unwrap());
                stream.write_all(&event(callback, 0, &[0_u32.to_ne_bytes().to_vec()]))?;
            }
            (1, 1) => {
                let registry = u32::from_ne_bytes(body[..4].try_into().unwrap());
                for (name, interface) in (1_u32..).zip(interfaces) {
                    let arguments = [
                        name.to_ne_bytes().to_vec(),
                        text(interface),
                        1_u32.to_ne_bytes().to_vec(),
                    ];
                    stream.write_all(&event(registry, 0, &arguments))?;
                }
            }
            _ => {}
        }
    }
}

fn event(object: u32, code: u32, arguments: &[Vec<u8>]) -> Vec<u8> {
    let body = arguments.concat();
    let second = ((body.len() as u32 + 8) << 16) | code;
    [&object.to_ne_bytes()[..], &second.to_ne_bytes(), &body].concat()
}

/// Encodes a text: its length with a final zero, and as many zeros as complete the last word.
fn text(text: &str) -> Vec<u8> {
    let length = text.len() + 1;
    let mut bytes = (length as u32).to_ne_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes.resize(4 + length.next_multiple_of(4), 0);
    bytes
}
