//! Tests whose connections the relay accepts: those of its user, of its run, and of any client that presents its key.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use franz_relay::ClientKeys;
use franz_relay::peer_user::Peer as Whose;

use crate::stage::{NAME, Stage, get, ok, patiently};

/// Starts a relay for which every connection has this owner. Also returns the number of lookups.
async fn relay_of(whose: Whose, keys: ClientKeys) -> (Stage, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&count);
    let look_up = Arc::new(move |_, _| {
        asked.fetch_add(1, Ordering::SeqCst);
        whose
    });
    (Stage::looking_up(keys, look_up).await, count)
}

fn with(header: &str) -> Vec<u8> {
    format!("GET /v1/models HTTP/1.1\r\nHost: {NAME}\r\n{header}Accept: */*\r\n\r\n").into_bytes()
}

fn keys() -> ClientKeys {
    ClientKeys {
        run: Some("the key of the run".to_owned()),
        relay: Some("the key of the relay".to_owned()),
    }
}

#[tokio::test]
async fn a_connection_is_looked_up_once() {
    let (mut stage, count) = relay_of(Whose::Own, ClientKeys::default()).await;
    let (mut client, mut server) = stage.asked(&get("/1")).await;
    server.send(&ok(b"1")).await;
    client.expect(&ok(b"1")).await;
    for _ in 0..3 {
        client.send(&get("/2")).await;
        server.expect(&get("/2")).await;
        server.send(&ok(b"2")).await;
        client.expect(&ok(b"2")).await;
    }
    assert_eq!(count.load(Ordering::SeqCst), 1);
    assert_eq!(stage.copy().await.request.head, get("/1"));
}

#[tokio::test]
async fn a_client_with_the_run_key_is_not_looked_up() {
    let (stage, count) = relay_of(Whose::Foreign(1), keys()).await;
    let request = with("x-franz-KEY: the key of the run\r\n");
    let (mut client, mut server) = stage.asked(&request).await;
    server.send(&ok(b"yes")).await;
    client.expect(&ok(b"yes")).await;
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_stranger_is_refused_before_anything_is_forwarded_or_kept() {
    let shown = [
        "",
        "X-Franz-Key: \r\n",
        "X-Franz-Key: the key of the ru\r\n",
        "X-Franz-Relay-Key: any\r\n",
    ];
    for whose in [Whose::Foreign(65534), Whose::Nobody] {
        for run in ["the key of the run", ""] {
            let keys = ClientKeys {
                run: Some(run.to_owned()),
                relay: None,
            };
            let (mut stage, count) = relay_of(whose, keys).await;
            for header in shown {
                let mut client = stage.client().await;
                client.send(&with(header)).await;
                let answer = String::from_utf8_lossy(&client.rest().await).into_owned();
                assert!(
                    answer.starts_with("HTTP/1.1 403 Forbidden\r\n"),
                    "{whose:?} {header:?}: {answer}"
                );
                assert!(answer.contains("run the client as that user"), "{answer}");
                stage.nothing_came().await;
            }
            assert_eq!(count.load(Ordering::SeqCst), shown.len());
            if !run.is_empty() {
                let ours = with("X-Franz-Key: the key of the run\r\n");
                let (mut client, mut server) = stage.asked(&ours).await;
                server.send(&ok(b"")).await;
                client.expect(&ok(b"")).await;
                assert_eq!(stage.copy().await.id, 1, "what was refused is no exchange");
            }
        }
    }
}

#[tokio::test]
async fn the_relay_key_admits_anyone_and_is_not_forwarded() {
    for (shown, passed) in [
        ("X-Franz-Relay-Key: the key of the relay\r\n", ""),
        (
            "a: b\r\nx-franz-relay-key:the key of the relay \t\r\nc:  d\r\n",
            "a: b\r\nc:  d\r\n",
        ),
    ] {
        let (stage, count) = relay_of(Whose::Nobody, keys()).await;
        let mut client = stage.client().await;
        client.send(&with(shown)).await;
        let mut server = stage.server().await;
        server.expect(&with(passed)).await;
        server.send(&ok(b"yes")).await;
        client.expect(&ok(b"yes")).await;
        // The header is not passed on later either, on the same connection.
        client.send(&with(shown)).await;
        server.expect(&with(passed)).await;
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }
    for shown in [
        "",
        "X-Franz-Relay-Key: \r\n",
        "X-Franz-Relay-Key: the key of the run\r\n",
        "X-Franz-Key: the key of the relay\r\n",
    ] {
        let (stage, _) = relay_of(Whose::Nobody, keys()).await;
        let mut client = stage.client().await;
        client.send(&with(shown)).await;
        let answer = client.rest().await;
        assert!(answer.starts_with(b"HTTP/1.1 401 "), "{shown}");
        stage.nothing_came().await;
    }
}

#[tokio::test]
async fn a_relay_without_a_key_forwards_the_key_header() {
    let (stage, _) = relay_of(Whose::Own, ClientKeys::default()).await;
    let request = with("X-Franz-Relay-Key: somebody else's\r\n");
    // Checks that the request arrives exactly as it was sent.
    stage.asked(&request).await;
}

/// Tests a real connection from another user, which only root can make. Elsewhere, the tests above simulate the lookup.
#[cfg(target_os = "linux")]
mod really {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use super::*;

    const NOBODY: u32 = 65534;

    /// Returns a client that runs as another user: a shell that can use TCP and sends one request.
    fn client(stage: &Stage, after: &str) -> Option<Command> {
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        if !is_root {
            eprintln!("left out: only root can connect as another user");
            return None;
        }
        let port = stage.address.port();
        let script = format!(
            "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET /v1/models HTTP/1.1\\r\\nHost: {NAME}\\r\\n\\r\\n' >&3; {after}"
        );
        #[expect(clippy::disallowed_methods, reason = "it is no child of the program")]
        let mut command = Command::new("bash");
        command
            .args(["-c", &script])
            .stdin(Stdio::null())
            .uid(NOBODY)
            .gid(NOBODY);
        Some(command)
    }

    #[tokio::test]
    async fn a_connection_of_another_user_is_refused() {
        let stage = Stage::new().await;
        let Some(mut command) = client(&stage, "cat <&3") else {
            return;
        };
        let answer = patiently(tokio::task::spawn_blocking(move || command.output()))
            .await
            .unwrap()
            .unwrap();
        let answer = String::from_utf8_lossy(&answer.stdout);
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
        stage.nothing_came().await;
    }

    #[tokio::test]
    async fn a_connection_already_closed_by_another_user_is_refused() {
        const TRIES: usize = 20;
        let (sender, mut looked_up) = tokio::sync::mpsc::unbounded_channel();
        let look_up = Arc::new(move |here, there| {
            let whose = Whose::look_up(here, there);
            let _ = sender.send(whose);
            whose
        });
        let stage = Stage::looking_up(ClientKeys::default(), look_up).await;
        let Some(mut command) = client(&stage, "exec 3>&-") else {
            return;
        };
        for _ in 0..TRIES {
            let closed = command.status();
            assert!(closed.unwrap().success());
        }
        for _ in 0..TRIES {
            let whose = patiently(looked_up.recv()).await.unwrap();
            assert!(matches!(whose, Whose::Nobody | Whose::Foreign(NOBODY)), "{whose:?}");
        }
        stage.nothing_came().await;
    }

    #[tokio::test]
    async fn a_connection_of_the_same_user_is_taken() {
        let stage = Stage::new().await;
        stage.asked(&get("/mine")).await;
    }
}
