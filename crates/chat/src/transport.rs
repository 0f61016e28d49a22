//! Creates the underlying HTTP client: HTTP/1.1, no redirects, no proxy. Nothing is loaded from the system until it is
//! needed.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use thiserror::Error;

use crate::keyring::NotGranted;

/// How long to wait for a connection. A host that drops packets must not delay a turn for `model.timeout_s`.
const CONNECT: Duration = Duration::from_secs(10);

/// How long to keep an unused connection. Servers close theirs without a word, many after five seconds and some after
/// two. A request that meets such a close fails, and nobody knows whether the server has begun to answer it.
const KEPT: Duration = Duration::from_secs(1);

/// Why no HTTP client could be created.
#[derive(Debug, Error)]
pub enum TransportError {
    /// The system's certificates cannot be used.
    #[error("https cannot be used on this machine ({0}); install the system's CA certificates, or use an http address")]
    Tls(#[from] rustls::Error),
    /// The client cannot be set up.
    #[error("cannot set up an HTTP client ({0}); this is a bug in FRANZ: please report it")]
    Http(#[from] reqwest::Error),
    /// The key is not for this server.
    #[error(transparent)]
    NotGranted(#[from] NotGranted),
}

/// Creates a client for http only, or also for https.
///
/// Reading the system's certificates takes milliseconds, which is too long for an http server on the same machine.
/// Without `secure`, none are loaded and any https URL is refused.
pub(crate) fn client(secure: bool) -> Result<reqwest::Client, TransportError> {
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(secure)?)
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .no_proxy()
        .connect_timeout(CONNECT)
        .pool_idle_timeout(KEPT)
        .user_agent(concat!("franz/", env!("CARGO_PKG_VERSION")))
        .build()?;
    Ok(client)
}

fn tls(secure: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = if secure {
        builder.with_platform_verifier()?
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_kinds_can_be_made() {
        assert!(super::client(false).is_ok());
        // A machine without CA certificates may refuse https, but the error must name the reason.
        if let Err(error) = super::client(true) {
            assert!(error.to_string().contains("CA certificates"), "{error}");
        }
    }
}
