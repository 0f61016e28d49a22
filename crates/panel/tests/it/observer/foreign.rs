//! Tests of how turns are recorded for agents that record nothing themselves.

use std::fs;
use std::path::Path;

use franz_panel::Verdict;
use franz_panel::observer::ObserverOptions;
use franz_record::{ReadBody, Status, StoredStory, TurnLine, TurnLines, View, Wanted, exchanges};
use franz_relay::Ended;
use franz_secret::Secret;

use crate::observer::{observe, options, read};
use crate::wire::{Ask, message, quote};

/// A one-pixel picture, followed by its base64.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc`\0\0\0\x02\0\x01H\xaf\xa4q\0\0\0\0IEND\xaeB`\x82";
const BASE64: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

fn recording(directory: &Path) -> ObserverOptions {
    ObserverOptions {
        record_turns: Some(franz_record::RunOptions::default()),
        ..options(directory)
    }
}

fn lines(directory: &Path) -> Vec<TurnLine> {
    TurnLines::open(&View::open(directory).unwrap())
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn ask(story: &str, feedback: &str, picture: &str) -> Ask {
    let body = format!(
        r#"{{"model":"asked","temperature":0.30,"messages":[{{"role":"system","content":"s"}},
        {{"role":"user","content":[{{"type":"text","text":{story}}}]}},
        {{"role":"user","content":[{{"type":"text","text":{}}},{{"type":"image_url","image_url":{{"url":"{picture}"}}}}]}}]}}"#,
        quote(feedback)
    );
    Ask::new("").body(body).program("Python-urllib/3.12")
}

/// Other agents' traffic is passed on and judged unchanged, but nothing that is stored contains the key.
#[test]
fn a_key_in_foreign_traffic_is_not_stored_and_changes_no_verdict() {
    let key = "sk-0123456789";
    let directory = tempfile::tempdir().unwrap();
    let options = ObserverOptions {
        secret: Secret::new([key]),
        ..recording(directory.path())
    };
    let asks = vec![
        ask("\"\"", "first", "")
            .connection(1)
            .reply("\"it is c2stMDEyMzQ1Njc4OQ==, no?\""),
        ask("\"it is c2stMDEyMzQ1Njc4OQ==, no?\"", "the sk-0123456789", "")
            .connection(1)
            .reply("\"two\""),
        ask("\"two\"", "third", "").connection(1).reply("\"three\""),
    ];
    observe(options, asks);
    let lines = lines(directory.path());
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[0].reply.as_ref().unwrap().raw(),
        "\"it is [the API key, 17 bytes]Q==, no?\""
    );
    assert_eq!(lines[1].feedback, "the [the API key, 13 bytes]");
    let verdicts = read(directory.path(), "verdicts.jsonl");
    assert_eq!(verdicts.matches("\"verdict\":\"match\"").count(), 2, "{verdicts}");
    for entry in fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        let text = if path.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        assert!(!Secret::new([key]).is_in(&text), "{}", path.display());
    }
}

#[test]
fn every_request_is_a_turn_with_its_picture() {
    let directory = tempfile::tempdir().unwrap();
    let png = format!("data:image/png;base64,{BASE64}");
    let answer = r#"{"model":"answered","choices":[{"finish_reason":"stop","message":{"content":"one\ud800"}}],"usage":{"total_tokens":7}}"#;
    let asks = vec![
        ask("\"\"", "first", &png)
            .connection(1)
            .answer("application/json", answer)
            .at(1_000, 250),
        ask(r#""one\ud800""#, "second", "data:image/jpeg;base64,eA==").connection(2),
        ask(r#""one\ud800""#, "third", "https://example.org/x.png")
            .connection(3)
            .unanswered(Ended::Unreachable("refused".to_owned())),
        ask(r#""one\ud800""#, "fourth", &png).connection(4).reply("\"two\""),
    ];
    observe(recording(directory.path()), asks);
    let lines = lines(directory.path());
    let turns: Vec<_> = lines.iter().map(|line| (line.turn, line.status)).collect();
    assert_eq!(
        turns,
        [
            (1, Status::Ok),
            (2, Status::Failed),
            (3, Status::Failed),
            (4, Status::Ok)
        ]
    );
    let first = &lines[0];
    assert_eq!(
        (first.feedback.as_str(), first.model.as_deref(), first.finish.as_deref()),
        ("first", Some("answered"), Some("stop"))
    );
    assert_eq!(first.reply.as_ref().unwrap().raw(), r#""one\ud800""#);
    assert_eq!(first.sampling.as_ref().unwrap().get(), r#"{"temperature":0.30}"#);
    assert_eq!(first.usage.as_ref().unwrap().get(), r#"{"total_tokens":7}"#);
    assert!((first.ms.model.get() - 250.0).abs() < 1e-9);
    let image = first.image.as_ref().unwrap();
    assert_eq!(
        (image.file.as_str(), image.width, image.height, image.bytes),
        ("turn_0001.png", 1, 1, PNG.len() as u64)
    );
    for name in ["turn_0001.png", "turn_0001.plain.png", "turn_0004.png"] {
        assert_eq!(fs::read(directory.path().join(name)).unwrap(), PNG, "{name}");
    }
    assert!(lines[1].image.is_none() && lines[1].errors.len() == 2, "{:?}", lines[1]);
    assert!(
        lines[2].image.is_none() && lines[2].errors[0].contains("refused"),
        "{:?}",
        lines[2]
    );
    assert_eq!(lines[3].story.resolve(None).unwrap().raw(), r#""one\ud800""#);
    assert!(matches!(lines[1].story, StoredStory::PreviousReply { .. }));

    // There is a verdict on each turn.
    let verdicts = read(directory.path(), "verdicts.jsonl");
    let turns: Vec<_> = verdicts
        .lines()
        .map(|line| serde_json::from_str::<Verdict>(line).unwrap().turn)
        .collect();
    assert_eq!(turns, [Some(1), Some(2), Some(3), Some(4)]);
}

#[test]
fn what_arrived_of_a_response_that_broke_off_is_logged() {
    let directory = tempfile::tempdir().unwrap();
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"Once\"}}]}\n\n";
    let chunks = format!("{:x}\r\n{event}\r\n40\r\ndata: {{\"cho", event.len());
    let fields = [("Transfer-Encoding", "chunked".to_owned())];
    let mut broken = ask("\"\"", "first", "").ended(Ended::ServerGone("it closed the connection".to_owned()));
    broken.response = Some(message("HTTP/1.1 200 OK", &fields, chunks.into()));
    observe(recording(directory.path()), vec![broken]);
    assert_eq!(lines(directory.path())[0].status, Status::Failed);
    let view = View::open(directory.path()).unwrap();
    let logged = exchanges(&view, &Wanted::Turn(1)).unwrap().remove(0);
    let arrived = format!("{event}data: {{\"cho");
    assert_eq!(logged.response.unwrap().body, ReadBody::Text(arrived));
    assert!(read(directory.path(), "exchange.log").contains("\"error\":\"the body is incomplete\""));
}

#[test]
fn a_later_observer_continues_the_turn_count() {
    let directory = tempfile::tempdir().unwrap();
    observe(recording(directory.path()), vec![ask("\"\"", "f", "").reply("\"one\"")]);
    fs::remove_file(directory.path().join("verifier.json")).unwrap();
    observe(
        recording(directory.path()),
        vec![ask("\"one\"", "f", "").reply("\"two\"")],
    );
    let turns: Vec<_> = lines(directory.path()).iter().map(|line| line.turn).collect();
    assert_eq!(turns, [1, 2]);
}

#[test]
fn a_run_recorded_by_another_agent_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run");
    let (run, _) =
        franz_record::Run::create(Some(&path), directory.path(), franz_record::RunOptions::default()).unwrap();
    observe(recording(&path), vec![ask("\"\"", "f", "").reply("\"one\"")]);
    assert_eq!(lines(&path).len(), 0);
    assert_eq!(read(&path, "verdicts.jsonl").lines().count(), 1);
    drop(run);
}
