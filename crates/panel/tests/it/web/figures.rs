//! Tests of the metrics, and of counts that stay right even if the disk is full.

use franz_panel::VerdictKind;
use franz_panel::hub::Doing;
use serde_json::json;

use crate::web::site::{Recorder, Site};

#[tokio::test]
async fn metrics_are_reported() {
    let recorder = Recorder::new();
    let timed =
        r#"{"turn":1,"ms":{"model":1500.0},"usage":{"prompt_tokens":3,"completion_tokens":4,"cached_tokens":2}}"#;
    let path = recorder.directory().join("turns_0001_1000.jsonl");
    recorder.verdicts("{\"turn\":1,\"verdict\":\"match\"}\nbad\n");
    crate::web::site::append(
        &path,
        format!("{timed}\nbad\n{{\"turn\":2,\"status\":\"failed\"}}\n").as_bytes(),
    );
    let site = Site::over(&recorder.directory()).await;
    site.hub.change(|snapshot| snapshot.set_agent(Doing::Paused, ""));
    let metrics = site.get("/metrics").await;
    assert_eq!(
        metrics.header("content-type"),
        "text/plain; version=0.0.4; charset=utf-8"
    );
    let text = metrics.text();
    let expected = [
        &format!("franz_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION")),
        "franz_turns_total 2",
        "franz_turns_failed_total 1",
        "franz_verdicts_total{verdict=\"match\"} 1",
        "franz_verdicts_total{verdict=\"violation\"} 0",
        "franz_copies_dropped_total 7",
        "franz_bad_lines_total 2",
        "franz_tokens_total{kind=\"prompt\"} 3",
        "franz_tokens_total{kind=\"cached\"} 2",
        "franz_tokens_total{kind=\"completion\"} 4",
        "franz_model_seconds_sum 1.5",
        "franz_model_seconds_count 1",
        "franz_agent_state{state=\"paused\"} 1",
        "franz_agent_state{state=\"running\"} 0",
        "franz_clients 0",
    ];
    for line in expected {
        assert!(text.lines().any(|given| given == line), "{line} is not in\n{text}");
    }
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        value.parse::<f64>().unwrap();
        let family = name.split('{').next().unwrap();
        let family = family.trim_end_matches("_sum").trim_end_matches("_count");
        assert!(text.contains(&format!("# TYPE {family} ")), "{family}");
    }
}

#[tokio::test]
async fn unwritten_verdicts_are_counted() {
    let recorder = Recorder::new();
    recorder.verdicts("{\"turn\":1,\"verdict\":\"match\"}\n");
    let site = Site::over(&recorder.directory()).await;
    for (turn, verdict) in [(2, VerdictKind::Match), (3, VerdictKind::Violation)] {
        site.hub.change(|snapshot| snapshot.judged(Some(turn), verdict));
    }
    let state = site.json("/api/state").await;
    assert_eq!(
        (&state["verdicts"]["match"], &state["verdicts"]["violation"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(state["violations"], json!({"3": true}));
    // Now the disk accepts them after all.
    recorder.verdicts("{\"turn\":2,\"verdict\":\"match\"}\n{\"turn\":3,\"verdict\":\"violation\"}\n");
    let state = site.json("/api/state").await;
    assert_eq!(
        (&state["verdicts"]["match"], &state["verdicts"]["violation"]),
        (&json!(2), &json!(1))
    );
}
