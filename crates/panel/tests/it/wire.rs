//! Exchanges without a network: an agent's requests, their responses, and the verifier that sees both.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use franz_panel::verify::Verifier;
use franz_panel::{Verdict, VerdictKind};
use franz_relay::{Copy, Ended, Exchange, Message};
use jiff::Timestamp;
use tempfile::TempDir;

/// Returns text as a JSON literal.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A request and its outcome.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) fields: Vec<(&'static str, String)>,
    pub(crate) connection: u64,
    pub(crate) target: &'static str,
    pub(crate) body: Copy,
    pub(crate) response: Option<Message>,
    pub(crate) ended: Ended,
    /// When the exchange began and how long it took, in milliseconds. `None` if it follows everything before it and
    /// takes no time.
    pub(crate) time: Option<(i64, u64)>,
    /// Its number, if it is handed over out of order.
    pub(crate) id: Option<u64>,
}

impl Ask {
    /// Creates a request of three messages with this literal as its story. It is answered with status 503.
    pub(crate) fn new(story: &str) -> Ask {
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"system","content":"s"}},{{"role":"user","content":{story}}},{}]}}"#,
            r#"{"role":"user","content":[{"type":"text","text":"f"},{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}]}"#
        );
        Ask {
            fields: Vec::new(),
            connection: 1,
            target: "/v1/chat/completions",
            body: Copy::Whole(body.into()),
            response: Some(message("HTTP/1.1 503 Busy", &[], Bytes::from_static(b"{}"))),
            ended: Ended::Complete,
            time: None,
            id: None,
        }
    }

    pub(crate) fn run(mut self, run: &str, turn: u64) -> Ask {
        self.fields.push(("X-Franz-Run", run.to_owned()));
        self.fields.push(("x-franz-TURN", turn.to_string()));
        self
    }

    pub(crate) fn key(mut self, key: &str) -> Ask {
        self.fields.push(("X-Franz-Key", key.to_owned()));
        self
    }

    pub(crate) fn program(mut self, name: &str) -> Ask {
        self.fields.push(("User-Agent", name.to_owned()));
        self
    }

    pub(crate) fn connection(mut self, connection: u64) -> Ask {
        self.connection = connection;
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Bytes>) -> Ask {
        self.body = Copy::Whole(body.into());
        self
    }

    pub(crate) fn at(mut self, start: i64, length: u64) -> Ask {
        self.time = Some((start, length));
        self
    }

    /// Answers the request with this literal as the reply.
    pub(crate) fn reply(self, story: &str) -> Ask {
        self.answer(
            "application/json",
            format!(r#"{{"choices":[{{"message":{{"role":"assistant","content":{story}}}}}]}}"#),
        )
    }

    pub(crate) fn answer(mut self, kind: &str, body: impl Into<Bytes>) -> Ask {
        self.response = Some(message(
            "HTTP/1.1 200 OK",
            &[("Content-Type", kind.to_owned())],
            body.into(),
        ));
        self
    }

    /// Sends the body of the answer as a chunk that no last chunk follows.
    pub(crate) fn without_last_chunk(mut self) -> Ask {
        let answer = self.response.as_mut().unwrap();
        let Copy::Whole(body) = &answer.body else {
            panic!("there is no body");
        };
        let length = format!("Content-Length: {}", body.len());
        let head = String::from_utf8(answer.head.to_vec()).unwrap();
        answer.head = head.replace(&length, "Transfer-Encoding: chunked").into();
        let chunk = [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n"].concat();
        answer.bytes = chunk.len() as u64;
        answer.body = Copy::Whole(chunk.into());
        self
    }

    pub(crate) fn ended(mut self, ended: Ended) -> Ask {
        self.ended = ended;
        self
    }

    /// Returns the copy of the exchange. It began at `start`, unless it has its own time.
    pub(crate) fn exchange(self, id: u64, start: i64) -> Exchange {
        let (start, length) = self.time.unwrap_or((start, 0));
        let mut request = message(&format!("POST {} HTTP/1.1", self.target), &self.fields, Bytes::new());
        if let Copy::Whole(body) = &self.body {
            request.bytes = body.len() as u64;
        }
        request.body = self.body;
        Exchange {
            id: self.id.unwrap_or(id),
            connection: self.connection,
            started: Timestamp::from_millisecond(start).unwrap(),
            request,
            response: self.response,
            ended: self.ended,
            sent: Duration::from_micros(1_500),
            first_byte: None,
            whole: Duration::from_millis(length),
        }
    }

    pub(crate) fn unanswered(mut self, ended: Ended) -> Ask {
        self.response = None;
        self.ended(ended)
    }
}

pub(crate) fn message(start: &str, fields: &[(&'static str, String)], body: Bytes) -> Message {
    let fields = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let head = format!(
        "{start}\r\n{}Content-Length: {}\r\n\r\n",
        fields.collect::<String>(),
        body.len()
    );
    Message {
        head: head.into(),
        bytes: body.len() as u64,
        body: Copy::Whole(body),
    }
}

/// A verifier and its run directory.
pub(crate) struct Watch {
    directory: TempDir,
    verifier: Verifier,
    /// Whether the verifier is restarted before every exchange.
    restarting: bool,
    key: Option<String>,
    last_id: u64,
    now: i64,
}

impl Watch {
    pub(crate) fn new() -> Watch {
        let directory = tempfile::tempdir().unwrap();
        Watch {
            verifier: Verifier::open(&franz_home::Home::claim(directory.path()).unwrap()),
            directory,
            restarting: false,
            key: None,
            last_id: 0,
            now: 0,
        }
    }

    pub(crate) fn restarting() -> Watch {
        Watch {
            restarting: true,
            ..Watch::new()
        }
    }

    /// Makes the verifier trust those who know this key.
    pub(crate) fn with_key(self, key: &str) -> Watch {
        let mut watch = Watch {
            key: Some(key.to_owned()),
            ..self
        };
        watch.restart();
        watch
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Replaces the verifier with a new one.
    pub(crate) fn restart(&mut self) {
        self.verifier =
            Verifier::open(&franz_home::Home::claim(self.directory.path()).unwrap()).with_key(self.key.clone());
        self.last_id = 0;
    }

    /// Judges an exchange without saving anything.
    pub(crate) fn judge(&mut self, ask: Ask) -> Option<Verdict> {
        let exchange = self.exchange(ask);
        self.verifier.judge(&exchange)
    }

    /// Judges an exchange, and saves the data that the verifier needs later.
    pub(crate) fn see(&mut self, ask: Ask) -> Verdict {
        if self.restarting {
            self.restart();
        }
        let verdict = self.judge(ask).expect("a chat request");
        self.verifier.save().unwrap();
        verdict
    }

    /// Returns the kinds of the verdicts on these exchanges.
    pub(crate) fn kinds(&mut self, asks: Vec<Ask>) -> Vec<VerdictKind> {
        asks.into_iter().map(|ask| self.see(ask).verdict).collect()
    }

    fn exchange(&mut self, ask: Ask) -> Exchange {
        self.last_id += 1;
        let exchange = ask.exchange(self.last_id, self.now + 1_000);
        let end = exchange.started.as_millisecond() + exchange.whole.as_millis() as i64;
        self.now = self.now.max(end);
        exchange
    }
}
