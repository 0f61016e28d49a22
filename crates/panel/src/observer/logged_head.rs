//! The part of a request's head that the log keeps: enough to send the request again, but never a key.

use franz_record::LoggedHead;
use franz_relay::Message;
use franz_secret::Secret;

/// Parts of the names of headers and parameters whose values authenticate somebody.
const SECRET: [&str; 10] = [
    "auth",
    "cookie",
    "credential",
    "key",
    "jwt",
    "pass",
    "secret",
    "session",
    "sig",
    "token",
];

/// Headers that describe a connection or how the body is packed. Whoever sends the request again writes their own.
const OWN: [&str; 12] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Returns what to log of a request's head. Known keys are removed, too, wherever they are.
pub(super) fn logged_head(message: &Message, secret: &Secret) -> LoggedHead {
    let head = String::from_utf8_lossy(&message.head);
    let lines = head.lines().skip(1);
    // A line that begins with a blank continues a value, maybe one that is left out.
    let whole = lines.filter(|line| !line.starts_with([' ', '\t']));
    let named = whole.filter_map(|line| line.split_once(':'));
    let headers = named.filter_map(|(name, value)| {
        let name = name.trim();
        let lower = name.to_ascii_lowercase();
        let is_kept = !OWN.contains(&lower.as_str()) && !lower.starts_with("x-franz-");
        is_kept.then(|| {
            let value = (!is_secret(&lower)).then(|| secret.text(value.trim()).into_owned());
            (name.to_owned(), value)
        })
    });
    LoggedHead {
        headers: headers.collect(),
        target: secret.text(&target(message.target())).into_owned(),
    }
}

fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|part| name.contains(part))
}

/// Returns a target without its scheme and authority, and without the values of secret parameters.
fn target(target: &str) -> String {
    let behind = target.split_once("://").map_or(target, |(_, rest)| rest);
    let path = behind.find('/').map_or("/", |at| &behind[at..]);
    let Some((path, query)) = path.split_once('?') else {
        return path.to_owned();
    };
    let parameters = query.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if is_secret(&name.to_ascii_lowercase()) => format!("{name}=KEY"),
        _ => parameter.to_owned(),
    });
    format!("{path}?{}", parameters.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use franz_relay::Copy;

    use super::*;

    #[test]
    fn keys_and_what_belongs_to_the_connection_are_left_out() {
        let head = "POST http://u:p@h/v1/messages?beta=true&key=sk-1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\
                    X-Api-Key: sk-1\r\nauthorization:\r\n Bearer:sk-1\r\nCookie: a=sk-1\r\nX-Franz-Run: r\r\n\
                    anthropic-version:  2023-06-01 \r\nX-Trace: about sk-secret-12345678\r\n\r\n";
        let message = Message {
            head: head.into(),
            body: Copy::Dropped,
            bytes: 3,
        };
        let logged = logged_head(&message, &Secret::new(["sk-secret-12345678"]));
        assert_eq!(logged.target, "/v1/messages?beta=true&key=KEY");
        let headers: Vec<_> = logged
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_deref()))
            .collect();
        assert_eq!(
            headers[..4],
            [
                ("X-Api-Key", None),
                ("authorization", None),
                ("Cookie", None),
                ("anthropic-version", Some("2023-06-01")),
            ]
        );
        assert!(!format!("{logged:?}").contains("sk-"), "{logged:?}");
    }
}
