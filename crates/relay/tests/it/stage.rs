//! Sets up a relay between a raw client and a raw server, both controlled by the test.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use franz_relay::{
    ClientKeys, Copies, CopiesReader, Exchange, Gate, LookUp, Relay, RelayLimits, RelayOptions, Watcher,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A name of the relay that needs no port, so that requests can be constants.
pub(crate) const NAME: &str = "relay.test";

/// A time far longer than any working relay takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Whether the copies are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Observer {
    /// A reader consumes them.
    Reading,
    /// Nobody reads them, and the queue is full.
    Full,
    /// The reader is gone.
    Gone,
}

impl Observer {
    pub(crate) const ALL: [Observer; 3] = [Observer::Reading, Observer::Full, Observer::Gone];
}

/// The relay and its surroundings.
pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    pub(crate) upstream: TcpListener,
    pub(crate) gate: Gate,
    pub(crate) queue: Copies,
    reader: Option<CopiesReader>,
    task: JoinHandle<()>,
}

impl Stage {
    pub(crate) async fn new() -> Stage {
        Stage::with(Observer::Reading, RelayLimits::default()).await
    }

    pub(crate) async fn with(observer: Observer, limits: RelayLimits) -> Stage {
        Stage::begin(observer, |relay| relay.with_limits(limits)).await
    }

    /// Does the same as [`Stage::with`], and notifies this watcher.
    pub(crate) async fn watched_with(observer: Observer, limits: RelayLimits, watcher: Arc<dyn Watcher>) -> Stage {
        Stage::begin(observer, |relay| relay.with_limits(limits).with_watcher(watcher)).await
    }

    async fn begin(observer: Observer, change: impl FnOnce(Relay) -> Relay) -> Stage {
        let mut stage = Stage::open(change, ClientKeys::default()).await;
        match observer {
            Observer::Reading => {}
            Observer::Full => fill(&stage.queue),
            Observer::Gone => drop(stage.hand_over_reader()),
        }
        stage
    }

    /// Starts a relay with these keys, which looks up the owner of a connection with `look_up`.
    pub(crate) async fn looking_up(keys: ClientKeys, look_up: LookUp) -> Stage {
        Stage::open(|relay| relay.with_look_up(look_up), keys).await
    }

    /// Starts a relay that notifies this watcher.
    pub(crate) async fn watched_by(watcher: Arc<dyn Watcher>) -> Stage {
        Stage::open(|relay| relay.with_watcher(watcher), ClientKeys::default()).await
    }

    async fn open(change: impl FnOnce(Relay) -> Relay, keys: ClientKeys) -> Stage {
        let upstream = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let (copies, reader) = Copies::queue();
        let address = upstream.local_addr().unwrap().to_string();
        let options = RelayOptions {
            allow_hosts: vec![NAME.to_owned()],
            keys,
            ..RelayOptions::new(address.parse().unwrap(), copies.clone())
        };
        let gate = options.gate.clone();
        let relay = Relay::bind((Ipv4Addr::LOCALHOST, 0).into(), options).await.unwrap();
        let relay = change(relay);
        Stage {
            address: relay.address(),
            upstream,
            gate,
            queue: copies,
            reader: Some(reader),
            task: tokio::spawn(relay.serve(std::future::pending())),
        }
    }

    /// Hands over the reader of the copies; the caller reads them from now on.
    pub(crate) fn hand_over_reader(&mut self) -> CopiesReader {
        self.reader.take().expect("nobody else has it")
    }

    /// Connects a new client.
    pub(crate) async fn client(&self) -> Peer {
        Peer::new(TcpStream::connect(self.address).await.unwrap())
    }

    /// Returns the server's side of the relay's next connection.
    pub(crate) async fn server(&self) -> Peer {
        Peer::new(patiently(self.upstream.accept()).await.unwrap().0)
    }

    /// Returns a client that has sent this request and the server that has received it.
    pub(crate) async fn asked(&self, request: &[u8]) -> (Peer, Peer) {
        let mut client = self.client().await;
        client.send(request).await;
        let mut server = self.server().await;
        server.expect(request).await;
        (client, server)
    }

    /// Returns the next exchange that was copied.
    pub(crate) async fn copy(&mut self) -> Exchange {
        let reader = self.hand_over_reader();
        let next = move || {
            let exchange = reader.next().expect("the relay is there");
            (reader, exchange)
        };
        let (reader, exchange) = patiently(tokio::task::spawn_blocking(next)).await.unwrap();
        self.reader = Some(reader);
        exchange
    }

    /// Checks that no connection to the server has been opened.
    pub(crate) async fn nothing_came(&self) {
        turns().await;
        let came = tokio::time::timeout(Duration::ZERO, self.upstream.accept()).await;
        assert!(came.is_err(), "a connection to the server was made");
    }

    /// Stops the relay.
    pub(crate) fn cut(&self) {
        self.task.abort();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Fills the queue completely.
fn fill(copies: &Copies) {
    use franz_relay::exchange::QUEUE_BYTES;
    use franz_relay::{Copy, Ended, Message};
    let head = "GET / HTTP/1.1\r\n\r\n";
    let exchange = |bytes: usize| Exchange {
        id: 0,
        connection: 0,
        started: jiff::Timestamp::UNIX_EPOCH,
        request: Message {
            head: head.into(),
            body: Copy::Whole(vec![0; bytes].into()),
            bytes: bytes as u64,
        },
        response: None,
        ended: Ended::Complete,
        sent: Duration::ZERO,
        first_byte: None,
        whole: Duration::ZERO,
    };
    copies.hand_over(exchange(QUEUE_BYTES - head.len()));
    assert_eq!(copies.dropped(), 0);
}

/// One end of a connection.
pub(crate) struct Peer {
    pub(crate) stream: TcpStream,
}

impl Peer {
    pub(crate) fn new(stream: TcpStream) -> Peer {
        stream.set_nodelay(true).unwrap();
        Peer { stream }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        patiently(self.stream.write_all(bytes)).await.unwrap();
    }

    /// Sends in two parts, and lets the relay run between them.
    pub(crate) async fn send_cut(&mut self, bytes: &[u8], place: usize) {
        let (first, second) = bytes.split_at(place);
        self.send(first).await;
        turns().await;
        self.send(second).await;
    }

    /// Checks that these bytes arrive next.
    pub(crate) async fn expect(&mut self, bytes: &[u8]) {
        let mut came = vec![0; bytes.len()];
        patiently(self.stream.read_exact(&mut came)).await.unwrap();
        assert!(
            came == bytes,
            "expected {:?}\n     came {:?}",
            shown(bytes),
            shown(&came)
        );
    }

    /// Returns everything up to the end of the connection.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        let mut came = Vec::new();
        patiently(self.stream.read_to_end(&mut came)).await.unwrap();
        came
    }

    /// Checks that the connection is closed properly here.
    pub(crate) async fn expect_end(&mut self) {
        assert_eq!(shown(&self.rest().await), "", "nothing more comes");
    }

    /// Checks that the connection ends here, properly or not.
    pub(crate) async fn expect_gone(&mut self) {
        let mut came = Vec::new();
        // A broken connection has ended too.
        let _ = patiently(self.stream.read_to_end(&mut came)).await;
        assert_eq!(shown(&came), "", "nothing more comes");
    }

    /// Checks that the connection is reset here.
    pub(crate) async fn expect_reset(&mut self) {
        let mut came = Vec::new();
        let error = patiently(self.stream.read_to_end(&mut came))
            .await
            .expect_err("it is broken off");
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }

    /// Stops sending, but keeps listening.
    pub(crate) async fn finish(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// Resets the connection.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }
}

/// Lets the other tasks of this thread run.
pub(crate) async fn turns() {
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
}

/// Waits, but not forever.
pub(crate) async fn patiently<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it comes in time")
}

/// Returns a request without a body.
pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {NAME}\r\n\r\n").into_bytes()
}

/// Returns a request with a body.
pub(crate) fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Returns a response with a body.
pub(crate) fn ok(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Returns the bytes as text for a message, at most 1000 of them.
pub(crate) fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..1000).unwrap_or(bytes)).into_owned()
}
