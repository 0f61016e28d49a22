//! Tests a model server that uses https: the relay uses TLS only on the connection to the server.

use std::net::Ipv4Addr;
use std::sync::Arc;

use franz_relay::{Copies, CopiesReader, Ended, Relay, RelayOptions};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::stage::{NAME, Peer, ok, patiently, shown};

/// Returns a server with its own certificate, and the configuration of a client that trusts it only if `trusted` is
/// set.
fn pair(trusted: bool) -> (TlsAcceptor, ClientConfig) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    if trusted {
        roots.add(cert.der().clone()).unwrap();
    }
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let mut client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.alpn_protocols = vec![b"http/1.1".to_vec()];
    (TlsAcceptor::from(Arc::new(server)), client)
}

async fn relay(path: &str, tls: ClientConfig) -> (TcpListener, Peer, CopiesReader) {
    let upstream = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = upstream.local_addr().unwrap().port();
    let (copies, reader) = Copies::queue();
    let server = format!("https://localhost:{port}{path}").parse().unwrap();
    let options = RelayOptions {
        allow_hosts: vec![NAME.to_owned()],
        ..RelayOptions::new(server, copies)
    };
    let relay = Relay::bind_trusting((Ipv4Addr::LOCALHOST, 0).into(), options, Some(tls))
        .await
        .unwrap();
    let client = TcpStream::connect(relay.address()).await.unwrap();
    tokio::spawn(relay.serve(std::future::pending()));
    (upstream, Peer::new(client), reader)
}

#[tokio::test]
async fn plain_requests_are_forwarded_over_tls() {
    for (path, host, target) in [("", NAME.to_owned(), "/v1/x"), ("/api/v1", String::new(), "/api/v1/x")] {
        let (acceptor, tls) = pair(true);
        let (upstream, mut client, reader) = relay(path, tls).await;
        let host = if host.is_empty() {
            format!("localhost:{}", upstream.local_addr().unwrap().port())
        } else {
            host
        };
        let body = vec![b'x'; 1 << 20];
        let head = |target: &str, host: &str| {
            format!(
                "POST {target} HTTP/1.1\r\nA: 1\r\nHost:  {host}\r\nContent-Length: {}\r\nb:2\r\n\r\n",
                body.len()
            )
        };
        let sent = [head("/v1/x", NAME).as_bytes(), &body].concat();
        let sending = tokio::spawn(async move {
            client.send(&sent).await;
            client
        });
        let (stream, _) = upstream.accept().await.unwrap();
        let mut server = patiently(acceptor.accept(stream)).await.unwrap();
        assert_eq!(
            server.get_ref().1.alpn_protocol(),
            None,
            "a server without ALPN is taken as it is"
        );
        let expected = [head(target, &host).as_bytes(), &body].concat();
        let mut came = vec![0; expected.len()];
        patiently(server.read_exact(&mut came)).await.unwrap();
        assert!(came == expected, "{} {}", shown(&came), shown(&expected));
        let mut client = sending.await.unwrap();
        for part in [
            b"HTTP/1.1 200 OK\r\n".as_slice(),
            b"Content-Length: 4\r\n\r\n",
            b"da",
            b"ta",
        ] {
            server.write_all(part).await.unwrap();
            server.flush().await.unwrap();
            client.expect(part).await;
        }
        client.finish().await;
        assert_eq!(
            patiently(server.read(&mut came)).await.unwrap(),
            0,
            "the end is passed on"
        );
        let exchange = tokio::task::spawn_blocking(move || reader.next().unwrap())
            .await
            .unwrap();
        assert_eq!((exchange.ended, exchange.request.target()), (Ended::Complete, "/v1/x"));
    }
}

#[tokio::test]
async fn an_untrusted_server_gets_nothing() {
    let (acceptor, tls) = pair(false);
    let (upstream, mut client, reader) = relay("", tls).await;
    client.send(&crate::stage::get("/v1/models")).await;
    let (stream, _) = upstream.accept().await.unwrap();
    assert!(patiently(acceptor.accept(stream)).await.is_err());
    let answer = shown(&client.rest().await);
    assert!(
        answer.starts_with("HTTP/1.1 502 ") && answer.contains("certificate"),
        "{answer}"
    );
    assert!(answer.contains("\r\nx-franz-relay: no-tls\r\n"), "{answer}");
    let exchange = tokio::task::spawn_blocking(move || reader.next().unwrap())
        .await
        .unwrap();
    assert!(matches!(exchange.ended, Ended::Unreachable(_)));
}

#[tokio::test]
async fn a_connection_is_used_again_behind_tls() {
    let (acceptor, tls) = pair(true);
    let (upstream, mut client, _reader) = relay("", tls).await;
    client.send(&crate::stage::get("/1")).await;
    let (stream, _) = upstream.accept().await.unwrap();
    let mut server = patiently(acceptor.accept(stream)).await.unwrap();
    for number in 1..4 {
        let mut came = vec![0; crate::stage::get("/1").len()];
        patiently(server.read_exact(&mut came)).await.unwrap();
        server.write_all(&ok(b"x")).await.unwrap();
        server.flush().await.unwrap();
        client.expect(&ok(b"x")).await;
        client.send(&crate::stage::get(&format!("/{}", number + 1))).await;
    }
}
