//! Tests of the responses at each address.

use std::sync::Arc;

use franz_json::{Raw, Story};
use franz_panel::controls::LookOnly;
use franz_panel::hub::{AgentState, Doing, RunFacts, Waiting};
use franz_record::{Acted, Outcome, Status, TurnLine};
use serde_json::{Value, json};

use crate::web::site::{Recorder, Site, TOKEN, line};

#[tokio::test]
async fn the_link_opens_the_page_and_leaves_a_cookie() {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    let page = site.stranger("GET", &format!("/?token={TOKEN}"), &[], b"").await;
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, "text/html; charset=utf-8".into())
    );
    let cookie = page.header("set-cookie");
    let port = site.address.port();
    assert_eq!(
        cookie,
        format!("franz_{port}={TOKEN}; HttpOnly; SameSite=Strict; Path=/")
    );

    let shown = cookie.split(';').next().unwrap();
    let again = site
        .stranger("GET", "/", &[("Cookie", &format!("other=1; {shown}"))], b"")
        .await;
    assert_eq!((again.status, again.header("set-cookie")), (200, String::new()));
    assert_eq!(again.body, page.body);
    assert_eq!(
        site.stranger("GET", "/api/state", &[("Cookie", shown)], b"")
            .await
            .status,
        200
    );

    let tag = again.header("etag");
    let same = site.ask("GET", "/", &[("If-None-Match", &tag)], b"").await;
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert!(same.header("content-security-policy").contains("default-src 'none'"));
}

#[tokio::test]
async fn an_empty_run_has_a_state() {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    let mut state = site.json("/api/state").await;
    assert!(state["now"].as_i64().unwrap() > 1_700_000_000_000);
    state["now"] = json!(0);
    let expected = json!({
        "version": env!("CARGO_PKG_VERSION"), "port": site.address.port(), "now": 0, "last_event": 0, "live": true, "settings": true, "runs": 0, "shown": null, "name": "run_1",
        "run": null, "agent": {"state": "none", "detail": "", "since": 0}, "waiting": null, "held": 0, "acting": null, "pending": null,
        "upstream": {"up": true, "detail": ""}, "turns": {"first": 0, "last": 0, "count": 0},
        "verdicts": {"first": 0, "match": 0, "retry": 0, "violation": 0, "unverifiable": 0, "by_person": 0}, "violations": {},
        "mode": null, "goal": null, "tokens": {"prompt": 0, "cached": 0, "completion": 0, "total": 0},
        "fresh": null, "answer": null, "config": null, "newest": null, "notices": {}, "question": null, "taken_over": false,
        "others": {"live": 0, "waiting": 0, "change": 0}
    });
    assert_eq!(state, expected);
    assert_eq!(
        site.json("/api/turns").await,
        json!({"turns": [], "first": 0, "last": 0, "count": 0})
    );
    assert_eq!(site.json("/api/search?q=a").await, json!({"hits": [], "more": false}));
    assert_eq!(
        site.json("/api/runs").await,
        json!({"runs": [{"name": "run_1", "current": true}], "below": []})
    );
    assert_eq!(site.get("/export/turns.jsonl").await.body, b"");
}

#[tokio::test]
async fn the_state_combines_events_and_records() {
    let mut recorder = Recorder::new();
    let last = TurnLine {
        mode: Some("executing".to_owned()),
        goal: Some("g".repeat(5000)),
        usage: Raw::parse(r#"{"prompt_tokens":3,"completion_tokens":4}"#).ok(),
        ..line(3, "\"b\"")
    };
    recorder.turn(2, "\"a\"").line(&last);
    recorder.verdicts("{\"turn\":2,\"verdict\":\"violation\"}\n{\"turn\":3,\"verdict\":\"match\"}\n");
    let site = Site::with(&recorder.directory(), Arc::default(), Arc::new(LookOnly)).await;
    let facts = RunFacts {
        name: "run_1".to_owned(),
        ..RunFacts::default()
    };
    site.hub.change(|snapshot| snapshot.begin(facts));
    let agent = AgentState {
        state: Doing::Running,
        detail: String::new(),
        since: 5,
    };
    site.hub.change(|snapshot| snapshot.agent = agent);
    let waiting = Waiting {
        turn: Some(4),
        attempt: 2,
        since: 6,
        until: None,
    };
    site.hub.change(|snapshot| snapshot.waiting = Some(waiting));
    let state = site.json("/api/state").await;
    assert!(state["last_event"].as_str().unwrap().ends_with("-4"));
    assert_eq!(state["live"], false);
    assert_eq!(state["run"]["name"], "run_1");
    assert_eq!(state["agent"], json!({"state": "running", "detail": "", "since": 5}));
    assert_eq!(state["waiting"], json!({"turn": 4, "attempt": 2, "since": 6}));
    assert_eq!(state["turns"], json!({"first": 2, "last": 3, "count": 2}));
    assert_eq!(state["violations"], json!({"2": true}));
    assert_eq!(
        (&state["verdicts"]["violation"], &state["verdicts"]["match"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(state["mode"], "executing");
    assert!(state["goal"].as_str().unwrap().len() <= 1000);
    assert_eq!(
        state["tokens"],
        json!({"prompt": 3, "cached": 0, "completion": 4, "total": 7})
    );
}

#[tokio::test]
async fn turns_come_in_pages_newest_first() {
    let mut recorder = Recorder::new();
    for turn in (1..=250).filter(|turn| turn % 10 != 0) {
        recorder.turn(turn, "\"a\"");
    }
    let site = Site::over(&recorder.directory()).await;
    let page = async |query: &str| {
        let page = site.json(&format!("/api/turns{query}")).await;
        assert_eq!(
            (&page["first"], &page["last"], &page["count"]),
            (&json!(1), &json!(249), &json!(225))
        );
        let turns = page["turns"].as_array().unwrap();
        turns
            .iter()
            .map(|turn| turn["turn"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    let all = page("?limit=1000").await;
    assert_eq!((all.len(), all[0], all[224]), (225, 249, 1));
    assert!(all.is_sorted_by(|a, b| a > b));
    assert_eq!(page("").await, all[..100]);
    assert_eq!(page("?before=241&limit=2").await, [239, 238]);
    assert_eq!(page("?before=1").await, [0; 0]);
    assert_eq!(page("?limit=0").await, [0; 0]);
    assert_eq!(page("?limit=99999999999&before=18446744073709551615").await.len(), 225);
    for bad in [
        "?limit=x",
        "?before=-1",
        "?before=",
        "?limit=1e3",
        "?before=18446744073709551616",
    ] {
        assert_eq!(site.get(&format!("/api/turns{bad}")).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn a_summary_contains_what_lists_show() {
    let mut recorder = Recorder::new();
    let acted = |outcome| Acted::new("wait()", outcome);
    recorder.line(&TurnLine {
        status: Status::Failed,
        acted: vec![acted(Outcome::DONE), acted(Outcome::BLOCKED)],
        finish: Some("stop".to_owned()),
        model: Some("m".to_owned()),
        errors: vec!["no".to_owned()],
        ..line(1, "\"four\"")
    });
    recorder.verdicts("{\"turn\":1,\"verdict\":\"first\"}\n{\"turn\":1,\"verdict\":\"retry\"}\n");
    let site = Site::over(&recorder.directory()).await;
    let page = site.json("/api/turns").await;
    let mut summary = page["turns"][0].clone();
    summary.as_object_mut().unwrap().remove("ms");
    let expected = json!({
        "turn": 1, "started": "2026-01-02T03:04:05Z", "status": "failed", "mode": null, "actions": [1, 2], "image": null,
        "reply_bytes": 6, "finish": "stop", "model": "m", "tokens": {"prompt": 0, "cached": 0, "completion": 0, "total": 0},
        "errors": 1, "verdict": "retry"
    });
    assert_eq!(summary, expected);
    assert_eq!(site.json("/api/turns/1").await["summary"], page["turns"][0]);
}

#[tokio::test]
async fn a_turn_comes_with_its_texts_to_the_byte() {
    let mut recorder = Recorder::new();
    let literal = r#""a \ud800\/ \u0041 <script> é""#;
    recorder.turn(1, literal);
    // The story is stored as the hash of the previous reply.
    recorder.line(&TurnLine {
        story: franz_record::StoredStory::Full(Story::from_raw(literal).unwrap()),
        reply: None,
        status: Status::Failed,
        ..TurnLine::new(2, "")
    });
    recorder.turn(5, "\"later\"");
    let verdict = r#"{"turn":2,"verdict":"violation","difference":{"position":3,"received":"\ud800","sent":"b","received_units":1,"sent_units":2}}"#;
    recorder.verdicts(&format!("{verdict}\n"));
    let site = Site::over(&recorder.directory()).await;
    let reply = site.get("/api/turns/2").await;
    let text = reply.text();
    assert!(
        text.contains(&format!(
            ",\"story\":{literal},\"previous\":1,\"next\":5,\"plain\":null,"
        )),
        "{text}"
    );
    assert!(text.contains(r#""line":{"v":1,"turn":2,"#), "{text}");
    assert!(text.contains(&format!("\"verdicts\":[{verdict}]")), "{text}");
    let first = site.get("/api/turns/1").await.text();
    assert!(first.contains(&format!("\"reply\":{literal}")), "{first}");
    assert!(first.contains("\"previous\":null,\"next\":2"), "{first}");
    for none in ["0", "3", "6", "-2", "+2", "2.0", "x", "", "18446744073709551616", "%32"] {
        let reply = site.get(&format!("/api/turns/{none}")).await;
        assert_eq!(reply.status, 404, "{none}");
    }
}

#[tokio::test]
async fn a_story_with_a_missing_reply_is_null() {
    let mut recorder = Recorder::new();
    recorder.turn(1, "\"a\"");
    let lost = format!("{{\"turn\":2,\"story\":{{\"sha256\":\"{}\"}}}}\n", "ab".repeat(32));
    crate::web::site::append(&recorder.directory().join("turns_0001_1000.jsonl"), lost.as_bytes());
    let site = Site::over(&recorder.directory()).await;
    assert_eq!(site.json("/api/turns/2").await["story"], Value::Null);
}

#[tokio::test]
async fn runs_beside_this_one_are_named() {
    let recorder = Recorder::new();
    for (name, file) in [
        ("run_0", "config.toml"),
        ("other", "notes.txt"),
        ("run_9", "state.json"),
    ] {
        let directory = recorder.place.path().join(name);
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(directory.join(file), "").unwrap();
    }
    let site = Site::over(&recorder.directory()).await;
    let expected = json!({"runs": [
        {"name": "run_0", "current": false}, {"name": "run_1", "current": true}, {"name": "run_9", "current": false}
    ], "below": []});
    assert_eq!(site.json("/api/runs").await, expected);
}

#[tokio::test]
async fn head_requests_are_answered_without_a_body() {
    let mut recorder = Recorder::new();
    recorder.turn(1, "\"a\"");
    let site = Site::over(&recorder.directory()).await;
    for path in [
        "/",
        "/api/turns/1",
        "/healthz",
        "/events",
        "/export/history.html",
        "/metrics",
    ] {
        let head = site.ask("HEAD", path, &[], b"").await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
    }
}

#[tokio::test]
async fn every_answer_shuts_out_other_pages() {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    let paths = [
        "/",
        "/api/state",
        "/api/turns/7",
        "/nowhere",
        "/healthz",
        "/metrics",
        "/export/history.html",
    ];
    let mut replies = vec![
        site.stranger("GET", "/", &[], b"").await,
        site.stranger("GET", "/", &[("Host", "evil.example")], b"").await,
        site.ask("DELETE", "/", &[], b"").await,
        site.ask("OPTIONS", "/api/control", &[("Origin", "http://evil.example")], b"")
            .await,
    ];
    for path in paths {
        replies.push(site.get(path).await);
    }
    for reply in replies {
        let policy = reply.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{part} is not in {}", reply.head);
        }
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("referrer-policy"), "no-referrer");
        assert_eq!(reply.header("cross-origin-opener-policy"), "same-origin");
        assert_eq!(reply.header("cross-origin-resource-policy"), "same-origin");
        assert!(matches!(&*reply.header("cache-control"), "no-store" | "no-cache"));
        assert!(
            !reply.head.to_ascii_lowercase().contains("access-control-"),
            "{}",
            reply.head
        );
    }
}
