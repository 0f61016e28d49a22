//! Tests the client against a model server that does everything wrong.

use std::time::Duration;

use franz_chat::{Bytes, Client, ClientSettings, ConnectionError, Endpoint, Failed, RequestFailure, Trouble, Usage};
use franz_secret::Secret;

use crate::asking::{ask, client, granted, settings};
use crate::server::{Act, Server, answer, good, nowhere};

async fn fail(act: Act) -> Failed {
    let server = Server::start(vec![act]).await;
    ask(&client(&server.address, settings())).await.expect_err("no answer")
}

#[tokio::test]
async fn an_absent_server_is_reported_as_unreachable() {
    let address = nowhere().await;
    let error = ask(&client(&address, settings())).await.unwrap_err();
    assert!(matches!(error.failure, RequestFailure::Unreachable { .. }));
    assert!(
        error
            .to_string()
            .starts_with(&format!("no model server answers at {address} (")),
        "{error}"
    );
    assert!(error.to_string().contains("refused"), "{error}");
}

/// A server that is there must not be waited for, and must not be called absent.
#[tokio::test]
async fn https_to_a_server_without_it_is_not_an_absent_server() {
    let server = Server::start(vec![Act::Greet(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())]).await;
    let address = server.address.replace("http://", "https://");
    let made = Client::new(address.parse().unwrap(), settings());
    // A machine without CA certificates refuses every https address, which `both_kinds_can_be_made` covers.
    let Ok(client) = made else { return };
    let error = ask(&client).await.unwrap_err();
    assert_eq!(error.failure.trouble(), Trouble::Lasting, "{error}");
    let said = error.to_string();
    assert!(
        said.starts_with(&format!("{address} answers, but https does not work there (")),
        "{said}"
    );
    assert!(
        said.ends_with("; if the server has no https, use http:// in its address"),
        "{said}"
    );
}

#[tokio::test]
async fn broken_connections_are_classified() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let raw = |text: String| Act::Send(text.into_bytes());
    let cases = [
        (Act::Reset, ConnectionError::NoAnswer),
        (raw(String::new()), ConnectionError::NoAnswer),
        (raw("HTTP/1.1 200 OK\r\nContent-".to_owned()), ConnectionError::NoAnswer),
        (raw("SSH-2.0-OpenSSH_9.2\r\n\r\n".to_owned()), ConnectionError::NotHttp),
        (
            raw(format!("HTTP/1.1 200 OK\r\n{}", "X: y\r\n".repeat(1 << 17))),
            ConnectionError::EndlessHead,
        ),
        (
            raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".to_owned()),
            ConnectionError::Cut,
        ),
        (raw(format!("{head}10\r\n{{")), ConnectionError::Cut),
        (raw(format!("{head}1\r\n{{\r\n")), ConnectionError::Cut),
        (raw(format!("{head}zz\r\n{{\r\n")), ConnectionError::BadChunks),
        (raw(format!("{head}1\r\n{{}}garbage\r\n")), ConnectionError::BadChunks),
    ];
    for (act, expected) in cases {
        let error = fail(act.clone()).await;
        if expected == ConnectionError::Cut {
            assert_eq!(error.answer.as_deref(), Some(&b"{"[..]), "{act:?}");
        }
        let broken = matches!(&error.failure, RequestFailure::Broken { error, .. } if *error == expected);
        assert!(broken, "{act:?} gave {:?}", error.failure);
    }
}

#[tokio::test]
async fn useless_answers_with_status_200_get_a_named_fault() {
    let cases = [
        ("", "empty_body"),
        ("<html><title>Welcome</title>", "html"),
        ("data: {}\n\n", "unfinished"),
        ("{", "not_json"),
        (r#"{"error":{"message":"out of memory"}}"#, "error_inside"),
        (r#"{"choices":[]}"#, "no_choices"),
        (
            r#"{"choices":[{"message":{"content":null,"reasoning_content":"hm"}}]}"#,
            "reasoning_only",
        ),
        (
            r#"{"choices":[{"message":{"content":null,"tool_calls":[{}]}}]}"#,
            "tool_calls_only",
        ),
    ];
    for (body, name) in cases {
        let error = fail(answer("200 OK", "", body)).await;
        assert_eq!(error.failure.name(), name, "{body}");
        assert_ne!(error.failure.trouble(), Trouble::Lasting);
        let came = (!body.is_empty()).then_some(body.as_bytes());
        assert_eq!(error.answer.as_deref(), came);
    }
    let error = fail(answer("200 OK", "", cases[4].0)).await;
    assert_eq!(error.failure.words(), Some("out of memory"));
}

#[tokio::test]
async fn useless_replies_still_report_their_tokens() {
    let spent = Usage {
        prompt: Some(10),
        completion: Some(5),
        total: Some(15),
        cached: None,
    };
    let usage = r#""usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}"#;
    let message = |message: &str| format!(r#"{{"choices":[{{"message":{message}}}],{usage}}}"#);
    let cases = [
        ("200 OK", message(r#"{"content":null,"reasoning":"hm"}"#), spent),
        ("200 OK", message(r#"{"content":null}"#), spent),
        ("200 OK", message(r#"{"content":null,"tool_calls":[{}]}"#), spent),
        ("200 OK", format!(r#"{{"error":"out of memory",{usage}}}"#), spent),
        ("200 OK", r#"{"choices":[]}"#.to_owned(), Usage::default()),
        ("200 OK", "{".to_owned(), Usage::default()),
        ("503 Busy", format!("{{{usage}}}"), Usage::default()),
    ];
    for (status, body, expected) in cases {
        let error = fail(answer(status, "", &body)).await;
        assert_eq!(error.usage, expected, "{body}");
    }
}

#[tokio::test]
async fn permanent_refusals_are_not_retried() {
    let cases = [
        ("400 Bad Request", "bad field", "permanent", "bad field"),
        ("401 Unauthorized", "who are you", "permanent", "set FRANZ_API_KEY"),
        ("404 Not Found", "no model", "permanent", "--model"),
        (
            "500 Oops",
            "Error rendering prompt with jinja template",
            "refused",
            "memory.shape = \"merged\"",
        ),
        (
            "400 Bad Request",
            "roles must alternate",
            "refused",
            "memory.shape = \"merged\"",
        ),
        (
            "400 Bad Request",
            "message content is empty",
            "refused",
            "memory.empty_story",
        ),
        // Some servers report this in an answer with status 200.
        ("200 OK", "message content is empty", "refused", "memory.empty_story"),
        (
            "400 Bad Request",
            "m does not support tools",
            "refused",
            "--profile companion",
        ),
        (
            "400 Bad Request",
            "At most 1 image(s) may be provided in one request.",
            "refused",
            "memory.most_screenshots = 1",
        ),
    ];
    for (status, words, name, advice) in cases {
        let error = fail(answer(status, "", &format!(r#"{{"error":{{"message":"{words}"}}}}"#))).await;
        assert_eq!(error.failure.name(), name, "{status}");
        assert_eq!(error.failure.trouble(), Trouble::Lasting);
        assert_eq!(error.failure.words(), Some(words));
        assert!(error.to_string().contains(advice), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(vec![Act::Hang(Vec::new())]).await;
    let location = format!("Location: {}/v1/chat/completions\r\n", elsewhere.address);
    for status in ["301 Moved", "302 Found", "307 Temporary Redirect"] {
        let error = fail(answer(status, &location, "")).await;
        assert!(matches!(&error.failure, RequestFailure::Redirected { .. }), "{status}");
        assert_eq!(error.failure.trouble(), Trouble::Lasting);
        assert!(error.to_string().contains(&elsewhere.address));
    }
    assert_eq!(elsewhere.requests(), Vec::<String>::new());
}

const KEY: &str = "sk-0123456789";

fn keyed(address: &str) -> ClientSettings {
    ClientSettings {
        grant: granted(address, KEY),
        ..settings()
    }
}

#[tokio::test]
async fn an_answer_that_repeats_the_key_is_refused_and_discarded() {
    for form in [
        KEY,
        r"sk\u002d0123456789",
        "sk%2d0123456789",
        "c2stMDEyMzQ1Njc4OQ==",
        "Y3NrLTAxMjM0NTY3ODk",
        "Y2Nzay0wMTIzNDU2Nzg5",
        "736b2d30313233343536373839",
        "736B2D30313233343536373839",
    ] {
        let reply = good(&format!("\"it is {form}, you know\""));
        let server = Server::start(vec![reply, good("\"fine\"")]).await;
        let error = ask(&client(&server.address, keyed(&server.address))).await.unwrap_err();
        assert_eq!(
            (error.failure.name(), error.failure.trouble()),
            ("repeats_key", Trouble::Lasting),
            "{form}"
        );
        assert_eq!(server.requests().len(), 1, "it is not asked again");
        let told = error.to_string();
        assert!(
            told.contains("the response repeated the API key (") && told.contains("SHA-256"),
            "{told}"
        );
        assert_eq!(error.answer, None);
        assert!(!format!("{error:?} {error}").contains(form), "{error:?}");
    }
}

#[tokio::test]
async fn quoted_responses_never_show_the_key() {
    for response in [
        answer("302 Found", &format!("Location: http://127.0.0.1:1/?key={KEY}\r\n"), ""),
        answer("401 Unauthorized", "", &format!(r#"{{"error":"bad key {KEY}"}}"#)),
        answer("500 Internal Server Error", "", "bad key c2stMDEyMzQ1Njc4OQ=="),
        answer(
            "400 Bad Request",
            "",
            r#"{"error":{"message":"bad key \u0073k-0123456789"}}"#,
        ),
    ] {
        let server = Server::start(vec![response]).await;
        let error = ask(&client(&server.address, keyed(&server.address))).await.unwrap_err();
        let answer = error.answer.clone().unwrap_or_default();
        let told = format!("{error} {error:?} {}", String::from_utf8_lossy(&answer));
        let secret = Secret::new([KEY]);
        assert!(
            !secret.is_in(told.as_bytes()) && told.contains("[the API key, "),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_model_list_that_repeats_the_key_is_refused() {
    let list = format!(r#"{{"data":[{{"id":"{KEY}"}}]}}"#);
    let server = Server::start(vec![answer("200 OK", "", &list)]).await;
    let error = client(&server.address, keyed(&server.address))
        .models()
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("repeated the API key") && !error.to_string().contains(KEY),
        "{error}"
    );
}

#[tokio::test]
async fn a_key_is_sent_only_to_the_server_it_was_granted_for() {
    let server = Server::start(vec![good("\"x\"")]).await;
    for other in ["http://127.0.0.1:1", "https://127.0.0.1", "http://h"] {
        let refused = Client::new(other.parse().unwrap(), keyed(&server.address)).unwrap_err();
        assert!(refused.to_string().contains("must not be sent to"), "{refused}");
    }
    // A relay is treated as the server behind it and as no other.
    let behind = |address: &str| ClientSettings {
        behind: Some(address.parse().unwrap()),
        grant: granted("https://cloud.example", KEY),
        ..settings()
    };
    let relay: Endpoint = server.address.parse().unwrap();
    assert!(Client::new(relay.clone(), behind("https://evil.example")).is_err());
    ask(&Client::new(relay, behind("https://cloud.example/v1")).unwrap())
        .await
        .unwrap();
    assert!(server.requests()[0].contains(KEY));
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let announced = "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n{";
    for (act, kept) in [
        (Act::Flood, Some(1 << 20)),
        (Act::Hang(announced.as_bytes().to_vec()), None),
    ] {
        let server = Server::start(vec![act]).await;
        let error = ask(&client(&server.address, settings())).await.unwrap_err();
        assert_eq!(error.failure.name(), "too_large");
        assert_eq!(error.answer.as_ref().map(Bytes::len), kept);
    }
}

#[tokio::test]
async fn a_key_across_the_cut_of_an_endless_answer_is_hidden() {
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
    let before = "0".repeat((1 << 20) - KEY.len() / 2);
    let answer = [head, &before, KEY, &"0".repeat(64 << 20)].concat();
    let server = Server::start(vec![Act::Send(answer.into_bytes())]).await;
    let error = ask(&client(&server.address, keyed(&server.address))).await.unwrap_err();
    assert_eq!(error.failure.name(), "too_large");
    let kept = error.answer.unwrap();
    assert_eq!(kept.len(), 1 << 20);
    assert!(!kept.windows(3).any(|bytes| bytes == b"sk-"));
}

#[tokio::test]
async fn a_hanging_server_times_out() {
    let heads: [(_, Option<&[u8]>); 2] = [
        (String::new(), None),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_owned(), Some(b"{")),
    ];
    for (head, came) in heads {
        let mut told = None;
        // On a busy machine, the beginning of the answer takes longer than the shortest timeout.
        for timeout in [100, 1_000, 10_000].map(Duration::from_millis) {
            let mut server = Server::start(vec![Act::Hang(head.clone().into_bytes())]).await;
            let settings = ClientSettings { timeout, ..settings() };
            let error = ask(&client(&server.address, settings)).await.unwrap_err();
            assert_eq!(error.failure.name(), "timeout");
            server.abandoned().await;
            told = error.answer;
            if told.as_deref() == came {
                break;
            }
        }
        assert_eq!(told.as_deref(), came);
    }
}

#[tokio::test]
async fn an_error_whose_body_never_ends_still_has_its_status() {
    let said = r#"{"error":{"message":"no such key"}}"#;
    for (head, body) in [
        ("Content-Length: 900\r\n", said.to_owned()),
        (
            "Transfer-Encoding: chunked\r\n",
            format!("{:x}\r\n{said}\r\n", said.len()),
        ),
    ] {
        let answer = format!("HTTP/1.1 401 Unauthorized\r\n{head}\r\n{body}");
        let error = fail(Act::Hang(answer.into_bytes())).await;
        assert_eq!(error.failure.status(), Some(401), "{error}");
        assert!(error.to_string().contains("no such key"), "{error}");
        assert_eq!(error.answer.as_deref(), Some(said.as_bytes()));
    }
    let drips = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 999999\r\n\r\n";
    let error = fail(Act::Ping(drips.into())).await;
    assert_eq!(error.failure.status(), Some(401), "{error}");
}

#[tokio::test]
async fn an_unsendable_header_is_an_error() {
    let server = Server::start(vec![good("\"\"")]).await;
    let client = client(&server.address, settings());
    let error = client.ask(Bytes::new(), &[("X-Franz-Run", "a\nb")]).await.unwrap_err();
    assert_eq!(error.failure.name(), "unsendable");
}
