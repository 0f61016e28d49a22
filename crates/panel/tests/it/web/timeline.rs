//! Tests of the turns' marks, the thumbnails, and the exchanges of a turn.

use franz_record::digest::sha256_hex;
use franz_record::{Acted, Image, PictureName, Status, TurnLine};
use serde_json::json;

use crate::web::site::{Recorder, Site, append, line};

/// A white picture of 640 x 360 pixels with one bit each.
const PNG: &[u8] = include_bytes!("white.png");

fn acted(outcome: &str) -> Vec<Acted> {
    serde_json::from_value(json!([{"action": "left_click(1, 2)", "outcome": outcome, "why": "because"}])).unwrap()
}

#[tokio::test]
async fn turns_are_marked_by_what_happened_in_them() {
    let mut recorder = Recorder::new();
    let goal = |turn, goal: &str| TurnLine {
        goal: Some(goal.to_owned()),
        ..line(turn, "\"a\"")
    };
    recorder.line(&goal(1, "a cat"));
    for turn in [2, 3] {
        recorder.line(&TurnLine {
            acted: acted("done"),
            ..goal(turn, "a cat")
        });
    }
    recorder.line(&TurnLine {
        status: Status::Failed,
        attempts: 3,
        errors: vec!["503".to_owned()],
        ..goal(4, "a dog")
    });
    recorder.line(&TurnLine {
        acted: acted("held"),
        feedback: "OK.\nMESSAGE FROM THE PERSON: a hat".to_owned(),
        mode: Some("monitoring".to_owned()),
        ..goal(5, "a dog")
    });
    recorder.line(&TurnLine {
        acted: acted("refused"),
        feedback: "told of a MESSAGE FROM THE PERSON: in passing".to_owned(),
        mode: Some("monitoring".to_owned()),
        ..goal(6, "a dog")
    });
    let site = Site::over(&recorder.directory()).await;
    let marks = json!({
        "acted": [[2, 3]], "failed": [[4, 4]], "error": [[4, 4]], "retry": [[4, 4]], "goal": [[4, 4]],
        "held": [[5, 5]], "mode": [[5, 5]], "message": [[5, 5]], "refused": [[6, 6]],
    });
    assert_eq!(site.json("/api/marks").await, json!({"last": 6, "marks": marks}));
    recorder.line(&TurnLine {
        acted: acted("done"),
        mode: Some("monitoring".to_owned()),
        ..goal(7, "a dog")
    });
    let newer = json!({"last": 7, "marks": {"refused": [[6, 6]], "acted": [[7, 7]]}});
    assert_eq!(site.json("/api/marks?after=5").await, newer);
    assert_eq!(site.get("/api/marks?after=x").await.status, 400);
}

#[tokio::test]
async fn a_thumbnail_is_a_small_png_that_may_be_kept() {
    let mut recorder = Recorder::new();
    recorder.picture(PictureName::seen(1), PNG);
    let sha256 = sha256_hex(PNG);
    recorder.line(&TurnLine {
        image: Some(Image {
            file: "turn_0001.png".to_owned(),
            sha256: sha256.clone(),
            width: 640,
            height: 360,
            bytes: PNG.len() as u64,
        }),
        ..line(1, "\"a\"")
    });
    let site = Site::over(&recorder.directory()).await;
    let path = format!("/thumb/{sha256}");
    let thumb = site.get(&path).await;
    assert_eq!((thumb.status, &*thumb.header("content-type")), (200, "image/png"));
    assert_eq!(thumb.header("cache-control"), "private, max-age=31536000, immutable");
    assert_eq!(thumb.body[16..24], [0, 0, 1, 64, 0, 0, 0, 180], "320 x 180");
    let tag = thumb.header("etag");
    assert_eq!(
        site.ask("GET", &path, &[("If-None-Match", &tag)], b"").await.status,
        304
    );
    for other in [&"0".repeat(64), "..", "turn_0001.png"] {
        assert_eq!(site.get(&format!("/thumb/{other}")).await.status, 404, "{other}");
    }
}

#[tokio::test]
async fn the_exchange_of_a_turn_has_every_attempt_without_the_key() {
    let mut recorder = Recorder::new();
    recorder.turn(1, "\"a\"");
    let site = Site::over(&recorder.directory()).await;
    let missing = site.get("/api/exchanges/1").await;
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("exchange.log"), "{}", missing.text());
    let log = recorder.directory().join("exchange.log");
    for text in [
        r#"{"id":"req_1","at":"2026-01-02T03:04:05Z","turn":1,"request":{"model":"m","x":1.50}}"#,
        r#"{"id":"req_1","at":"2026-01-02T03:04:06Z","turn":1,"status":503,"response":null,"text":"sk-hidden-0123"}"#,
        r#"{"id":"req_2","at":"2026-01-02T03:04:07Z","turn":1,"request":{"model":"m"}}"#,
        r#"{"id":"req_3","at":"2026-01-02T03:04:08Z","turn":2,"request":{"model":"n"}}"#,
    ] {
        append(&log, format!("{text}\n").as_bytes());
    }
    let found = site.get("/api/exchanges/1").await.text();
    assert!(found.contains(r#""json":"{\"model\":\"m\",\"x\":1.50}""#), "{found}");
    assert!(!found.contains("sk-hidden"), "{found}");
    let found = site.json("/api/exchanges/1").await;
    let all = found["exchanges"].as_array().unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all[0]["response"]["status"], 503);
    assert_eq!((&all[1]["id"], &all[1]["response"]), (&json!("req_2"), &json!(null)));
    assert_eq!(site.get("/api/exchanges/x").await.status, 404);
}
