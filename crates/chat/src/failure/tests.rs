use super::{RequestFailure, Trouble};
use crate::connection_error::ConnectionError;
use crate::defect::Defect;
use std::time::Duration;

#[test]
fn a_status_decides_whether_to_try_again() {
    let cases = [
        (400, "permanent", true),
        (401, "permanent", true),
        (404, "permanent", true),
        (408, "server", false),
        (422, "permanent", true),
        (425, "server", false),
        (429, "server", false),
        (500, "server", false),
        (501, "permanent", true),
        (502, "server", false),
        (505, "permanent", true),
        (503, "server", false),
        (599, "server", false),
    ];
    for (status, name, permanent) in cases {
        let failure = RequestFailure::of_status(status, "busy".to_owned(), None);
        assert_eq!(failure.name(), name, "{status}");
        assert_eq!(failure.trouble() == Trouble::Lasting, permanent, "{status}");
        assert_eq!(failure.is_down(), !permanent, "{status}");
        assert_eq!(failure.words(), Some("busy"));
    }
    let refused = RequestFailure::of_status(500, "jinja says no".to_owned(), None);
    assert_eq!(refused.trouble(), Trouble::Lasting);
}

#[test]
fn a_model_that_the_server_does_not_have_is_recognised() {
    for (status, words, about) in [
        (404, "The model `qwen` does not exist.", true),
        (404, "model \"qwen\" not found, try pulling it first", true),
        (400, "No models loaded. Please load a model", true),
        (404, "Not Found", false),
        (400, "the flux capacitor of this model is missing", false),
        (500, "model not found", false),
        (401, "model not found", false),
    ] {
        let failure = RequestFailure::of_status(status, words.to_owned(), None);
        assert_eq!(failure.is_about_the_model(), about, "{status} {words}");
    }
}

#[test]
fn an_account_without_credit_is_not_asked_again() {
    let error = |code: &str| format!(r#"{{"error":{{"message":"You exceeded your quota.","code":"{code}"}}}}"#);
    for (code, trouble) in [
        ("insufficient_quota", Trouble::Lasting),
        ("rate_limit_exceeded", Trouble::Busy),
    ] {
        let failure = RequestFailure::of_answer(429, error(code).as_bytes(), None);
        assert_eq!((failure.status(), failure.trouble()), (Some(429), trouble), "{code}");
    }
    let failure = RequestFailure::of_answer(429, error("insufficient_quota").as_bytes(), None);
    assert_eq!(
        failure.to_string(),
        "the model server rejected the request with 429: You exceeded your quota; add credit to your account there, \
         or name another server with --upstream"
    );
}

#[test]
fn the_advice_follows_the_servers_words_in_one_sentence() {
    let said = |status, words: &str| RequestFailure::of_status(status, words.to_owned(), None);
    for (status, words, told) in [
        (503, "Loading model", "returned 503: Loading model; check its log"),
        (503, "Loading model.", "returned 503: Loading model; check its log"),
        (503, "Loading model...", "returned 503: Loading model...; check its log"),
        (
            422,
            "Wrong field.",
            "rejected the request with 422: Wrong field; fix the problem",
        ),
        (
            400,
            "m does not support tools.",
            "tool calling (400: m does not support tools); start it",
        ),
        (
            404,
            "No models loaded. Please load a model.",
            "404: No models loaded. Please load a model; load one that accepts images",
        ),
    ] {
        let failure = said(status, words).to_string();
        assert!(failure.contains(told), "{failure}");
    }
    assert_eq!(
        said(400, "maximum context length is 4096.").without_advice(),
        "the model server rejected a request this long (400: maximum context length is 4096)"
    );
    let busy = said(503, "Loading model");
    assert_eq!(busy.without_advice(), busy.to_string());
}

#[test]
fn a_reply_that_the_server_cannot_read_is_the_models_failure() {
    for (status, words) in [
        (500, "Failed to parse input at pos 184: <tool_call>"),
        (
            500,
            "The model produced output that does not match the expected peg-native format",
        ),
        (
            500,
            "got exception: Unexpected empty grammar stack after accepting piece: <tool_call>",
        ),
        (
            500,
            "error parsing tool call: raw='{\"x\": no json schema', err=invalid character 'o' in literal null",
        ),
        (
            400,
            "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        ),
    ] {
        let failure = RequestFailure::of_status(status, words.to_owned(), None);
        assert_eq!(
            (failure.name(), failure.trouble()),
            ("unread", Trouble::Useless),
            "{words}"
        );
        assert!(!failure.is_down() && failure.words() == Some(words));
    }
    for quoted in ["grammar, context length", "tool calls are not supported", "json schema"] {
        let words = format!("Failed to parse input at pos 3: type(\"{quoted}\")");
        let unread: RequestFailure = Defect::Unread { words: words.clone() }.into();
        assert_eq!(RequestFailure::of_status(500, words.clone(), None), unread);
        assert_eq!(
            RequestFailure::of_defect(Defect::ErrorInside { code: None, words }),
            unread
        );
    }
    let busy = RequestFailure::of_status(500, "failed to parse the model file".to_owned(), None);
    assert_eq!(busy.trouble(), Trouble::Busy);
}

#[test]
fn the_status_that_an_error_inside_names_decides_whether_to_wait() {
    for (code, trouble) in [
        (None, Trouble::Useless),
        (Some(400), Trouble::Useless),
        (Some(401), Trouble::Lasting),
        (Some(402), Trouble::Lasting),
        (Some(403), Trouble::Lasting),
        (Some(429), Trouble::Busy),
        (Some(500), Trouble::Useless),
        (Some(502), Trouble::Busy),
        (Some(503), Trouble::Busy),
    ] {
        let words = "busy".to_owned();
        let failure = RequestFailure::of_defect(Defect::ErrorInside { code, words });
        assert_eq!(
            (failure.name(), failure.trouble()),
            ("error_inside", trouble),
            "{code:?}"
        );
        assert_eq!(failure.is_down(), trouble == Trouble::Busy, "{code:?}");
        assert_eq!(failure.status(), None, "the answer's own status was 200");
    }
}

#[test]
fn a_server_that_refuses_a_request_does_not_count_as_down() {
    let address = || "http://h:1".to_owned();
    let why = || "refused".to_owned();
    let after = Duration::from_secs(1);
    let error = ConnectionError::Cut;
    let cases = [
        (
            RequestFailure::Unreachable {
                address: address(),
                why: why(),
            },
            true,
        ),
        (
            RequestFailure::Tls {
                address: address(),
                why: why(),
            },
            true,
        ),
        (RequestFailure::Timeout { after }, true),
        (
            RequestFailure::Broken {
                address: address(),
                error,
            },
            true,
        ),
        (RequestFailure::of_status(500, "jinja says no".to_owned(), None), false),
        (
            RequestFailure::Redirected {
                status: 302,
                location: address(),
            },
            false,
        ),
        (RequestFailure::Defect(Defect::Empty), false),
        (RequestFailure::TooLarge { limit: 1 }, false),
        (RequestFailure::Unsendable { why: why() }, false),
    ];
    for (failure, down) in cases {
        assert_eq!(failure.is_down(), down, "{failure}");
    }
}

#[test]
fn an_error_of_tls_gets_the_advice_that_helps() {
    for (why, advice) in [
        (
            "invalid peer certificate: certificate not valid for name \"192.168.1.20\"; it is only for lab",
            "name the server as its certificate does",
        ),
        (
            "invalid peer certificate: certificate expired: verification time 9 (UNIX)",
            "renew its certificate, or correct this system's clock",
        ),
        (
            "invalid peer certificate: certificate not valid yet: verification time 8 (UNIX)",
            "renew its certificate, or correct this system's clock",
        ),
        (
            "invalid peer certificate: UnknownIssuer",
            "install its CA certificate on this system, or use its http:// address",
        ),
        (
            "received fatal alert: CertificateRequired",
            "check the server's TLS settings; it might require a client certificate",
        ),
        (
            "received corrupt message of type InvalidContentType",
            "if the server has no https, use http:// in its address",
        ),
    ] {
        let failure = RequestFailure::Tls {
            address: "https://h".to_owned(),
            why: why.to_owned(),
        };
        let said = format!("https://h answers, but https does not work there ({why}); {advice}");
        assert_eq!(failure.to_string(), said);
    }
}

#[test]
fn error_messages_say_which_setting_to_change() {
    let refused = |status, words: &str| RequestFailure::of_status(status, words.to_owned(), None).to_string();
    assert!(refused(401, "no").contains("set FRANZ_API_KEY"));
    assert!(refused(400, "roles must alternate").contains("memory.shape = \"merged\""));
    assert!(refused(400, "content is empty").contains("memory.empty_story"));
    let toolless = refused(400, "m does not support tools");
    assert!(toolless.starts_with("the model server rejected tool calling (400: m does not support tools); start it"));
    assert!(toolless.contains("--profile companion"));
    let blind = refused(500, "image input is not supported");
    assert!(blind.starts_with("the model server rejected images (500:") && blind.contains("load a model"));
    assert!(refused(400, "maximum context length is 4096").contains("longer context"));
    assert!(refused(400, "At most 1 image(s) may be provided").contains("memory.most_screenshots = 1"));
    let unreachable = RequestFailure::Unreachable {
        address: "http://h:1".into(),
        why: "refused".into(),
    };
    let text = "no model server answers at http://h:1 (refused); start it, or run with --upstream demo";
    assert_eq!(unreachable.to_string(), text);
    for (address, why) in [
        ("http://h", "(refused; FRANZ asked port 80)"),
        ("http://h:81", "(refused)"),
        ("https://h", "(refused)"),
    ] {
        let failure = RequestFailure::unreachable(&address.parse().unwrap(), "refused".to_owned());
        assert!(failure.to_string().contains(why), "{failure}");
    }
    let late = RequestFailure::Timeout {
        after: Duration::from_millis(1500),
    };
    assert!(late.to_string().contains("1.5 s"));
}
