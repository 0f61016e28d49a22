//! Opens connections to the model server, plain or over TLS.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::iter::successors;
use std::sync::Arc;

use franz_chat::Endpoint;
use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::GaiResolver;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower_service::Service;

use crate::addressing::Addressing;
use crate::limits::RelayLimits;
use crate::refusal::RelayRefusal;

/// How many probes in a row the server's system may leave unanswered. Windows always sends ten.
const PROBES: u32 = 4;

/// Opens connections to the model server.
#[derive(Clone)]
pub(crate) struct Connector {
    endpoint: Endpoint,
    tls: Option<TlsConnector>,
    dialer: HttpConnector,
    /// How requests to the server are addressed.
    pub(crate) addressing: Addressing,
}

/// An open connection to the model server.
pub(crate) enum Stream {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

impl Connector {
    /// Creates a connector for `endpoint`, which needs `tls` if its address is https.
    pub(crate) fn new(endpoint: Endpoint, tls: Option<Arc<ClientConfig>>, limits: &RelayLimits) -> Connector {
        Connector {
            addressing: Addressing::to(&endpoint),
            tls: tls.filter(|_| endpoint.is_secure()).map(TlsConnector::from),
            dialer: dialer(GaiResolver::new(), limits),
            endpoint,
        }
    }

    /// Opens a new connection.
    pub(crate) async fn connect(&self, limits: &RelayLimits) -> Result<Stream, RelayRefusal> {
        let opened = timeout(limits.connect, self.open()).await;
        let opened = opened.unwrap_or_else(|late| Err(late.into()));
        opened.map_err(|error| self.refusal(&error))
    }

    fn refusal(&self, error: &io::Error) -> RelayRefusal {
        let upstream = self.endpoint.to_string();
        let inside = error
            .get_ref()
            .and_then(|inside| inside.downcast_ref::<rustls::Error>());
        if inside.is_some() {
            let why = error.to_string();
            return RelayRefusal::Tls { upstream, why };
        }
        let why = match error.kind() {
            io::ErrorKind::TimedOut => "it did not answer in time".to_owned(),
            _ => error.to_string(),
        };
        RelayRefusal::Unreachable { upstream, why }
    }

    async fn open(&self) -> io::Result<Stream> {
        let address = self.endpoint.chat().parse::<Uri>().map_err(io::Error::other)?;
        let stream = dial(self.dialer.clone(), address).await?;
        let Some(tls) = &self.tls else {
            return Ok(Stream::Plain(stream));
        };
        let name = ServerName::try_from(self.endpoint.bare_host().to_owned()).map_err(io::Error::other)?;
        Ok(Stream::Secure(Box::new(tls.connect(name, stream).await?)))
    }
}

impl Stream {
    /// Resets the connection, so that the server sees it as broken rather than closed.
    pub(crate) fn reset(self) {
        let stream = match &self {
            Stream::Plain(stream) => stream,
            Stream::Secure(stream) => stream.get_ref().0,
        };
        // If this option cannot be set, the connection is closed rather than reset.
        let _ = stream.set_zero_linger();
    }
}

/// Configures how to connect to the addresses of a name. If one does not answer, the next is tried.
fn dialer<R>(resolver: R, limits: &RelayLimits) -> HttpConnector<R> {
    let mut dialer = HttpConnector::new_with_resolver(resolver);
    // It also connects to https addresses. TLS comes after it.
    dialer.enforce_http(false);
    dialer.set_nodelay(true);
    // The addresses share this time, so that a silent one leaves some for the others.
    dialer.set_connect_timeout(Some(limits.connect));
    // A server whose machine has vanished looks like one that thinks, but its system no longer answers probes.
    dialer.set_keepalive(Some(limits.keepalive));
    dialer.set_keepalive_interval(Some(limits.keepalive));
    dialer.set_keepalive_retries(Some(PROBES));
    dialer
}

/// Opens a TCP connection to the host and port in `address`.
async fn dial<D>(mut dialer: D, address: Uri) -> io::Result<TcpStream>
where
    D: Service<Uri, Response = TokioIo<TcpStream>>,
    D::Error: Error + 'static,
{
    let opening = async {
        poll_fn(|context| dialer.poll_ready(context)).await?;
        dialer.call(address).await
    };
    let opened: Result<_, D::Error> = opening.await;
    opened.map(TokioIo::into_inner).map_err(|error| system_error(&error))
}

/// Returns the system's error, which is the last cause of this one.
fn system_error(error: &(dyn Error + 'static)) -> io::Error {
    let cause = successors(Some(error), |&cause| cause.source()).last().unwrap_or(error);
    match cause.downcast_ref::<io::Error>() {
        Some(system) => io::Error::new(system.kind(), system.to_string()),
        None => io::Error::other(cause.to_string()),
    }
}

/// Configures TLS with the system's trusted certificates: HTTP/1.1 only, using ring.
pub(crate) fn trusted_by_the_system() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = builder.with_platform_verifier()?.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::future::{Ready, ready};
    use std::net::{Ipv4Addr, SocketAddr};
    use std::task::{Context, Poll};
    use std::time::Duration;

    use hyper_util::client::legacy::connect::dns::Name;
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    /// Resolves every name to these addresses.
    #[derive(Clone)]
    struct Addresses(Vec<SocketAddr>);

    impl Service<Name> for Addresses {
        type Response = std::vec::IntoIter<SocketAddr>;
        type Error = io::Error;
        type Future = Ready<io::Result<Self::Response>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Name) -> Self::Future {
            ready(Ok(self.0.clone().into_iter()))
        }
    }

    /// Returns a listener that answers nobody, and the clients that it has yet to accept. Linux drops any further
    /// attempt to connect.
    async fn silent() -> (TcpListener, Vec<TcpStream>) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let listener = socket.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let mut waiting = Vec::new();
        while let Ok(stream) = timeout(Duration::from_millis(200), TcpStream::connect(address)).await {
            waiting.push(stream.unwrap());
        }
        (listener, waiting)
    }

    #[tokio::test]
    async fn an_address_that_does_not_answer_is_passed_over() {
        let (silent, _waiting) = silent().await;
        let open = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let (silent, open) = (silent.local_addr().unwrap(), open.local_addr().unwrap());
        let limits = RelayLimits {
            connect: Duration::from_millis(500),
            ..RelayLimits::default()
        };
        for (addresses, reached) in [(vec![silent, open], Some(open)), (vec![silent, silent], None)] {
            let dialer = dialer(Addresses(addresses), &limits);
            // The address has no port, so the resolver's ports are used.
            let stream = dial(dialer, Uri::from_static("http://server.test/")).await;
            match reached {
                Some(address) => assert_eq!(stream.unwrap().peer_addr().unwrap(), address),
                None => assert_eq!(stream.unwrap_err().kind(), io::ErrorKind::TimedOut),
            }
        }
    }
}
