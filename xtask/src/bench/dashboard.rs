//! Queries a dashboard as a script would.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use anyhow::{Result, ensure};
use serde::Deserialize;

/// The address of a dashboard, and the token for it.
#[derive(Deserialize)]
pub(super) struct Dashboard {
    address: String,
    token: String,
}

impl Dashboard {
    /// Returns the dashboard of a run in progress.
    pub(super) fn of_run(directory: &Path) -> Result<Dashboard> {
        Ok(serde_json::from_slice(&std::fs::read(
            directory.join("dashboard.json"),
        )?)?)
    }

    /// Parses a dashboard's link: `http://127.0.0.1:7878/?token=0123`.
    pub(super) fn at(link: &str) -> Option<Dashboard> {
        let (address, token) = link.trim().split_once("/?token=")?;
        Some(Dashboard {
            address: address.to_owned(),
            token: token.to_owned(),
        })
    }

    pub(super) fn get(&self, path: &str) -> Result<String> {
        self.ask("GET", path, "")
    }

    pub(super) fn post(&self, path: &str, json: &str) -> Result<String> {
        self.ask("POST", path, json)
    }

    /// Returns the response, including its head.
    fn ask(&self, method: &str, path: &str, body: &str) -> Result<String> {
        let address = self.address.trim_start_matches("http://");
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        ensure!(answer.starts_with("HTTP/1.0 200"), "{method} {path} failed: {answer}");
        Ok(answer)
    }
}
