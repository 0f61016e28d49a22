//! Opens connections to the model server, plain or over TLS.

use std::io;
use std::sync::Arc;

use franz_chat::Endpoint;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::addressing::Addressing;
use crate::limits::RelayLimits;
use crate::refusal::RelayRefusal;

/// Opens connections to the model server.
#[derive(Clone)]
pub(crate) struct Connector {
    endpoint: Endpoint,
    tls: Option<TlsConnector>,
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
    pub(crate) fn new(endpoint: Endpoint, tls: Option<Arc<ClientConfig>>) -> Connector {
        Connector {
            addressing: Addressing::to(&endpoint),
            tls: tls.filter(|_| endpoint.is_secure()).map(TlsConnector::from),
            endpoint,
        }
    }

    /// Opens a new connection.
    pub(crate) async fn connect(&self, limits: &RelayLimits) -> Result<Stream, RelayRefusal> {
        let unreachable = |why: String| RelayRefusal::Unreachable {
            upstream: self.endpoint.to_string(),
            why,
        };
        match timeout(limits.connect, self.open()).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(error)) => Err(unreachable(error.to_string())),
            Err(_) => Err(unreachable("it did not answer in time".to_owned())),
        }
    }

    async fn open(&self) -> io::Result<Stream> {
        let host = self.endpoint.bare_host();
        let stream = TcpStream::connect((host, self.endpoint.port())).await?;
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else {
            return Ok(Stream::Plain(stream));
        };
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
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

/// Configures TLS with the system's trusted certificates: HTTP/1.1 only, using ring.
pub(crate) fn trusted_by_the_system() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = builder.with_platform_verifier()?.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
