//! Tests of the hashes by which two runs are compared.

use franz_json::Raw;
use franz_record::{Acted, Image, Outcome, PictureName, RunEnd, TurnLine};
use serde_json::{Value, json};

use crate::web::site::{Recorder, Site, append, line};

/// The parts of a turn that are compared.
const PARTS: [&str; 5] = ["actions", "picture", "settings", "told", "reply"];

/// The parts that differ after a change to a turn, and that change.
type Case = (&'static [&'static str], fn(&mut TurnLine));

/// Returns the names of the parts in which two recorded turns differ.
async fn differences(one: &TurnLine, other: &TurnLine) -> Vec<&'static str> {
    let mut traced = Vec::new();
    for line in [one, other] {
        let mut recorder = Recorder::new();
        recorder.line(line);
        traced.push(trace(&recorder, "").await["turns"][0].clone());
    }
    let differs = |part: &&str| traced[0][*part] != traced[1][*part];
    PARTS.into_iter().filter(differs).collect()
}

async fn trace(recorder: &Recorder, query: &str) -> Value {
    let site = Site::over(&recorder.directory()).await;
    site.json(&format!("/api/trace{query}")).await
}

fn image(digit: &str) -> Image {
    Image {
        file: PictureName::seen(1).to_string(),
        sha256: digit.repeat(64),
        width: 1,
        height: 1,
        bytes: 1,
    }
}

fn calls(id: &str, given: &str) -> Raw {
    let call = json!([{"id": id, "type": "function", "function": {"name": "click", "arguments": given}}]);
    Raw::parse(&call.to_string()).unwrap()
}

#[tokio::test]
async fn each_part_has_its_own_hash_which_changes_only_with_it() {
    let first = TurnLine {
        goal: Some("a cat".to_owned()),
        model: Some("qwen".to_owned()),
        image: Some(image("a")),
        acted: vec![Acted::new("left_click(1, 2)", Outcome::Done(None))],
        tool_calls: Some(calls("c1", "{\"x\":1}")),
        ..line(1, "\"a\"")
    };
    let changed = |change: fn(&mut TurnLine)| {
        let mut line = first.clone();
        change(&mut line);
        line
    };
    let cases: [Case; 11] = [
        (&[], |line| line.started = "2027-01-02T03:04:05Z".to_owned()),
        (&[], |line| line.tool_calls = Some(calls("c2", "{\"x\":1}"))),
        (&["reply"], |line| line.tool_calls = Some(calls("c1", "{\"x\":2}"))),
        (&["reply"], |line| line.reply = franz_json::Story::from_raw("\"b\"")),
        (&["told"], |line| line.feedback = "OK.".to_owned()),
        (&["told"], |line| line.story = franz_record::StoredStory::default()),
        (&["settings"], |line| line.goal = Some("a dog".to_owned())),
        (&["settings"], |line| line.model = Some("holo".to_owned())),
        (&["picture"], |line| line.image = Some(image("b"))),
        (&["picture"], |line| line.image = None),
        (&["actions"], |line| {
            line.acted[0].outcome = Outcome::Held("it moved".to_owned());
        }),
    ];
    for (parts, change) in cases {
        assert_eq!(differences(&first, &changed(change)).await, parts);
    }
}

#[tokio::test]
async fn a_time_of_day_in_the_marks_is_no_difference() {
    let mut traced = Vec::new();
    for (digit, clock, plain) in [
        ("a", Some("10:00"), "p"),
        ("b", Some("11:00"), "p"),
        ("b", Some("11:00"), "q"),
        ("a", None, "p"),
    ] {
        let mut recorder = Recorder::new();
        recorder.picture(PictureName::plain(1), plain.as_bytes());
        let clock = clock.map(str::to_owned);
        let image = Some(image(digit));
        recorder.line(&TurnLine {
            image,
            clock,
            ..line(1, "\"a\"")
        });
        traced.push(trace(&recorder, "").await["turns"][0]["picture"].clone());
    }
    assert_eq!(traced[0], traced[1]);
    assert_ne!(traced[1], traced[2]);
    assert_ne!(
        traced[0], traced[3],
        "without a clock, the picture as it was seen counts"
    );
}

#[tokio::test]
async fn turns_come_in_pages_and_lines_that_are_no_turns_are_left_out() {
    let mut recorder = Recorder::new();
    for turn in 1..=5 {
        recorder.turn(turn, "\"a\"");
    }
    append(
        &recorder.directory().join("turns_0001_1000.jsonl"),
        b"{\"turn\":6}\n{\"turn\":7,\"started\":\n",
    );
    let site = Site::over(&recorder.directory()).await;
    for (query, expected) in [
        ("", vec![1, 2, 3, 4, 5, 6]),
        ("?after=2&limit=2", vec![3, 4]),
        ("?after=6", vec![]),
        ("?limit=0", vec![]),
    ] {
        let trace = site.json(&format!("/api/trace{query}")).await;
        let turns: Vec<u64> = trace["turns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|turn| turn["turn"].as_u64().unwrap())
            .collect();
        assert_eq!(turns, expected, "{query}");
        assert_eq!((&trace["run"]["first"], &trace["run"]["last"]), (&json!(1), &json!(6)));
    }
    for query in ["?after=x", "?limit=-1"] {
        assert_eq!(site.get(&format!("/api/trace{query}")).await.status, 400, "{query}");
    }
    assert_eq!(site.stranger("GET", "/api/trace", &[], b"").await.status, 401);
}

#[tokio::test]
async fn the_run_tells_its_totals_its_end_and_where_it_was_forked() {
    let mut recorder = Recorder::new();
    recorder.line(&TurnLine {
        usage: Some(Raw::parse("{\"prompt_tokens\":7,\"completion_tokens\":2}").unwrap()),
        ms: serde_json::from_str("{\"act\":1.5,\"model\":2}").unwrap(),
        ..line(1, "\"a\"")
    });
    let run = trace(&recorder, "").await["run"].clone();
    assert_eq!(
        run,
        json!({
            "name": "run_1", "first": 1, "last": 1, "count": 1, "ms": 3.5, "live": true, "end": null, "forked_from": null,
            "tokens": {"prompt": 7, "cached": 0, "completion": 2, "total": 9},
        })
    );
    let directory = recorder.directory();
    let end = RunEnd {
        at: "2026-11-21T21:44:03Z".to_owned(),
        reason: "it reported the key sk-hidden-0123".to_owned(),
        exit_code: 0,
        withdraws: false,
        unusable_reply: false,
    };
    std::fs::write(directory.join("ended.json"), serde_json::to_vec(&end).unwrap()).unwrap();
    let state = json!({"v": 1, "turn": 1, "story": "", "forked_from": {"run": "cat", "turn": 1}});
    std::fs::write(directory.join("state.json"), state.to_string()).unwrap();
    let run = trace(&recorder, "").await["run"].clone();
    assert_eq!(run["forked_from"], json!({"run": "cat", "turn": 1}));
    let told = run["end"]["reason"].as_str().unwrap();
    assert!(
        told.starts_with("it reported the key ") && !told.contains("sk-hidden-0123"),
        "{told}"
    );
}
