//! Tests of the turn in progress, which is shown like other turns but is not in any record.

use franz_json::{Raw, Story};
use franz_panel::Hub;
use franz_panel::hub::{Doing, RunFacts};
use franz_record::digest::sha256_hex;
use franz_record::{Event, Image, PictureName, StoredStory, TurnLine};
use serde_json::{Value, json};

use crate::web::site::{Recorder, Site, line};

const STORY: &str = r#""a \ud800\/ \u0041 <script>""#;

/// Returns turn 3, for which the model has been sent everything.
fn under_way() -> TurnLine {
    TurnLine {
        mode: Some("executing".to_owned()),
        goal: Some("draw".to_owned()),
        feedback: "OK, sk-hidden-0123".to_owned(),
        story: StoredStory::Full(Story::from_raw(STORY).unwrap()),
        image: Some(Image {
            file: "turn_0003.png".to_owned(),
            sha256: sha256_hex(b"marked"),
            width: 1,
            height: 1,
            bytes: 6,
        }),
        ..TurnLine::new(3, "2026-01-02T03:04:05Z")
    }
}

/// Records two turns, and the pictures of the third one.
fn recorder() -> Recorder {
    let mut recorder = Recorder::new();
    recorder.turn(1, "\"one\"").turn(2, "\"two\"");
    recorder.picture(PictureName::seen(3), b"marked");
    recorder.picture(PictureName::plain(3), b"plain");
    recorder
}

fn show(hub: &Hub, line: TurnLine) {
    hub.change(|snapshot| snapshot.event(&Event::Shown(Box::new(line))));
}

fn end(hub: &Hub, turn: u64) {
    let line = Box::new(line(turn, "\"said\""));
    hub.change(|snapshot| snapshot.event(&Event::TurnDone(line)));
}

async fn status(site: &Site, path: &str) -> u16 {
    site.get(path).await.status
}

#[tokio::test]
async fn a_pending_turn_is_shown_with_its_texts_and_pictures() {
    let recorder = recorder();
    let site = Site::over(&recorder.directory()).await;
    show(&site.hub, under_way());

    let text = site.get("/api/turns/3").await.text();
    assert!(
        text.contains(&format!("\"story\":{STORY},\"previous\":2,\"next\":null")),
        "{text}"
    );
    assert!(text.contains(r#""feedback":"OK, [the API key, 14 bytes]""#), "{text}");
    assert!(!text.contains("sk-hidden"), "{text}");
    let turn: Value = serde_json::from_str(&text.replace(r"\ud800", "")).unwrap();
    assert_eq!((&turn["pending"], &turn["line"]["reply"]), (&json!(true), &Value::Null));
    assert_eq!(turn["summary"]["turn"], 3);
    for (picture, sha256) in [("marked", &turn["line"]["image"]["sha256"]), ("plain", &turn["plain"])] {
        let blob = site.get(&format!("/blob/{}", sha256.as_str().unwrap())).await;
        assert_eq!((blob.status, &*blob.text()), (200, picture));
    }

    let before = site.json("/api/turns/2").await;
    assert_eq!((&before["next"], &before["pending"]), (&json!(3), &json!(false)));
    assert_eq!(site.json("/api/turns/1").await["next"], 2);
    let state = site.json("/api/state").await;
    assert_eq!(state["turns"], json!({"first": 1, "last": 2, "count": 2}));
    assert_eq!(
        [&state["pending"], &state["mode"], &state["goal"]],
        [&json!(3), &json!("executing"), &json!("draw")]
    );
}

#[tokio::test]
async fn a_pending_turn_is_in_no_record() {
    let recorder = recorder();
    let site = Site::over(&recorder.directory()).await;
    show(&site.hub, under_way());
    assert_eq!(site.json("/api/turns").await["count"], 2);
    assert_eq!(site.json("/api/turns").await["turns"][0]["turn"], 2);
    assert_eq!(site.json("/api/search?q=OK").await["hits"], json!([]));
    assert_eq!(site.get("/export/turns.jsonl").await.text().lines().count(), 2);
    assert!(!site.get("/export/history.html").await.text().contains("OK, "));
}

/// An event that changes the hub.
type Happens = fn(&Hub);

#[tokio::test]
async fn a_pending_turn_disappears_when_it_or_its_agent_ends() {
    let ends: [Happens; 5] = [
        |hub| end(hub, 3),
        |hub| hub.change(|snapshot| snapshot.set_agent(Doing::Restarting, "")),
        |hub| hub.change(|snapshot| snapshot.set_agent(Doing::Stopped, "")),
        |hub| hub.change(|snapshot| snapshot.set_agent(Doing::None, "")),
        |hub| hub.change(|snapshot| snapshot.begin(RunFacts::default())),
    ];
    let recorder = recorder();
    let site = Site::over(&recorder.directory()).await;
    let picture = format!("/blob/{}", sha256_hex(b"marked"));
    for ends in ends {
        show(&site.hub, under_way());
        assert_eq!(status(&site, &picture).await, 200);
        let stays: [Happens; 2] = [
            |hub| end(hub, 2),
            |hub| hub.change(|snapshot| snapshot.set_agent(Doing::Paused, "")),
        ];
        for still in stays {
            still(&site.hub);
            assert_eq!(status(&site, "/api/turns/3").await, 200);
        }
        ends(&site.hub);
        assert_eq!(status(&site, "/api/turns/3").await, 404);
        assert_eq!(status(&site, &picture).await, 404);
        assert_eq!(site.json("/api/state").await["pending"], Value::Null);
        assert_eq!(site.json("/api/turns/2").await["next"], Value::Null);
    }
}

#[tokio::test]
async fn a_recorded_turn_replaces_the_pending_one() {
    let mut recorder = recorder();
    let site = Site::over(&recorder.directory()).await;
    show(&site.hub, under_way());
    recorder.turn(3, "\"three\"");
    let turn = site.json("/api/turns/3").await;
    assert_eq!(
        (&turn["pending"], &turn["line"]["reply"]),
        (&json!(false), &json!("three"))
    );
    assert_eq!(site.json("/api/state").await["pending"], Value::Null);
    assert_eq!(turn["next"], Value::Null);
}

#[tokio::test]
async fn a_pending_picture_must_match_its_hash() {
    let mut recorder = recorder();
    let site = Site::over(&recorder.directory()).await;
    show(&site.hub, under_way());
    recorder.picture(PictureName::seen(3), b"that of another start");
    assert_eq!(status(&site, &format!("/blob/{}", sha256_hex(b"marked"))).await, 404);
    let mut strange = under_way();
    strange.image.as_mut().unwrap().file = "../run_1/state.json".to_owned();
    show(&site.hub, strange);
    assert_eq!(status(&site, &format!("/blob/{}", sha256_hex(b"marked"))).await, 404);
}

#[tokio::test]
async fn a_pending_turn_is_announced_in_a_short_event() {
    let hub = Hub::default();
    let mut listener = hub.listen(None);
    let long = Raw::string(&"x".repeat(1 << 20));
    let line = TurnLine {
        story: StoredStory::Full(long.try_into().unwrap()),
        feedback: "y".repeat(1 << 20),
        ..under_way()
    };
    show(&hub, line);
    let told = listener.next().await;
    assert_eq!(told.len(), 1);
    assert!(told[0].json.len() <= Hub::EVENT_BYTES);
    assert!(
        told[0]
            .json
            .starts_with(r#"{"pending":3,"fresh":{"change":1,"turn":3},"#),
        "{}",
        told[0].json
    );
    assert_eq!(hub.pending().unwrap().turn, 3);
}
