//! Tests of the history as a file to save.

use std::io;

use franz_json::Raw;
use franz_panel::export;
use franz_panel::history::History;
use franz_panel::hub::RunFacts;
use franz_record::digest::sha256_hex;
use franz_record::{Acted, Image, Outcome, PictureName, Status, TurnLine};
use franz_secret::Secret;

use crate::web::site::{Recorder, Site, append, line};

fn recorded() -> Recorder {
    let mut recorder = Recorder::new();
    recorder.picture(PictureName::seen(1), b"\x89PNG picture");
    recorder.line(&TurnLine {
        goal: Some("a <goal>".to_owned()),
        image: Some(Image {
            file: "turn_0001.png".to_owned(),
            sha256: sha256_hex(b"\x89PNG picture"),
            width: 512,
            height: 288,
            bytes: 12,
        }),
        feedback: "see http://example.org/ or <https://example.org>".to_owned(),
        acted: vec![Acted::new(
            "drag(1, 2, 3, 4)",
            Outcome::NotApplied("too short".to_owned()),
        )],
        ..line(1, r#""the reply \ud800 of one""#)
    });
    recorder.line(&TurnLine {
        status: Status::Failed,
        errors: vec!["429 Too Many Requests".to_owned()],
        ..TurnLine::new(2, "")
    });
    recorder.line(&TurnLine {
        tool_calls: Raw::parse("[{\"id\":\"call_1\"}]").ok(),
        ..line(3, "\"three\"")
    });
    recorder.verdicts(
        "{\"turn\":1,\"verdict\":\"first\"}\n{\"turn\":3,\"verdict\":\"violation\",\"difference\":{\"position\":12,\
         \"received\":\"was here\",\"sent\":\"is gone\",\"received_units\":1,\"sent_units\":2}}\n",
    );
    recorder
}

#[tokio::test]
async fn the_page_holds_everything_and_needs_nothing() {
    let recorder = recorded();
    let site = Site::over(&recorder.directory()).await;
    let reply = site.get("/export/history.html").await;
    assert_eq!(
        reply.header("content-disposition"),
        "attachment; filename=\"history.html\""
    );
    assert!(reply.whole);
    let page = reply.text();
    let expected = [
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">",
        "<title>run_1</title>",
        "<h2>Turn 1</h2> <span class=\"badge good\">✓ story first, nothing to compare with</span>",
        "a &lt;goal&gt;",
        "the reply \u{fffd} of one",
        "a story of before",
        "see http://example.org/ or &lt;https://example.org&gt;",
        "<code dir=\"auto\">drag(1, 2, 3, 4)</code> ✗ not applied: <span dir=\"auto\">too short</span>",
        "src=\"data:image/png;base64,iVBORyBwaWN0dXJl\"",
        "✗ failed",
        "429 Too Many Requests",
        "✗ story changed on the way",
        "The story was changed at character 12",
        "was here",
        "is gone",
        "[{&quot;id&quot;:&quot;call_1&quot;}]",
        "color-scheme: light dark",
    ];
    for text in expected {
        assert!(page.contains(text), "{text} is not in\n{page}");
    }
    // Nothing refers to anything outside the file. Every address in the markup is a data URL.
    for attribute in [
        " src=", " href=", "url(", "@import", "srcset=", "action=", "<script", "<link", "<iframe",
    ] {
        for (at, _) in page.match_indices(attribute) {
            let value = &page[at..];
            assert!(value.starts_with(" src=\"data:image/png;base64,"), "{}", &value[..80]);
        }
    }
    for tag in [
        "html", "head", "body", "main", "details", "summary", "section", "pre", "dl", "ol",
    ] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[tokio::test]
async fn exported_lines_match_the_record() {
    let recorder = recorded();
    let site = Site::over(&recorder.directory()).await;
    let reply = site.get("/export/turns.jsonl").await;
    let file = std::fs::read(recorder.directory().join("turns_0001_1000.jsonl")).unwrap();
    assert_eq!(reply.body, file);
    assert_eq!(
        reply.header("content-disposition"),
        "attachment; filename=\"turns.jsonl\""
    );
}

#[tokio::test]
async fn an_unreadable_record_never_exports_as_complete() {
    let recorder = recorded();
    let site = Site::over(&recorder.directory()).await;
    std::fs::remove_file(recorder.directory().join("turns_0001_1000.jsonl")).unwrap();
    assert!(!site.get("/export/turns.jsonl").await.whole);
    let page = site.get("/export/history.html").await;
    assert!(page.whole && page.text().contains("cannot read"));
}

/// Counts the bytes that are written, and records the largest single write.
#[derive(Default)]
struct Meter {
    bytes: usize,
    largest: usize,
}

impl io::Write for Meter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len();
        self.largest = self.largest.max(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_run_is_written_turn_by_turn() {
    let mut recorder = Recorder::new();
    let reply = format!("\"{}\"", "x".repeat(10_000));
    for turn in 1..=500 {
        recorder.turn(turn, &reply);
    }
    let history = History::open(&recorder.directory()).unwrap();
    let mut meter = Meter::default();
    export::html(&history, Some(&RunFacts::default()), &Secret::default(), &mut meter).unwrap();
    assert!(
        meter.bytes > 500 * 10_000 && meter.largest < 20_000,
        "{} {}",
        meter.bytes,
        meter.largest
    );
}

#[tokio::test]
async fn a_stalled_download_delays_nobody() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut recorder = Recorder::new();
    let reply = format!("\"{}\"", "x".repeat(1 << 20));
    for turn in 1..=20 {
        recorder.turn(turn, &reply);
    }
    let site = Site::over(&recorder.directory()).await;
    let mut stream = tokio::net::TcpStream::connect(site.address).await.unwrap();
    let token = crate::web::site::TOKEN;
    let request = format!(
        "GET /export/turns.jsonl HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\r\n",
        site.address
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.read_exact(&mut [0; 100]).await.unwrap();
    assert_eq!(site.json("/api/state").await["turns"]["count"], 20);
    drop(stream);
    append(&recorder.directory().join("turns_0001_1000.jsonl"), b"{\"turn\":21}\n");
    assert_eq!(site.get("/export/turns.jsonl").await.text().lines().count(), 21);
}
