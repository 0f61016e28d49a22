//! The story is never changed. Whatever literal a server writes comes back in the next request byte for byte.

use franz_demo::DemoHandle;

use crate::harness::{Workplace, scripted};

fn literals() -> Vec<String> {
    let mut literals: Vec<String> = [
        r#""\ud800""#,
        r#""\udc00\ud800 the wrong way round""#,
        r#""NUL \u0000 and \u001f""#,
        "\"separators \u{2028}\u{2029} raw\"",
        r#""separators \u2028\u2029 escaped""#,
        r#""odd but legal: \/ \u0041 \u005c \u0022 \b\f\n\r\t""#,
        r#""""#,
        r#""\uD83D\uDE00 and raw 😀""#,
        r#""```python\nleft_click(1, 2)\n```\ud800""#,
    ]
    .map(str::to_owned)
    .to_vec();
    literals.push(format!("\"{}\"", r"\u00e9\/é😀\ud800 ".repeat(2_000_000 / 24)));
    literals
}

pub(crate) fn server(literals: &[String]) -> DemoHandle {
    let lines: Vec<String> = literals
        .iter()
        .map(|literal| format!("{{\"content\": {literal}}}"))
        .collect();
    scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the raw literal of the second message's content.
fn second_message(body: &[u8]) -> String {
    let body = std::str::from_utf8(body).unwrap();
    let start = body.find(r#"{"role":"user","content":"#).unwrap() + r#"{"role":"user","content":"#.len();
    let end = start + body[start..].find(r#"},{"role":"user","content":["#).unwrap();
    body[start..end].to_owned()
}

pub(crate) fn stories_sent(server: &DemoHandle) -> Vec<String> {
    server
        .requests()
        .iter()
        .filter(|request| !request.body.is_empty())
        .map(|request| second_message(&request.body))
        .collect()
}

#[test]
fn every_literal_is_sent_back_byte_for_byte() {
    let literals = literals();
    let (place, server) = (Workplace::new(), server(&literals));
    let turns = (literals.len() + 1).to_string();
    let finished = place.run(&server, &["--max-turns", &turns]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let sent = stories_sent(&server);
    assert_eq!(sent[0], "\"\"");
    for (sent, literal) in sent[1..].iter().zip(&literals) {
        assert!(
            sent == literal,
            "{} became {}",
            &literal[..literal.len().min(80)],
            &sent[..sent.len().min(80)]
        );
    }
}

#[test]
fn every_literal_survives_a_kill_and_a_resume() {
    for literal in literals() {
        // The second request is never answered, and the process is killed while it waits.
        let hanging = scripted(&[
            &format!("{{\"content\": {literal}}}"),
            r#"{"text": "too late", "delay_s": 3600}"#,
        ]);
        let place = Workplace::new();
        let running = place.start(&hanging, &[]);
        crate::harness::wait_until("the second request", || {
            (stories_sent(&hanging).len() == 2).then_some(())
        });
        running.kill();

        let next = scripted(&[r#"{"text": "done"}"#]);
        let finished = place.resume(&next, &["--max-turns", "1"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(
            stories_sent(&next) == [literal.clone()],
            "{}",
            &literal[..literal.len().min(80)]
        );
        assert_eq!(place.turns().len(), 2);
    }
}

#[test]
fn lone_surrogates_in_other_fields_do_no_harm() {
    let body = r#"{"id":"\ud800","model":"m\ud800","choices":[{"message":{"role":"assistant","content":"fine","reasoning_content":"\udfff","refusal":"\ud800","odd\ud800":["\ud800"]},"finish_reason":"\ud800"}],"usage":{"total_tokens":3,"x":"\ud800"},"system_fingerprint":"\ud800"}"#;
    let line = format!("{{\"json\": {body}}}");
    let (place, server) = (Workplace::new(), scripted(&[&line]));
    let finished = place.run(&server, &["--max-turns", "3"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(stories_sent(&server)[2], "\"fine\"");
    let error = r#"{"raw": "{\"error\":{\"message\":\"bad \\ud800\"}}"}"#;
    let (place, server) = (
        Workplace::new(),
        scripted(&[r#"{"text": "a"}"#, error, r#"{"text": "b"}"#]),
    );
    let finished = place.run(&server, &["--max-turns", "2"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        place.turns()[1].errors[0].contains("bad \u{fffd}"),
        "{:?}",
        place.turns()[1].errors
    );
}
