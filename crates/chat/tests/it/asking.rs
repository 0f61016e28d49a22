//! The client against a model server that answers in the end.

use std::time::Duration;

use crate::server::{Act, PATIENCE, Server, answer, bytes, good};
use franz_chat::{Answer, AskError, Attempt, Bytes, Client, Expect, Grant, Key, Keyring, NamedBy, Policy, Settings};

/// Five attempts without waits.
pub(crate) fn settings() -> Settings {
    let policy = Policy {
        first_wait: Duration::ZERO,
        longest_asked: Duration::ZERO,
        ..Policy::default()
    };
    Settings {
        timeout: PATIENCE,
        policy,
        ..Settings::default()
    }
}

pub(crate) fn client(address: &str, settings: Settings) -> Client {
    Client::new(address.parse().expect("an address"), settings).expect("a client")
}

/// What a client of this server may send when the person has named it and holds this key.
pub(crate) fn granted(address: &str, key: &str) -> Grant {
    let keyring = Keyring::default().with_upstream_key(Key::new(key).unwrap(), false);
    keyring.grant(&address.parse().unwrap(), NamedBy::CommandLine)
}

pub(crate) async fn ask(client: &Client) -> Result<Answer, AskError> {
    let headers = [("X-Franz-Run", "run_1"), ("X-Franz-Turn", "7")];
    client
        .ask(Bytes::from_static(b"{\"messages\":[]}"), &headers, &mut |_| ())
        .await
}

#[tokio::test]
async fn a_call_carries_what_it_was_given_and_no_more() {
    let server = Server::start(vec![good(r#""caf\u00e9 \ud800""#)]).await;
    let settings = Settings {
        grant: granted(&server.address, "sk-1"),
        ..settings()
    };
    let answer = ask(&client(&server.address, settings)).await.unwrap();
    assert_eq!(answer.reply.story().unwrap().raw(), r#""caf\u00e9 \ud800""#);
    assert_eq!((answer.status, answer.attempts.len()), (200, 0));
    let request = server.requests().remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    assert_eq!(body, "{\"messages\":[]}");
    let head = head.to_lowercase();
    for line in [
        "authorization: bearer sk-1",
        "x-franz-run: run_1",
        "x-franz-turn: 7",
        "content-type: application/json",
    ] {
        assert!(head.contains(line), "{head}");
    }
    assert!(!head.contains("accept-encoding"), "{head}");
}

#[tokio::test]
async fn what_breaks_once_is_tried_again_and_told() {
    let acts = vec![
        Act::Reset,
        answer("503 Service Unavailable", "", "{\"error\":\"loading\"}"),
        answer(
            "429 Too Many Requests",
            "Retry-After: 1\r\n",
            "{\"error\":{\"message\":\"slow down\"}}",
        ),
        answer("200 OK", "", "{\"choices\":["),
        good("\"at last\""),
    ];
    let server = Server::start(acts).await;
    let mut told = Vec::new();
    let mut on_retry = |attempt: &Attempt| told.push(attempt.clone());
    let client = client(&server.address, settings());
    let answer = client.ask(Bytes::from_static(b"{}"), &[], &mut on_retry).await.unwrap();
    let kinds: Vec<_> = answer.attempts.iter().map(|attempt| attempt.kind).collect();
    assert_eq!(kinds, ["broken", "server", "server", "not_json"]);
    assert!(answer.attempts[2].error.contains("slow down"));
    assert_eq!(told, answer.attempts);
    let answers: Vec<_> = told.iter().map(|attempt| attempt.answer.as_deref()).collect();
    let expected: [Option<&[u8]>; 4] = [
        None,
        Some(b"{\"error\":\"loading\"}"),
        Some(b"{\"error\":{\"message\":\"slow down\"}}"),
        Some(b"{\"choices\":["),
    ];
    assert_eq!(answers, expected);
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let acts = vec![answer("429 Too Many Requests", "Retry-After: 1\r\n", ""), good("\"\"")];
    let server = Server::start(acts).await;
    let policy = Policy {
        first_wait: Duration::ZERO,
        longest_asked: Duration::from_millis(40),
        ..Policy::default()
    };
    let answer = ask(&client(&server.address, Settings { policy, ..settings() }))
        .await
        .unwrap();
    assert_eq!(answer.attempts[0].waited, Duration::from_millis(40));
    assert!(answer.elapsed >= Duration::from_millis(40));
}

#[tokio::test]
async fn tool_calls_are_welcome_where_they_were_offered() {
    let body = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"\ud800"}]}}]}"#;
    let server = Server::start(vec![answer("200 OK", "", body)]).await;
    let settings = Settings {
        expect: Expect::StoryOrToolCalls,
        ..settings()
    };
    let answer = ask(&client(&server.address, settings)).await.unwrap();
    assert_eq!(answer.reply.tool_calls().unwrap().get(), r#"[{"id":"\ud800"}]"#);
    assert!(answer.reply.story().is_none());
}

#[tokio::test]
async fn a_body_that_ends_with_its_connection_is_whole() {
    let text = "HTTP/1.1 200 OK\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"x\"}}]}";
    let server = Server::start(vec![Act::Send(text.as_bytes().to_vec())]).await;
    assert!(ask(&client(&server.address, settings())).await.is_ok());
}

#[tokio::test]
async fn a_connection_that_was_not_kept_is_made_anew() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 41\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"x\"}}]}";
    let server = Server::start(vec![Act::Send(text.as_bytes().to_vec())]).await;
    let client = client(&server.address, settings());
    for _ in 0..10 {
        assert_eq!(ask(&client).await.unwrap().reply.story().unwrap().text(), "x");
    }
}

#[tokio::test]
async fn chunks_are_put_together() {
    let json = r#"{"choices":[{"message":{"content":"\ud83d\ude00"}}]}"#;
    let chunks: Vec<_> = json.chars().map(|letter| format!("1\r\n{letter}\r\n")).collect();
    let chunks = chunks.concat();
    let text = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
    let server = Server::start(vec![Act::Send(text.into_bytes())]).await;
    let answer = ask(&client(&server.address, settings())).await.unwrap();
    assert_eq!(answer.reply.story().unwrap().text(), "😀");
}

#[tokio::test]
async fn dropping_the_future_closes_the_connection() {
    let body = bytes("200 OK", "", "{}");
    for sent in [&b""[..], &body[..20], &body[..body.len() - 1]] {
        let mut server = Server::start(vec![Act::Hang(sent.to_vec())]).await;
        let client = client(&server.address, settings());
        tokio::select! {
            answer = ask(&client) => panic!("{answer:?}"),
            () = arrived(&server) => {}
        }
        tokio::time::timeout(PATIENCE, server.abandoned())
            .await
            .expect("the connection is closed");
    }
}

/// Waits until the first request is there.
async fn arrived(server: &Server) {
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
}
