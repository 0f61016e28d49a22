//! A TCP connection on which every wait ends.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::{VncServer, is_here};
use crate::desktop::{DisplayError, IsOver};

/// How often a wait checks whether the run is over.
const SLICE: Duration = Duration::from_millis(20);

/// How long to wait for a server's answer, which can be a whole picture.
pub(super) const ANSWER: Duration = Duration::from_secs(15);

/// How long to wait for a picture as long as its pixels keep arriving.
pub(super) const PICTURE: Duration = Duration::from_mins(2);

/// What to do about a connection that takes even longer.
const SLOW: &str = "the connection is too slow for this screen; use a faster one, or make the screen there smaller";

/// How long to wait for a server to let FRANZ in.
const ENTRANCE: Duration = Duration::from_secs(10);

/// How long to try each of a host's addresses.
const ONE_ADDRESS: Duration = Duration::from_secs(5);

/// How long a write can still take once the run is over, in order to release what is held.
const LAST_WORDS: Duration = Duration::from_millis(80);

/// A connection that gives up at a deadline or when the run is over.
pub(super) struct PatientStream {
    tcp: TcpStream,
    is_over: IsOver,
    pub(super) deadline: Instant,
    /// Until when pixels that arrive extend the deadline.
    picture: Instant,
    /// Whether pixels have arrived since the deadline was set.
    has_pixels: bool,
    /// When a read first found that the run is over.
    over: Option<Instant>,
}

impl PatientStream {
    fn new(tcp: TcpStream, is_over: IsOver) -> io::Result<PatientStream> {
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(SLICE))?;
        tcp.set_write_timeout(Some(SLICE))?;
        let deadline = Instant::now() + ENTRANCE;
        Ok(PatientStream {
            tcp,
            is_over,
            deadline,
            picture: deadline,
            has_pixels: false,
            over: None,
        })
    }

    /// Sets the deadline for all waits from now on.
    pub(super) fn wait_until(&mut self, deadline: Instant) {
        self.deadline = deadline;
        self.picture = deadline;
        self.has_pixels = false;
    }

    /// Lets pixels that arrive extend the deadline, at most until then. A slow connection thus also gets its picture.
    pub(super) fn wait_for_picture_until(&mut self, picture: Instant) {
        self.picture = picture;
    }

    /// Extends the deadline, because pixels have arrived.
    pub(super) fn pixels_arrived(&mut self) {
        self.has_pixels = true;
        let extended = self.picture.min(Instant::now() + ANSWER);
        self.deadline = self.deadline.max(extended);
    }

    /// Returns whether a read would return immediately, even if only because the connection has ended.
    pub(super) fn is_ready(&self) -> bool {
        let peeked = self.tcp.set_nonblocking(true).and_then(|()| self.tcp.peek(&mut [0]));
        let _ = self.tcp.set_nonblocking(false);
        !matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    /// Closes the connection.
    pub(super) fn hang_up(&self) {
        let _ = self.tcp.shutdown(std::net::Shutdown::Both);
    }

    /// Retries until the attempt succeeds, the deadline passes, or the run has been over for this long.
    fn patiently(
        &mut self,
        longer: Duration,
        mut attempt: impl FnMut(&mut TcpStream) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let mut over = None;
        loop {
            match attempt(&mut self.tcp) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                done => return done,
            }
            let now = Instant::now();
            if (self.is_over)() && now - *over.get_or_insert(now) >= longer {
                return Err(io::Error::other("the run is over"));
            }
            if now >= self.deadline {
                let is_slow = self.has_pixels && now >= self.picture;
                let why = if is_slow {
                    SLOW
                } else {
                    "the VNC server is not responding"
                };
                return Err(io::Error::new(ErrorKind::TimedOut, why));
            }
        }
    }
}

impl Read for PatientStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The deadline and the end of the run also apply to a server that never stops sending.
        let now = Instant::now();
        if (self.is_over)() && now - *self.over.get_or_insert(now) >= LAST_WORDS {
            return Err(io::Error::other("the run is over"));
        }
        if now >= self.deadline {
            let endless = "the VNC server never stops sending";
            let why = if self.has_pixels { SLOW } else { endless };
            return Err(io::Error::new(ErrorKind::TimedOut, why));
        }
        self.patiently(Duration::ZERO, |tcp| tcp.read(buffer))
    }
}

impl Write for PatientStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.patiently(LAST_WORDS, |tcp| tcp.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Connects to a server. A separate thread resolves the name and connects, because neither can be interrupted.
pub(super) fn connect(server: &VncServer, is_over: IsOver) -> Result<(PatientStream, SocketAddr), DisplayError> {
    let at = &server.address;
    let (tell, told) = mpsc::channel();
    let visitor = server.clone();
    std::thread::Builder::new()
        .name("vnc".to_owned())
        .spawn(move || tell.send(knock(&visitor)))
        .map_err(|error| DisplayError::failed("starting a thread", error))?;
    let deadline = Instant::now() + ENTRANCE;
    let (tcp, peer) = loop {
        match told.recv_timeout(SLICE) {
            Ok(answer) => break answer?,
            Err(RecvTimeoutError::Timeout) if !is_over() && Instant::now() < deadline => {}
            Err(_) => {
                return Err(DisplayError::Unavailable(format!(
                    "{at} cannot be reached; check the host and port, and that no firewall blocks it"
                )));
            }
        }
    };
    let stream = PatientStream::new(tcp, is_over);
    let stream = stream.map_err(|error| DisplayError::failed("connecting", error))?;
    Ok((stream, peer))
}

fn knock(server: &VncServer) -> Result<(TcpStream, SocketAddr), DisplayError> {
    let at = &server.address;
    let found = (at.host.as_str(), at.port).to_socket_addrs();
    let found: Vec<SocketAddr> = found.map(Iterator::collect).unwrap_or_default();
    if found.is_empty() {
        return Err(DisplayError::Unavailable(format!(
            "there is no host {}; check its name in {at}",
            at.host
        )));
    }
    if !server.unencrypted && !found.iter().copied().all(is_here) {
        return Err(DisplayError::Unavailable(format!(
            "{at} is not on this machine, and VNC sends pictures, keys and the password unencrypted; reach it through ssh (ssh -L \
             5901:localhost:{} {}, then --screen vnc://localhost:5901), or add --unencrypted on a network that you trust",
            at.port, at.host
        )));
    }
    let mut why = None;
    for peer in found {
        match TcpStream::connect_timeout(&peer, ONE_ADDRESS) {
            Ok(tcp) => return Ok((tcp, peer)),
            Err(error) => why = Some(error),
        }
    }
    let why = why.map_or_else(String::new, |why| format!(" ({why})"));
    Err(DisplayError::Unavailable(format!(
        "nothing is listening at {at}{why}; start the VNC server there, or name its port: vnc://{}:PORT",
        at.host
    )))
}
