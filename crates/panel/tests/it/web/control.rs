//! Tests of the commands that a page can send to the run.

use std::sync::Arc;

use franz_panel::controls::LookOnly;
use serde_json::{Value, json};

use crate::web::site::{Recorder, Site};

const JSON: (&str, &str) = ("Content-Type", "application/json; charset=utf-8");

async fn post(site: &Site, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
    let reply = site.ask("POST", "/api/control", headers, body.as_bytes()).await;
    (reply.status, serde_json::from_slice(&reply.body).unwrap())
}

#[tokio::test]
async fn commands_are_passed_on() {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    for what in ["pause", "resume", "step"] {
        let answer = post(&site, &[JSON], &json!({ "do": what }).to_string()).await;
        assert_eq!(answer, (200, json!({"ok": true})), "{what}");
    }
    let answer = post(&site, &[JSON], r#"{"do":"stop"}"#).await;
    assert_eq!(answer, (404, json!({"error": "no agent"})));
    assert_eq!(*site.puppet.asked.lock().unwrap(), ["Pause", "Resume", "Step", "Stop"]);
}

#[tokio::test]
async fn a_setting_is_changed_once_and_confirmed() {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    let set = |key: &str| json!({"do": "set", "key": key, "value": "a\n\"b\""}).to_string();
    for given in ["h1", "\"h1\""] {
        let answer = post(&site, &[JSON, ("If-Match", given)], &set("prompt.goal")).await;
        assert_eq!(answer, (200, json!({"ok": true, "hash": "h2"})));
    }
    assert_eq!(*site.puppet.asked.lock().unwrap(), ["prompt.goal=a\n\"b\" if h1"; 2]);
    // The file has not changed the second time, so there is nothing to report.
    let state = site.json("/api/state").await;
    assert!(state["last_event"].as_str().unwrap().ends_with("-1"));
    assert_eq!(state["config"], "h2");

    let refused = [
        ("old", "prompt.goal", 409),
        ("h1", "wide", 403),
        ("h1", "odd", 400),
        ("h1", "broken", 500),
    ];
    for (hash, key, status) in refused {
        let (given, answer) = post(&site, &[JSON, ("If-Match", hash)], &set(key)).await;
        assert_eq!(given, status, "{answer}");
        assert!(!answer["error"].as_str().unwrap().is_empty());
    }
    assert_eq!(post(&site, &[JSON], &set("prompt.goal")).await.0, 428);
}

#[tokio::test]
async fn malformed_commands_are_refused() {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    let bodies = [
        ("", "EOF"),
        ("x", "expected value"),
        ("[]", "do"),
        ("{}", "missing field `do`"),
        (r#"{"do":"dance"}"#, "unknown variant `dance`, expected one of `pause`"),
        (r#"{"do":"set"}"#, "missing field `key`"),
        (r#"{"do":"set","key":"a"}"#, "missing field `value`"),
        (r#"{"do":"set","key":"\ud800","value":"a"}"#, "hex escape"),
        (r#"{"do":"set","key":1,"value":2}"#, "expected a string"),
        (r#"{"do":"approve"}"#, "missing field `key`"),
        (
            r#"{"do":"input","key":"a","inputs":[{"do":"fly"}]}"#,
            "unknown variant `fly`",
        ),
        ("null", "invalid type: null"),
    ];
    for (body, why) in bodies {
        let (status, answer) = post(&site, &[JSON, ("If-Match", "h1")], body).await;
        assert_eq!(status, 400, "{body}: {answer}");
        let error = answer["error"].as_str().unwrap();
        assert!(
            error.starts_with("cannot read the command: ") && error.contains(why),
            "{body}: {error}"
        );
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "",
    ] {
        let (status, _) = post(&site, &[("Content-Type", kind)], r#"{"do":"pause"}"#).await;
        assert_eq!(status, 415, "{kind}");
    }
    assert!(site.puppet.asked.lock().unwrap().is_empty());
    let get = site.get("/api/control").await;
    assert_eq!((get.status, get.header("allow")), (405, "POST".to_owned()));
    let post = site.ask("POST", "/api/state", &[JSON], b"{}").await;
    assert_eq!((post.status, post.header("allow")), (405, "GET, HEAD".to_owned()));
}

#[tokio::test]
async fn only_a_live_run_has_settings_and_controls() {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    let settings = site.json("/api/settings").await;
    assert_eq!(
        (&settings["hash"], &settings["keys"][0]["key"]),
        (&json!("h1"), &json!("prompt.goal"))
    );

    let replay = Site::with(&recorder.directory(), Arc::default(), Arc::new(LookOnly)).await;
    assert_eq!(replay.get("/api/settings").await.status, 404);
    let (status, answer) = post(&replay, &[JSON], r#"{"do":"pause"}"#).await;
    assert_eq!(
        (status, &answer["error"]),
        (404, &json!("a recorded run has no agent to control"))
    );
}
