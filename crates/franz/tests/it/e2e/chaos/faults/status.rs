//! Answers with a status other than 200.

use super::{Fate, Fault, bytes, fault};
use crate::e2e::chaos::server::{Act, answer};

const WORDS: &str = r#"{"error":{"message":"the flux capacitor is cold"}}"#;

pub(super) fn all() -> Vec<Fault> {
    [passing(), lasting()].concat()
}

fn passing() -> Vec<Fault> {
    let soon = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(2);
    let date = soon.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    vec![
        answers(
            "500",
            "500 Internal Server Error",
            "",
            WORDS,
            "returned 500: the flux capacitor is cold",
        ),
        answers(
            "502 with a page",
            "502 Bad Gateway",
            "Content-Type: text/html\r\n",
            "<html><title>502 Bad Gateway</title></html>",
            "returned 502: an HTML page titled \"502 Bad Gateway\"",
        ),
        answers(
            "503",
            "503 Service Unavailable",
            "",
            WORDS,
            "returned 503: the flux capacitor is cold",
        ),
        answers(
            "503 without words",
            "503 Service Unavailable",
            "",
            "",
            "returned 503: no explanation",
        ),
        answers(
            "504 in plain text",
            "504 Gateway Timeout",
            "",
            "too late",
            "returned 504: too late",
        ),
        answers("408", "408 Request Timeout", "", WORDS, "returned 408: the flux"),
        answers(
            "429, to wait a second",
            "429 Too Many Requests",
            "Retry-After: 1\r\n",
            WORDS,
            "returned 429: the flux",
        ),
        answers(
            "429, to wait until a time",
            "429 Too Many Requests",
            &format!("Retry-After: {date}\r\n"),
            WORDS,
            "returned 429: the flux",
        ),
        answers(
            "429, to wait for nonsense",
            "429 Too Many Requests",
            "Retry-After: soon\r\n",
            WORDS,
            "returned 429",
        ),
        fault(
            "500 whose words are cut",
            Act::Send(bytes(&[
                "HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\n{\"error\":\"the fl",
            ])),
            "returned 500: {\"error\":\"the fl",
        ),
    ]
}

/// Returns faults after which a retry would be useless.
fn lasting() -> Vec<Fault> {
    let faults = vec![
        answers(
            "400",
            "400 Bad Request",
            "",
            WORDS,
            "rejected the request with 400: the flux capacitor is cold",
        ),
        answers("401", "401 Unauthorized", "", WORDS, "set FRANZ_API_KEY"),
        answers(
            "404",
            "404 Not Found",
            "",
            WORDS,
            "check the address and the model's name",
        ),
        answers("413", "413 Payload Too Large", "", WORDS, "make the picture smaller"),
        answers(
            "302",
            "302 Found",
            "Location: http://127.0.0.1:9/elsewhere\r\n",
            "",
            "redirects to \"http://127.0.0.1:9/elsewhere\" (302)",
        ),
    ];
    let lost = |fault| Fault {
        fate: Fate::Lost,
        ..fault
    };
    faults.into_iter().map(lost).collect()
}

fn answers(name: &'static str, status: &str, head: &str, body: &str, told: &'static str) -> Fault {
    fault(name, Act::Send(answer(status, head, body)), told)
}
