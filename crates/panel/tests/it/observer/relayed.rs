//! Tests everything from the connection to the verdicts. An agent opens a new connection for each request, and is seen
//! through a relay.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

use franz_panel::Verdict;
use franz_panel::VerdictKind::{First, Match, Violation};
use franz_panel::observer::spawn;
use franz_relay::{Copies, Relay, RelayOptions};

use crate::observer::{options, read};
use crate::wire::quote;

/// Answers each request with the next of these messages, on its own connection.
fn model_server(answers: Vec<String>) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            read_request(&mut stream);
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

/// Reads to the end of the body, which is a single line in these requests.
fn read_request(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"]}\n") {
        let mut more = [0; 4096];
        let count = stream.read(&mut more).unwrap();
        assert!(count > 0, "the request is cut");
        bytes.extend_from_slice(&more[..count]);
    }
}

fn ask(relay: SocketAddr, story: &str) {
    let body = format!(
        "{{\"messages\":[{{\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":{}}}]}},{{\"role\":\"user\",\"content\":\"f\"}}]}}\n",
        quote(story)
    );
    let mut stream = TcpStream::connect(relay).unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nUser-Agent: Python-urllib/3.12\r\nConnection: close";
    write!(
        stream,
        "{head}\r\nHost: {relay}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

fn plain(story: &str) -> String {
    let body = format!("{{\"choices\":[{{\"message\":{{\"content\":{}}}}}]}}", quote(story));
    format!(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn streamed(story: &str) -> String {
    let event = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":{}}}}}]}}\n\n",
        quote(story)
    );
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked";
    let chunks = [event.as_str(), "data: [DONE]\n\n"].map(|data| format!("{:x}\r\n{data}\r\n", data.len()));
    format!("{head}\r\n\r\n{}0\r\n\r\n", chunks.concat())
}

#[test]
fn a_plain_agent_is_verified_on_the_wire() {
    let directory = tempfile::tempdir().unwrap();
    let server = model_server(vec![plain("one"), streamed("two"), plain("three"), plain("four")]);
    let (copies, reader) = Copies::queue();
    let observer = spawn(reader, options(directory.path())).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let wanted = RelayOptions::new(format!("http://{server}").parse().unwrap(), copies);
    runtime.block_on(async {
        let relay = Relay::bind((Ipv4Addr::LOCALHOST, 0).into(), wanted).await.unwrap();
        let address = relay.address();
        let agent = tokio::task::spawn_blocking(move || {
            for story in ["", "one", "two", "thRee"] {
                ask(address, story);
            }
        });
        relay.serve(async { agent.await.unwrap() }).await;
    });
    drop(runtime);
    observer.join().unwrap();
    let verdicts = read(directory.path(), "verdicts.jsonl");
    let verdicts: Vec<Verdict> = verdicts
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<_> = verdicts.iter().map(|verdict| verdict.verdict).collect();
    assert_eq!(kinds, [First, Match, Match, Violation], "{verdicts:?}");
    assert!(
        verdicts
            .iter()
            .all(|verdict| verdict.agent == "agent 1" && verdict.adopted),
        "{verdicts:?}"
    );
}
