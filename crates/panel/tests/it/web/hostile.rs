//! Tests with text from models and servers that could be taken for markup, and with a key that no response may contain.

use franz_json::{Raw, Story};
use franz_panel::hub::RunFacts;
use franz_record::{Acted, Outcome, Status, StoredStory, TurnLine};
use serde_json::Value;

use crate::web::site::{Recorder, Site, TOKEN};

/// The key itself, and forms in which a model might write it.
const KEYS: [&str; 4] = [
    "sk-hidden-0123",
    r"\u0073k-hidden-0123",
    r"sk\u002Dhidden\u002d0123",
    r#"{\"key\":\"\\u0073k-hidden-0123\"}"#,
];

const HOSTILE: &str =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u{0}\u{202e}&quot;\"'`--><svg/onload=alert(3)>";

fn full_of(text: &str, literal: &str) -> TurnLine {
    let text = || text.to_owned();
    let value = || Raw::parse(literal).ok();
    TurnLine {
        mode: Some(text()),
        goal: Some(text()),
        acted: vec![Acted::new(text(), Outcome::Malformed(text()))],
        feedback: text(),
        story: StoredStory::Full(Story::from_raw(literal).unwrap()),
        reply: Story::from_raw(literal),
        tool_calls: value(),
        finish: Some(text()),
        usage: value(),
        model: Some(text()),
        sampling: value(),
        errors: vec![text()],
        status: Status::Failed,
        ..TurnLine::new(1, text())
    }
}

#[tokio::test]
async fn hostile_text_stays_text() {
    let mut recorder = Recorder::new();
    recorder.line(&full_of(HOSTILE, &serde_json::to_string(HOSTILE).unwrap()));
    recorder.verdicts(&format!(
        "{{\"turn\":1,\"verdict\":\"violation\",\"why\":{0},\"difference\":{{\"position\":1,\"received\":{0},\"sent\":{0},\
         \"received_units\":1,\"sent_units\":1}}}}\n",
        serde_json::to_string(HOSTILE).unwrap()
    ));
    let site = Site::over(&recorder.directory()).await;
    let turn = site.json("/api/turns/1").await;
    assert_eq!(turn["story"], HOSTILE);
    assert_eq!(turn["line"]["feedback"], HOSTILE);
    assert_eq!(site.json("/api/turns").await["turns"][0]["model"], HOSTILE);
    assert_eq!(
        site.json("/api/search?q=onerror").await["hits"]
            .as_array()
            .unwrap()
            .len(),
        6
    );

    let page = site.get("/export/history.html").await.text();
    for tag in ["<script", "<img src=x", "<svg"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

#[tokio::test]
async fn lone_surrogates_lose_nothing() {
    let mut recorder = Recorder::new();
    recorder.turn(1, r#""before \ud800 after""#);
    let line = r#"{"turn":2,"started":"\ud800","mode":"\udfff","goal":"\ud800","feedback":"\ud800","story":"\ud800","reply":"\ud800","finish":"\ud800","model":"\ud800","errors":["\ud800"],"acted":[{"action":"\ud800","outcome":"done","why":"\ud800"}],"tool_calls":["\ud800"],"usage":{"\ud800":"\ud800"},"image":{"file":"\ud800"}}"#;
    crate::web::site::append(
        &recorder.directory().join("turns_0001_1000.jsonl"),
        format!("{line}\n").as_bytes(),
    );
    let site = Site::over(&recorder.directory()).await;
    let turns = site.json("/api/turns").await;
    assert_eq!(turns["count"], 2);
    assert_eq!(turns["turns"][0]["model"], "\u{fffd}");
    let turn = site.get("/api/turns/2").await.text();
    assert!(
        turn.contains(&format!("\"line\":{line}")) && turn.contains(r#""story":"\ud800","#),
        "{turn}"
    );
    assert!(site.get("/export/history.html").await.whole);
    assert_eq!(site.get("/export/turns.jsonl").await.text().lines().nth(1), Some(line));
    assert_eq!(site.json("/api/search?q=after").await["hits"][0]["turn"], 1);
    assert_eq!(site.json("/api/state").await["goal"], "\u{fffd}");
}

#[tokio::test]
async fn the_key_is_shown_nowhere() {
    for key in KEYS {
        let mut recorder = Recorder::new();
        let literal = format!("\"before {key} after\"");
        let said: String = Raw::parse(&literal).unwrap().text().unwrap();
        recorder.line(&full_of(&said, &literal));
        recorder.verdicts(&format!("{{\"turn\":1,\"verdict\":\"match\",\"why\":{literal}}}\n"));
        let site = Site::over(&recorder.directory()).await;
        let facts = RunFacts {
            upstream: said.clone(),
            ..RunFacts::default()
        };
        site.hub.change(|snapshot| snapshot.begin(facts));
        let paths = [
            "/api/state",
            "/api/turns",
            "/api/turns/1",
            "/api/search?q=after",
            "/api/search?q=hidden-0123",
            "/api/settings",
            "/metrics",
            "/export/history.html",
            "/export/turns.jsonl",
        ];
        for path in paths {
            let text = site.get(path).await.text();
            assert!(
                !text.contains("hidden") && !text.contains("0123\\"),
                "{path} with {key}: {text}"
            );
            if path.starts_with("/api") || path.ends_with("jsonl") {
                serde_json::from_str::<&serde_json::value::RawValue>(text.trim()).unwrap();
            }
        }
        let turn: Value = site.json("/api/turns/1").await;
        assert!(turn["story"].as_str().unwrap().contains("before "));
        assert!(turn["story"].as_str().unwrap().contains("[the API key, "));
    }
}

#[tokio::test]
async fn the_key_is_in_no_event() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    let mut stream = tokio::net::TcpStream::connect(site.address).await.unwrap();
    let request = format!(
        "GET /events?last=0 HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n",
        site.address
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let text = "the key is sk-hidden-0123, I say".to_owned();
    site.hub.change(|snapshot| snapshot.notice(text));
    let mut read = String::new();
    while !read.contains("I say") {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await.unwrap();
        read.push_str(std::str::from_utf8(&piece[..count]).unwrap());
    }
    assert!(
        read.contains("the key is [the API key, 14 bytes], I say") && !read.contains("hidden"),
        "{read}"
    );
}

#[tokio::test]
async fn a_story_of_two_megabytes_arrives_complete() {
    let mut recorder = Recorder::new();
    let literal = format!("\"{}\\ud800\"", "a\\\"\\u0000é".repeat(200_000));
    recorder.turn(1, &literal);
    let site = Site::over(&recorder.directory()).await;
    let reply = site.get("/api/turns/1").await;
    assert!(reply.whole && reply.text().contains(&literal));
}
