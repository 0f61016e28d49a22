//! An X server without authentication, and a proxy in front of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Pid, Signal, kill_process};

/// An X server without authentication, which ends when this is dropped.
pub(crate) struct Bare {
    process: Child,
    pub(crate) name: String,
}

impl Bare {
    pub(crate) fn start(arguments: &[&str]) -> Bare {
        Bare::run(&[&["-nolisten", "tcp"], arguments].concat())
    }

    /// Starts a server with a number so high that no automatically numbered server takes it, so that another one can
    /// take its place.
    pub(crate) fn start_apart() -> Bare {
        // Tests of one process may run at the same time.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let in_process = NEXT.fetch_add(1, Ordering::Relaxed) % 8;
        let number = 20_000 + (std::process::id() % 4_000) * 8 + in_process;
        Bare::start_at(&format!(":{number}"))
    }

    /// Starts a server in place of an earlier one.
    pub(crate) fn start_at(name: &str) -> Bare {
        Bare::run(&[name, "-nolisten", "tcp", "-noreset", "-screen", "0", "640x480x24"])
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn run(arguments: &[&str]) -> Bare {
        let mut command = Command::new("Xvfb");
        command.args(arguments).args(["-displayfd", "1"]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut number = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut number)
            .unwrap();
        assert!(!number.trim().is_empty(), "Xvfb does not start with {arguments:?}");
        let name = format!(":{}", number.trim());
        Bare { process, name }
    }

    pub(crate) fn number(&self) -> &str {
        self.name.trim_start_matches(':')
    }

    /// Suspends the server, as if the machine were too busy to run it.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    pub(crate) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }

    /// Starts a proxy in front of the server that replaces `name` in programs' requests with `other`, which has the
    /// same length. Returns the display name of the proxy.
    pub(crate) fn disguised(&self, name: &'static str, other: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = format!("/tmp/.X11-unix/X{}", self.number());
        // Display numbers start at port 6000.
        let display = format!("127.0.0.1:{}", listener.local_addr().unwrap().port() - 6000);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = UnixStream::connect(&socket).unwrap();
                let (mut answers, mut back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut answers, &mut back));
                std::thread::spawn(move || pass_on(client, server, name.as_bytes(), other.as_bytes()));
            }
        });
        display
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn pass_on(mut from: TcpStream, mut to: UnixStream, name: &[u8], other: &[u8]) {
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut part) {
        let part = &mut part[..count];
        if let Some(at) = part.windows(name.len()).position(|bytes| bytes == name) {
            part[at..at + name.len()].copy_from_slice(other);
        }
        if to.write_all(part).is_err() {
            break;
        }
    }
    // The other thread has the connection open too.
    let _ = to.shutdown(Shutdown::Both);
}
