//! `franz runs show RUN --exchange N`

use std::borrow::Cow;
use std::io::{self, Write};

use anyhow::Result;
use franz_home::View;
use franz_json::indent;
use franz_record::{ExchangeError, LoggedExchange, LoggedMessage, ReadBody, Wanted, exchanges};

use crate::exit::Unusable;
use crate::terminal::{one_line, printable};

const RULE: &str = "================================================================================";

pub(super) fn show(view: &View, wanted: &Wanted) -> Result<u8> {
    let found = exchanges(view, wanted).map_err(|error| match several(view) {
        Some(advice) if matches!(error, ExchangeError::NoLog { .. }) => Unusable::usage(advice),
        _ => Unusable::usage(error),
    })?;
    let mut out = io::stdout().lock();
    for exchange in &found {
        print(&mut out, exchange)?;
    }
    Ok(0)
}

/// Returns advice for a panel's directory, which contains several runs.
fn several(view: &View) -> Option<String> {
    let mut names = view.open_directory("runs").ok()?.names().ok()?;
    names.sort_unstable();
    let newest = view.path_of("runs").join(names.last()?);
    let panel = view.path().display();
    Some(format!(
        "{panel} contains a panel's runs; name one of them, such as {}",
        newest.display()
    ))
}

fn print(out: &mut impl Write, exchange: &LoggedExchange) -> io::Result<()> {
    let turn = exchange.turn.map(|turn| format!("turn {turn}"));
    let at = |message: &Option<LoggedMessage>| message.as_ref().map(|message| message.at.clone());
    let status = exchange.response.as_ref().and_then(|response| response.status);
    let status = status.map(|status| status.to_string());
    let request = exchange.request.as_ref().map(body);
    let request = request.unwrap_or("(the request was rotated away)".into());
    let response = exchange.response.as_ref().map(body);
    let response = response.unwrap_or("(no response in the log: it is still pending, or it never came)".into());
    let of_request = [turn, at(&exchange.request), Some(exchange.id.clone())];
    let of_response = [status, at(&exchange.response), None];
    entry(out, "REQUEST TO MODEL:", of_request, &request)?;
    entry(out, "RESPONSE FROM MODEL:", of_response, &response)
}

fn entry(out: &mut impl Write, title: &str, details: [Option<String>; 3], body: &str) -> io::Result<()> {
    let details = details.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let title = format!("{title} {}", one_line(&details));
    writeln!(out, "{RULE}\n{}\n{RULE}\n{}\n", title.trim_end(), printable(body))
}

fn body(message: &LoggedMessage) -> Cow<'_, str> {
    match &message.body {
        ReadBody::Json(json) => match indent(json.get().as_bytes()) {
            Some(indented) => String::from_utf8_lossy(&indented).into_owned().into(),
            None => json.get().into(),
        },
        ReadBody::Text(text) => text.replace("\r\n", "\n").into(),
        ReadBody::Missing(why) => format!("(not in the log: {why})").into(),
    }
}

#[cfg(test)]
mod tests {
    use franz_json::Raw;

    use super::*;

    fn shown(request: Option<ReadBody>, response: Option<ReadBody>) -> String {
        let message = |body| LoggedMessage {
            at: "2026-11-21T21:44:03Z".to_owned(),
            status: Some(200),
            head: None,
            body,
            as_sent: None,
        };
        let exchange = LoggedExchange {
            id: "req_1\u{1b}[31m\n".to_owned(),
            turn: Some(12),
            request: request.map(message),
            response: response.map(message),
        };
        let mut out = Vec::new();
        print(&mut out, &exchange).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_exchange_is_printed_in_the_familiar_layout() {
        let request = ReadBody::Json(Raw::parse(r#"{"a":"\ud800"}"#).unwrap());
        let rule = "=".repeat(80);
        let expected = format!(
            "{rule}\nREQUEST TO MODEL: turn 12, 2026-11-21T21:44:03Z, req_1\u{fffd}[31m \n{rule}\n{{\n  \"a\": \"\\ud800\"\n}}\n\n\
             {rule}\nRESPONSE FROM MODEL: 200, 2026-11-21T21:44:03Z\n{rule}\n(not in the log: it broke)\n\n"
        )
        .replace("[31m \n", "[31m\n");
        assert_eq!(
            shown(Some(request), Some(ReadBody::Missing("it broke".to_owned()))),
            expected
        );
        let half = shown(None, None);
        assert!(
            half.contains("rotated away") && half.contains("no response in the log"),
            "{half}"
        );
    }

    #[test]
    fn printed_exchanges_contain_no_escape_sequences() {
        let hostile = "\u{1b}]0;title\u{7}\u{9b}31m\u{202e}\r\u{7f}text\r\n";
        let json = ReadBody::Json(Raw::parse("\"\u{9b}31m\u{202e}\u{7f}\"").unwrap());
        for body in [
            ReadBody::Text(hostile.to_owned()),
            ReadBody::Missing(hostile.to_owned()),
            json,
        ] {
            let shown = shown(Some(body.clone()), Some(body));
            assert!(!shown.chars().any(franz_record::output::acts), "{shown:?}");
            assert!(shown.contains("31m"), "{shown:?}");
        }
    }
}
