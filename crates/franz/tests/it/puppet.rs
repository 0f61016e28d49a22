//! A model server that a test answers by hand, so that things happen between two requests in a known order.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Far longer than any request needs.
const PATIENCE: Duration = Duration::from_mins(4);

/// The beginning of a refusal.
const REFUSAL: &str = r#"{"error":{"message":"#;

/// The beginning of the answer of a server that is busy.
const BUSY: &str = r#"{"error":{"code":503,"message":"#;

/// The server programs that a puppet can imitate, each with its answer to a request that only it knows.
pub(crate) const LM_STUDIO: Program = Program {
    owner: "organization_owner",
    answers: &[(
        "GET /api/v0/models ",
        r#"{"data":[{"id":"puppet","type":"vlm","state":"loaded"}]}"#,
    )],
};
pub(crate) const OLLAMA: Program = Program {
    owner: "library",
    answers: &[
        ("GET /api/ps ", r#"{"models":[{"name":"puppet"}]}"#),
        ("POST /api/show ", r#"{"capabilities":["completion","vision"]}"#),
    ],
};
pub(crate) const VLLM: Program = Program::owning("vllm");

/// How a server identifies itself.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    /// The owner of the models, according to the server's list.
    owner: &'static str,
    /// The beginning of a request that only this program knows, and its answer.
    answers: &'static [(&'static str, &'static str)],
}

impl Program {
    pub(crate) const fn owning(owner: &'static str) -> Program {
        Program { owner, answers: &[] }
    }
}

/// A server with one model. Each reply waits for the test.
pub(crate) struct Puppet {
    address: SocketAddr,
    /// The requests that have arrived, each with a channel for its answer.
    asked: Receiver<(Vec<u8>, Sender<String>)>,
    /// The channel for the answer to the current request.
    waiting: Option<Sender<String>>,
}

impl Puppet {
    pub(crate) fn new() -> Puppet {
        Puppet::of(Program::owning("organization_owner"))
    }

    /// Starts a server that identifies itself as this program.
    pub(crate) fn of(program: Program) -> Puppet {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (hears, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), hears) = (stream, hears.clone()) else {
                    return;
                };
                // The client is free to drop the connection.
                std::thread::spawn(move || serve(&stream, &hears, program));
            }
        });
        Puppet {
            address,
            asked,
            waiting: None,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits for the next request, and returns its body.
    pub(crate) fn asked(&mut self) -> Vec<u8> {
        let (body, answer) = self.asked.recv_timeout(PATIENCE).expect("a request");
        self.waiting = Some(answer);
        body
    }

    /// Answers the current request with this text as the reply.
    pub(crate) fn reply(&mut self, text: &str) {
        self.reply_literal(&Value::from(text).to_string());
    }

    /// Works like [`Puppet::reply`], with the content as the server writes it.
    pub(crate) fn reply_literal(&mut self, literal: &str) {
        let body = format!(
            r#"{{"choices":[{{"message":{{"role":"assistant","content":{literal}}},"finish_reason":"stop"}}]}}"#
        );
        let answer = self.waiting.take().expect("a request is under way");
        answer.send(body).unwrap();
    }

    /// Streams these pieces of text as the reply to the current request, without token counts.
    pub(crate) fn stream(&mut self, pieces: &[&str]) {
        let delta = |piece: &&str| json!({ "index": 0, "delta": { "content": piece } });
        let end = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
        let choices = pieces.iter().map(delta).chain([end]);
        let events = choices.map(|choice| json!({ "choices": [choice] }).to_string());
        let events: Vec<String> = events.chain(["[DONE]".to_owned()]).collect();
        let body = format!("data: {}\n\n", events.join("\n\ndata: "));
        let answer = self.waiting.take().expect("a request is under way");
        answer.send(body).unwrap();
    }

    /// Refuses the current request with these words.
    pub(crate) fn refuse(&mut self, words: &str) {
        let body = format!("{REFUSAL}{}}}}}", json!(words));
        let answer = self.waiting.take().expect("a request is under way");
        answer.send(body).unwrap();
    }

    /// Answers that the server is busy for hours.
    pub(crate) fn is_busy(&mut self) {
        let answer = self.waiting.take().expect("a request is under way");
        answer.send(format!("{BUSY}\"busy\"}}}}")).unwrap();
    }

    /// Answers the current request, and waits for the next one.
    pub(crate) fn then(&mut self, text: &str) -> Value {
        self.reply(text);
        self.chat()
    }

    /// Waits for the next request, and returns it as JSON.
    pub(crate) fn chat(&mut self) -> Value {
        serde_json::from_slice(&self.asked()).unwrap()
    }
}

fn serve(stream: &TcpStream, hears: &Sender<(Vec<u8>, Sender<String>)>, program: Program) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        (reader.read_line(&mut head).ok()? > 0).then_some(())?;
    }
    let mut lines = head.lines();
    let first = lines.next()?;
    let asks_for_a_reply = first.starts_with("POST ");
    let length = lines.find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("content-length:")?
            .trim()
            .parse()
            .ok()
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let mut answers = program.answers.iter();
    let answer = if let Some((_, answer)) = answers.find(|(asked, _)| first.starts_with(asked)) {
        (*answer).to_owned()
    } else if asks_for_a_reply {
        let (sender, answer) = channel();
        hears.send((body, sender)).ok()?;
        answer.recv().ok()?
    } else if !first.starts_with("GET /v1/models ") {
        format!(r#"{REFUSAL}"there is nothing"}}}}"#)
    } else {
        json!({ "object": "list", "data": [{ "id": "puppet", "object": "model", "owned_by": program.owner }] })
            .to_string()
    };
    let length = answer.len();
    let status = if answer.starts_with(BUSY) {
        "503 Service Unavailable\r\nretry-after: 9999"
    } else if answer.starts_with(REFUSAL) {
        "400 Bad Request"
    } else {
        "200 OK"
    };
    let kind = if answer.starts_with("data:") {
        "text/event-stream"
    } else {
        "application/json"
    };
    let head = format!("\r\ncontent-type: {kind}\r\nconnection: close\r\n");
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}{head}content-length: {length}\r\n\r\n{answer}"
    )
    .ok()
}
