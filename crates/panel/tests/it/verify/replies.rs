//! Tests of which responses become a story, including streamed, compressed and incomplete ones.

use std::io::Write as _;

use franz_panel::VerdictKind;
use franz_panel::VerdictKind::{First, Match, Retry, Unverifiable, Violation};
use franz_relay::{Copy, Ended};

use crate::wire::{Ask, Watch};

const STREAM: &str = "text/event-stream; charset=utf-8";

fn event(content: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{content}}}}}]}}\n\n")
}

/// Returns the verdict on a request with this story after this response, and whether the response was accepted as a
/// story.
fn then(answer: Ask, story: &str) -> (bool, VerdictKind, Option<String>) {
    let mut watch = Watch::restarting();
    assert_eq!(watch.see(Ask::new("\"\"").run("r", 1).reply("\"zero\"")).verdict, First);
    let adopted = watch.see(answer.run("r", 2)).adopted;
    let verdict = watch.see(Ask::new(story).run("r", 3));
    (adopted, verdict.verdict, verdict.why)
}

#[test]
fn a_streamed_reply_is_a_story() {
    let text = r"a\ud83d\ude00\/\u0000\ud800é";
    let units = [r"a", r"\ud83d", r"\ude00", r"\/", r"\u0000", r"\ud800", "é"];
    // It does not matter how the text is split into events.
    for cuts in 0..1_u32 << (units.len() - 1) {
        let mut events = vec![String::new()];
        for (number, unit) in units.iter().enumerate() {
            events.last_mut().unwrap().push_str(unit);
            if cuts >> number & 1 == 1 {
                events.push(String::new());
            }
        }
        let stream: String = events.iter().map(|inside| event(&format!("\"{inside}\""))).collect();
        let ask = Ask::new("\"zero\"").answer(STREAM, format!("{stream}data: [DONE]\n\n"));
        assert_eq!(then(ask.clone(), &format!("\"{text}\"")), (true, Match, None), "{cuts}");
        assert_eq!(then(ask, r#""a😀/\u0000\uD800\u00e9""#).1, Match);
    }
}

#[test]
fn a_cut_stream_is_not_a_story() {
    let whole = format!("{}{}data: [DONE]\n\n", event("\"one\""), event("\" two\""));
    for end in 0..=whole.len() {
        let cut = &whole[..end];
        let (adopted, kind, why) = then(Ask::new("\"zero\"").answer(STREAM, cut.to_owned()), "\"one two\"");
        if adopted {
            assert!(end >= whole.len() - 2, "{cut}");
            assert_eq!(kind, Match);
        } else {
            // The agent might have accepted it as complete.
            assert_eq!((kind, why.is_some()), (Unverifiable, true), "{cut}");
            let answer = Ask::new("\"zero\"").answer(STREAM, cut.to_owned());
            assert_eq!(then(answer, "\"zero\"").1, Retry, "{cut}");
        }
    }
    let left = |stream: &str| {
        Ask::new("\"zero\"")
            .answer(STREAM, stream.to_owned())
            .ended(Ended::ClientGone)
    };
    assert_eq!(then(left(&whole), "\"one two\"").1, Match);
    let undone = whole.replace("[DONE]", "{\"choices\":[{\"finish_reason\":\"stop\"}]}");
    assert_eq!(then(left(&undone), "\"one two\"").1, Unverifiable);
    let broken = Ask::new("\"zero\"")
        .answer(STREAM, undone)
        .ended(Ended::ServerGone("cut".to_owned()));
    assert_eq!(then(broken, "\"one two\"").1, Match);
    let failed = format!("{}data: {{\"error\":{{\"message\":\"full\"}}}}\n\n", event("\"one\""));
    assert_eq!(
        then(Ask::new("\"zero\"").answer(STREAM, failed.clone()), "\"zero\"").1,
        Match
    );
    assert_eq!(
        then(Ask::new("\"zero\"").answer(STREAM, failed), "\"one\"").1,
        Violation
    );
}

#[test]
fn a_stream_is_complete_without_the_end_of_its_framing() {
    let whole = format!("{}{}data: [DONE]\n\n", event("\"one\""), event("\" two\""));
    let finished = whole.replace("[DONE]", "{\"choices\":[{\"finish_reason\":\"stop\"}]}");
    let gone = || Ended::ServerGone("cut".to_owned());
    let open = |stream: &str, ended| {
        let answer = Ask::new("\"zero\"").answer(STREAM, stream.to_owned());
        answer.without_last_chunk().ended(ended)
    };
    assert_eq!(then(open(&whole, Ended::ClientGone), "\"one two\"").1, Match);
    assert_eq!(then(open(&whole, gone()), "\"one two\"").1, Match);
    assert_eq!(then(open(&finished, gone()), "\"one two\"").1, Match);
    assert_eq!(then(open(&finished, Ended::ClientGone), "\"one two\"").1, Unverifiable);
    assert_eq!(then(open(&event("\"one\""), gone()), "\"zero\"").1, Match);
    assert_eq!(then(open(&event("\"one\""), gone()), "\"one\"").1, Violation);
}

#[test]
fn only_whole_successful_replies_count() {
    let reply = || Ask::new("\"zero\"").reply("\"one\"");
    let mut created = reply();
    let head = created.response.as_ref().unwrap().head.clone();
    let head = String::from_utf8(head.to_vec()).unwrap();
    created.response.as_mut().unwrap().head = head.replace("200 OK", "201").into();
    let mut failed = reply();
    failed.response.as_mut().unwrap().head = head.replace("200 OK", "500 ").into();
    let mut odd = reply();
    odd.response.as_mut().unwrap().head = head.replace("200 OK", "ok").into();
    let cases = [
        (reply(), "\"one\""),
        (created, "\"one\""),
        (failed, "\"zero\""),
        (odd, "\"zero\""),
        (reply().ended(Ended::ClientGone), "\"zero\""),
        (reply().ended(Ended::ServerGone("cut".to_owned())), "\"zero\""),
        (Ask::new("\"zero\"").reply("[\"one\"]"), "\"zero\""),
        (
            Ask::new("\"zero\"").answer("application/json", "{\"choices\":[]}"),
            "\"zero\"",
        ),
    ];
    for (answer, expected) in cases {
        for story in ["\"zero\"", "\"one\""] {
            let found = then(answer.clone(), story).1;
            let kind = match (story == expected, story) {
                (true, _) => Match,
                (false, "\"zero\"") => VerdictKind::Retry,
                (false, _) => Violation,
            };
            assert_eq!(found, kind, "{story} after {answer:?}");
        }
    }
}

#[test]
fn the_codings_of_the_wire_are_undone() {
    let reply = r#"{"choices":[{"message":{"content":"one\ud800"}}]}"#.as_bytes();
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let chunked = |bytes: &[u8]| {
        let chunks = bytes.chunks(7).flat_map(|chunk| {
            [
                format!("{:x}\r\n", chunk.len()).into_bytes(),
                chunk.to_vec(),
                b"\r\n".to_vec(),
            ]
        });
        [chunks.collect::<Vec<_>>().concat(), b"0\r\n\r\n".to_vec()].concat()
    };
    let events = format!("{}data: [DONE]\n\n", event(r#""one\ud800""#));
    let cases = [
        ("Content-Encoding: gzip\r\n", "application/json", gzip(reply)),
        ("Transfer-Encoding: chunked\r\n", "application/json", chunked(reply)),
        (
            "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n",
            STREAM,
            chunked(&gzip(events.as_bytes())),
        ),
    ];
    for (fields, kind, body) in cases {
        let mut answer = Ask::new("\"zero\"").answer(kind, body);
        let response = answer.response.as_mut().unwrap();
        response.head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{fields}\r\n").into();
        assert_eq!(then(answer.clone(), r#""one\ud800""#), (true, Match, None), "{fields}");
        // Without its end, the same response cannot be read.
        let response = answer.response.as_mut().unwrap();
        let Copy::Whole(body) = &response.body else {
            unreachable!("it was given whole")
        };
        response.body = Copy::Whole(body.slice(..body.len() - 9));
        assert_eq!(then(answer, r#""one\ud800""#).1, Unverifiable, "{fields}");
    }
}
