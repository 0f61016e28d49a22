//! A client for the dashboard that is not a browser.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::harness::{Workplace, wait_until};

/// A dashboard's address and token.
#[derive(Clone)]
pub(super) struct Dashboard {
    address: String,
    token: String,
}

impl Dashboard {
    /// Returns the run's dashboard as soon as it responds.
    pub(super) fn of(place: &Workplace) -> Dashboard {
        wait_until("the dashboard", || {
            let file = std::fs::read(place.file("dashboard.json")).ok()?;
            let access: Value = serde_json::from_slice(&file).ok()?;
            let dashboard = Dashboard {
                address: access["address"].as_str()?.strip_prefix("http://")?.to_owned(),
                token: access["token"].as_str()?.to_owned(),
            };
            // A killed panel's file stays, and another dashboard may have its port.
            let (status, _) = dashboard.try_get("/api/state")?;
            (status == 200).then_some(dashboard)
        })
    }

    /// Returns the dashboard that a printed link opens.
    pub(super) fn at(link: &str) -> Dashboard {
        let (address, token) = link.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        Dashboard {
            address: address.to_owned(),
            token: token.to_owned(),
        }
    }

    /// Returns the panel's page of a run, given the link that the run printed, such as `http://HOST/run/NAME/?token=…`.
    pub(super) fn of_page(link: &str) -> (Dashboard, String) {
        let (page, token) = link.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let (address, path) = page.split_once('/').unwrap();
        let panel = Dashboard {
            address: address.to_owned(),
            token: token.to_owned(),
        };
        (panel, format!("/{path}"))
    }

    /// Sends a command to a run at this path of a panel.
    pub(super) fn command_to(&self, path: &str, what: &str) -> u16 {
        let body = json!({ "do": what }).to_string();
        let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        self.request("POST", &format!("{path}/api/control"), &more, &body)
            .unwrap()
            .0
    }

    /// Returns `HOST:PORT`.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn port(&self) -> u16 {
        self.address.rsplit(':').next().unwrap().parse().unwrap()
    }

    pub(super) fn get(&self, path: &str) -> (u16, String) {
        self.try_get(path).unwrap_or_else(|| panic!("no answer for {path}"))
    }

    /// Returns the JSON in an answer. Fails unless the answer has status 200.
    pub(super) fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Sends a command.
    pub(super) fn command(&self, what: &str) {
        let answer = self.post(&json!({ "do": what }), "");
        assert_eq!(answer.0, 200, "{what}: {}", answer.1);
    }

    /// Sets a key as the page does. Returns the status of the answer.
    pub(super) fn set(&self, key: &str, value: &str) -> u16 {
        let settings = self.json("/api/settings");
        let hash = settings["hash"].as_str().unwrap();
        let header = format!("If-Match: \"{hash}\"\r\n");
        self.post(&json!({ "do": "set", "key": key, "value": value }), &header)
            .0
    }

    /// Waits until the agent is in this state.
    pub(super) fn wait_for_agent(&self, state: &str) {
        wait_until(state, || {
            (self.json("/api/state")["agent"]["state"] == state).then_some(())
        });
    }

    /// Listens as a page does. A page counts as open as long as the stream exists.
    pub(super) fn open_page(&self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let Dashboard { address, token } = self;
        write!(
            stream,
            "GET /events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        .unwrap();
        stream.read_exact(&mut [0; 15]).unwrap();
        stream
    }

    /// Waits for a question whose nonce is not `before`. Returns its nonce and its action.
    pub(super) fn question(&self, before: &str) -> (String, String) {
        wait_until("a question", || {
            let question = &self.json("/api/state")["question"];
            let nonce = question["nonce"].as_str().filter(|nonce| *nonce != before)?;
            let action = question["action"].as_str()?;
            Some((nonce.to_owned(), action.to_owned()))
        })
    }

    /// Sends a decision. Returns the status and the body of the answer.
    pub(super) fn decide(&self, what: &str, nonce: &str, value: &str) -> (u16, String) {
        self.post(&json!({ "do": what, "key": nonce, "value": value }), "")
    }

    /// Returns the last recorded turn.
    pub(super) fn last_turn(&self) -> u64 {
        self.json("/api/state")["turns"]["last"].as_u64().unwrap()
    }

    /// Posts a command. Returns the status and the body of the answer.
    pub(super) fn post(&self, body: &Value, header: &str) -> (u16, String) {
        let body = body.to_string();
        let more = format!(
            "{header}Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
        self.request("POST", "/api/control", &more, &body).unwrap()
    }

    /// Like [`Dashboard::get`], but returns `None` if nothing answers.
    pub(super) fn try_get(&self, path: &str) -> Option<(u16, String)> {
        self.request("GET", path, "", "")
    }

    fn request(&self, method: &str, path: &str, more: &str, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let Dashboard { address, token } = self;
        let head =
            format!("{method} {path} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{more}\r\n");
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, body.to_owned()))
    }
}
