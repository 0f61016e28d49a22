//! Tests the client against a model server that eventually answers.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;

use crate::server::{Act, PATIENCE, Server, answer, bytes, good};
use franz_chat::{
    Answer, ApiKey, Bytes, Client, ClientSettings, Expect, Failed, Grant, Keyring, NamedBy, Next, Policy, Trials,
    Trouble,
};

pub(crate) fn settings() -> ClientSettings {
    ClientSettings {
        timeout: PATIENCE,
        ..ClientSettings::default()
    }
}

pub(crate) fn client(address: &str, settings: ClientSettings) -> Client {
    Client::new(address.parse().expect("an address"), settings).expect("a client")
}

/// Returns the grant for this server, as if the person had named it and held this key.
pub(crate) fn granted(address: &str, key: &str) -> Grant {
    let keyring = Keyring::default().with_upstream_key(ApiKey::new(key).unwrap(), false);
    keyring.grant(&address.parse().unwrap(), NamedBy::CommandLine)
}

pub(crate) async fn ask(client: &Client) -> Result<Answer, Failed> {
    let headers = [("X-Franz-Run", "run_1"), ("X-Franz-Turn", "7")];
    client.ask(Bytes::from_static(b"{\"messages\":[]}"), &headers).await
}

#[tokio::test]
async fn a_request_carries_only_the_given_body_and_headers() {
    let server = Server::start(vec![good(r#""caf\u00e9 \ud800""#)]).await;
    let settings = ClientSettings {
        grant: granted(&server.address, "sk-1"),
        ..settings()
    };
    let answer = ask(&client(&server.address, settings)).await.unwrap();
    assert_eq!(answer.reply.story().unwrap().raw(), r#""caf\u00e9 \ud800""#);
    assert_eq!(answer.status, 200);
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

/// Asks and retries as the agent does, with a paused clock.
#[tokio::test(start_paused = true)]
async fn temporary_failures_are_retried_until_an_answer_arrives() {
    let acts = vec![
        Act::Reset,
        answer("503 Service Unavailable", "", "{\"error\":\"loading\"}"),
        answer(
            "429 Too Many Requests",
            "Retry-After: 7\r\n",
            "{\"error\":{\"message\":\"slow down\"}}",
        ),
        answer("200 OK", "", "{\"choices\":["),
        good("\"at last\""),
    ];
    let server = Server::start(acts).await;
    let client = client(&server.address, settings());
    let mut trials = Trials::new(Policy::default(), 1);
    let (mut told, mut waits) = (Vec::new(), Vec::new());
    let answer = loop {
        let failed = match ask(&client).await {
            Ok(answer) => break answer,
            Err(failed) => failed,
        };
        let Next::Again(wait) = trials.after(&failed.failure, Duration::ZERO, 0.0) else {
            panic!("{failed:?}");
        };
        told.push(failed);
        waits.push(wait.as_secs_f64());
        tokio::time::sleep(wait).await;
    };
    assert_eq!(answer.reply.story().unwrap().text(), "at last");
    let kinds: Vec<_> = told.iter().map(|failed| failed.failure.name()).collect();
    assert_eq!(kinds, ["broken", "server", "server", "not_json"]);
    assert_eq!(waits, [0.5, 1.0, 7.0, 4.0]);
    assert!(told[2].to_string().contains("slow down"));
    let answers: Vec<_> = told.iter().map(|failed| failed.answer.as_deref()).collect();
    let expected: [Option<&[u8]>; 4] = [
        None,
        Some(b"{\"error\":\"loading\"}"),
        Some(b"{\"error\":{\"message\":\"slow down\"}}"),
        Some(b"{\"choices\":["),
    ];
    assert_eq!(answers, expected);
    assert_eq!(server.requests().len(), 5);
}

/// A FRANZ relay answers that the server behind it is absent.
#[tokio::test]
async fn a_relay_reports_an_absent_server_behind_it() {
    let said = r#"{"error":{"message":"it cannot be reached","why":"Connection refused"}}"#;
    for (behind, absent) in [(Some("http://h:9".parse().unwrap()), true), (None, false)] {
        let server = Server::start(vec![answer("502 Bad Gateway", "x-franz-relay: unreachable\r\n", said)]).await;
        let settings = ClientSettings { behind, ..settings() };
        let failed = ask(&client(&server.address, settings)).await.unwrap_err();
        assert_eq!(failed.failure.trouble() == Trouble::Absent, absent, "{failed}");
        let text = "no model server answers at http://h:9 (Connection refused); start it, or run with --upstream demo";
        assert_eq!(failed.to_string() == text, absent, "{failed}");
    }
}

/// The server is there, so waiting for it does not help.
#[tokio::test]
async fn a_relay_reports_a_server_behind_it_with_which_https_does_not_work() {
    let said = r#"{"error":{"message":"it fails","why":"invalid peer certificate: UnknownIssuer"}}"#;
    for (behind, is_tls) in [(Some("https://h:9".parse().unwrap()), true), (None, false)] {
        let server = Server::start(vec![answer("502 Bad Gateway", "x-franz-relay: no-tls\r\n", said)]).await;
        let settings = ClientSettings { behind, ..settings() };
        let failed = ask(&client(&server.address, settings)).await.unwrap_err();
        assert_eq!(failed.failure.name() == "tls", is_tls, "{failed}");
        assert_eq!(failed.failure.trouble() == Trouble::Lasting, is_tls, "{failed}");
        let text = "https://h:9 answers, but https does not work there (invalid peer certificate: UnknownIssuer); ";
        assert_eq!(failed.to_string().starts_with(text), is_tls, "{failed}");
    }
}

#[tokio::test]
async fn tool_calls_are_accepted_when_tools_were_offered() {
    let body = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"\ud800"}]}}]}"#;
    let server = Server::start(vec![answer("200 OK", "", body)]).await;
    let settings = ClientSettings {
        expect: Expect::StoryOrToolCalls,
        ..settings()
    };
    let answer = ask(&client(&server.address, settings)).await.unwrap();
    assert_eq!(answer.reply.tool_calls().unwrap().get(), r#"[{"id":"\ud800"}]"#);
    assert!(answer.reply.story().is_none());
}

#[tokio::test]
async fn a_body_that_ends_with_the_connection_is_complete() {
    let text = "HTTP/1.1 200 OK\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"x\"}}]}";
    let server = Server::start(vec![Act::Send(text.as_bytes().to_vec())]).await;
    assert!(ask(&client(&server.address, settings())).await.is_ok());
}

#[tokio::test]
async fn a_finished_stream_without_an_end_is_complete() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n";
    for timeout in [Duration::from_millis(500), Duration::from_hours(1)] {
        let server = Server::start(vec![Act::Hang([head, body].concat().into_bytes())]).await;
        let settings = ClientSettings { timeout, ..settings() };
        match ask(&client(&server.address, settings)).await {
            Ok(answer) => assert_eq!(answer.reply.story().unwrap().text(), "x"),
            // On a busy machine, the stream can be later than the shorter timeout.
            Err(late) => {
                assert_eq!((late.failure.name(), timeout.as_millis()), ("timeout", 500));
                assert_ne!(late.answer.as_deref(), Some(body.as_bytes()), "the stream had come");
            }
        }
    }
}

#[tokio::test]
async fn a_finished_stream_that_goes_on_with_comments_is_complete() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n";
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let server = Server::start(vec![Act::Ping([head, text, end].concat().into_bytes())]).await;
    let timeout = Duration::from_hours(1);
    let client = client(&server.address, ClientSettings { timeout, ..settings() });
    let answer = tokio::time::timeout(PATIENCE, ask(&client)).await;
    let answer = answer.expect("comments do not prolong the wait").unwrap();
    assert_eq!(answer.reply.story().unwrap().text(), "x");
}

#[tokio::test]
async fn an_empty_finish_reason_finishes_nothing() {
    let piece = |text: &str| format!(r#"data: {{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":""}}]}}"#);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let whole = format!("{head}{}\n\n{}\n\ndata: [DONE]\n\n", piece("x"), piece("y"));
    let server = Server::start(vec![Act::Send(whole.into_bytes())]).await;
    let answer = ask(&client(&server.address, settings())).await.unwrap();
    assert_eq!(answer.reply.story().unwrap().text(), "xy");
    // The rest of this one never comes.
    let begun = format!("{head}{}\n\n", piece("x"));
    let server = Server::start(vec![Act::Hang(begun.into_bytes())]).await;
    let settings = ClientSettings {
        timeout: Duration::from_millis(500),
        ..settings()
    };
    let error = ask(&client(&server.address, settings)).await.unwrap_err();
    assert_eq!(error.failure.name(), "timeout");
}

#[tokio::test]
async fn a_closed_connection_is_reopened() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 41\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"x\"}}]}";
    let server = Server::start(vec![Act::Send(text.as_bytes().to_vec())]).await;
    let client = client(&server.address, settings());
    for _ in 0..10 {
        assert_eq!(ask(&client).await.unwrap().reply.story().unwrap().text(), "x");
    }
}

/// The agent's runtime stands still between two requests, and so learns only with the next one what happened meanwhile.
#[test]
fn a_connection_that_was_closed_between_two_requests_fails_neither() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = client(&format!("http://{}", server.local_addr().unwrap()), settings());
    let (close, closing) = mpsc::channel();
    let (tell, closed) = mpsc::channel();
    let answering = thread::spawn(move || {
        let kept = answer_one(&server);
        closing.recv().unwrap();
        drop(kept);
        tell.send(()).unwrap();
        answer_one(&server)
    });
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(ask(&client)).unwrap();
    close.send(()).unwrap();
    closed.recv().unwrap();
    runtime.block_on(ask(&client)).unwrap();
    answering.join().unwrap();
}

/// Accepts a connection, answers the request on it and returns it, still open.
fn answer_one(server: &TcpListener) -> TcpStream {
    let (mut stream, _) = server.accept().unwrap();
    let (mut request, mut piece) = (Vec::new(), [0; 4096]);
    while !request.ends_with(b"{\"messages\":[]}") {
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "the client left in the middle of its request");
        request.extend_from_slice(&piece[..count]);
    }
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 41\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"x\"}}]}";
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

#[tokio::test]
async fn chunked_bodies_are_joined() {
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

/// Waits until the first request has arrived.
async fn arrived(server: &Server) {
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
}
