//! A key of a few characters, such as `x` for servers that want any: it is hidden, and the page goes on working.

use std::sync::Arc;

use franz_panel::Update;
use franz_panel::controls::Controls;
use franz_panel::update::{Doing, RunFacts};
use franz_record::digest::sha256_hex;
use franz_record::{Acted, Image, Outcome, PictureName, Raw, StoredStory, TurnLine};
use serde_json::Value;

use crate::site::{Puppet, Recorder, Site};

const KEYS: [&str; 9] = ["x", "7", "ok", "12", "png", "k-1", "match", "EMPTY", "n"];

const PICTURE: &[u8] = b"\x89PNG picture";

/// Turn 7 with the key in every text: as it is, escaped, and in JSON that is a string of other JSON.
fn recorded(key: &str) -> Recorder {
    let escaped = format!("\\u{:04x}{}", key.as_bytes()[0], &key[1..]);
    let literal = |text: &str| Raw::parse(text).unwrap();
    let said = || format!("say {key} after");
    let mut recorder = Recorder::new();
    recorder.picture(PictureName::seen(7), PICTURE);
    recorder.line(&TurnLine {
        mode: Some(said()),
        goal: Some(said()),
        feedback: said(),
        acted: vec![Acted {
            action: said(),
            outcome: Outcome::Done,
            why: Some(said()),
            text: None,
        }],
        story: StoredStory::Full(literal(&format!("\"say {escaped} after\""))),
        reply: Some(literal(&format!("\"say {escaped} after\""))),
        tool_calls: Some(literal(&format!(
            "[{{\"arguments\":\"{{\\\"say\\\":\\\"say {key} after\\\"}}\"}}]"
        ))),
        usage: Some(literal(&format!(
            "{{\"total_tokens\":12,\"note\":\"say {escaped} after\"}}"
        ))),
        sampling: Some(literal("{\"top_k\":7}")),
        model: Some(said()),
        errors: vec![said()],
        image: Some(Image {
            file: "turn_0007.png".to_owned(),
            sha256: sha256_hex(PICTURE),
            width: 7,
            height: 12,
            bytes: PICTURE.len() as u64,
        }),
        ..TurnLine::new(7, "2026-12-07T12:07:00Z")
    });
    recorder.verdicts(&format!(
        "{{\"turn\":7,\"verdict\":\"match\",\"why\":\"say {escaped} after\",\"difference\":{{\"position\":7,\
         \"received\":\"say {escaped} after\",\"sent\":\"say {key} after\",\"received_units\":7,\"sent_units\":12}}}}\n"
    ));
    recorder
}

async fn hiding(key: &str, recorder: &Recorder) -> Site {
    let puppet: Arc<Puppet> = Arc::default();
    let controls: Arc<dyn Controls> = Arc::clone(&puppet) as Arc<dyn Controls>;
    let site = Site::hiding(key, &recorder.directory(), puppet, controls).await;
    let facts = RunFacts {
        upstream: format!("say {key} after"),
        ..RunFacts::default()
    };
    site.hub.tell(Update::Run(facts));
    site.hub.tell(Update::agent(Doing::Running, format!("say {key} after")));
    site
}

#[tokio::test]
async fn it_is_in_no_text() {
    for key in KEYS {
        let recorder = recorded(key);
        let site = hiding(key, &recorder).await;
        let escaped = format!("say \\u{:04x}", key.as_bytes()[0]);
        let paths = [
            ("/api/state", 3),
            ("/api/turns", 2),
            ("/api/turns/7", 15),
            ("/api/search?q=after", 6),
            ("/export/history.html", 12),
            ("/export/turns.jsonl", 11),
        ];
        for (path, least) in paths {
            let text = site.get(path).await.text();
            let shown = text.contains(&format!("say {key} ")) || text.contains(&escaped);
            assert!(!shown, "{path} with {key}: {text}");
            let hidden = text.matches("say [redacted]").count();
            assert!(hidden >= least, "{path} with {key}, {hidden} of {least}: {text}");
        }
        let guessed = site.json(&format!("/api/search?q=say+{key}+after")).await;
        assert_eq!(guessed["hits"], Value::Array(Vec::new()), "{key} cannot be guessed");
    }
}

#[tokio::test]
async fn everything_else_is_as_it_was() {
    for key in KEYS {
        let recorder = recorded(key);
        let site = hiding(key, &recorder).await;
        let turn = site.json("/api/turns/7").await;
        let line = &turn["line"];
        assert_eq!(
            (&line["turn"], &line["image"]["width"]),
            (&7.into(), &7.into()),
            "{key}"
        );
        assert_eq!(
            (&line["status"], &line["started"]),
            (&"ok".into(), &"2026-12-07T12:07:00Z".into()),
            "{key}"
        );
        assert_eq!(
            (&line["acted"][0]["outcome"], &line["usage"]["total_tokens"]),
            (&"done".into(), &12.into()),
            "{key}"
        );
        assert_eq!(line["image"]["file"], "turn_0007.png", "{key}");
        assert_eq!(turn["verdicts"][0]["verdict"], "match", "{key}");
        let hash = line["image"]["sha256"].as_str().unwrap();
        let picture = site.get(&format!("/blob/{hash}")).await;
        assert_eq!((picture.status, &*picture.body), (200, PICTURE), "{key}");

        let state = site.json("/api/state").await;
        assert_eq!(
            (&state["agent"]["state"], &state["turns"]["last"]),
            (&"running".into(), &7.into()),
            "{key}"
        );
        let last = state["last_event"].as_str().unwrap();
        assert!(
            last.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-'),
            "{key}: {last}"
        );
        assert_eq!(
            site.json("/api/settings").await["keys"][0]["key"],
            "prompt.goal",
            "{key}"
        );
        assert_eq!(
            site.json("/api/search?q=after").await["hits"][0]["field"],
            "story",
            "{key}"
        );

        let page = site.get("/export/history.html").await.text();
        for part in [
            "Turn 7</h2>",
            "act 0.0, settle 0.0",
            "1 (7 to 7)",
            "width=\"7\" height=\"12\"",
            "2026-12-07T12:07:00Z",
        ] {
            assert!(page.contains(part), "{part} with {key}: {page}");
        }
        let figures = site.get("/metrics").await.text();
        for part in [
            "franz_turns_total 1",
            "{verdict=\"match\"} 1",
            "franz_copies_dropped_total 7",
            "{state=\"running\"} 1",
        ] {
            assert!(figures.contains(part), "{part} with {key}: {figures}");
        }
    }
}

#[tokio::test]
async fn it_is_in_no_event() {
    for key in KEYS {
        let recorder = recorded(key);
        let site = hiding(key, &recorder).await;
        // It is served from now on, so the key is known.
        site.json("/api/state").await;
        let mut listener = site.hub.listen(None);
        site.hub.tell(Update::Notice {
            text: format!("say {key} after"),
        });
        site.hub.tell(Update::Settings { hash: "a7".repeat(32) });
        let told: Vec<String> = listener.next().await.iter().map(|told| told.json.to_string()).collect();
        assert!(told[0].contains("say [redacted] after"), "{key}: {told:?}");
        assert!(told[1].contains(&"a7".repeat(32)), "{key}: {told:?}");
    }
}
