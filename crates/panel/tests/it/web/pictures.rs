//! Tests that pictures can be requested by their hashes, and no other files.

use franz_record::digest::sha256_hex;
use franz_record::{Image, PictureName, TurnLine};

use crate::web::site::{Recorder, Site, line};

fn pictured(turn: u64, file: &str, bytes: &[u8]) -> TurnLine {
    TurnLine {
        image: Some(Image {
            file: file.to_owned(),
            sha256: sha256_hex(bytes),
            width: 1,
            height: 1,
            bytes: bytes.len() as u64,
        }),
        ..line(turn, "\"a\"")
    }
}

#[tokio::test]
async fn both_pictures_of_a_turn_are_served() {
    let mut recorder = Recorder::new();
    recorder
        .picture(PictureName::seen(1), b"with marks")
        .picture(PictureName::plain(1), b"without");
    recorder.line(&pictured(1, "turn_0001.png", b"with marks"));
    let site = Site::over(&recorder.directory()).await;
    let plain = sha256_hex(b"without");
    // Nobody knows the hash of a picture without marks until its turn has been viewed.
    assert_eq!(site.get(&format!("/blob/{plain}")).await.status, 404);
    for _ in 0..2 {
        let turn = site.json("/api/turns/1").await;
        assert_eq!(turn["plain"], *plain);
        for (hash, bytes) in [
            (turn["summary"]["image"]["sha256"].as_str().unwrap(), "with marks"),
            (&plain, "without"),
        ] {
            let path = format!("/blob/{hash}");
            let blob = site.get(&path).await;
            assert_eq!((blob.status, &*blob.text()), (200, bytes));
            assert_eq!(blob.header("content-type"), "image/png");
            assert_eq!(blob.header("cache-control"), "private, max-age=31536000, immutable");
            let tag = blob.header("etag");
            assert_eq!(
                site.ask("GET", &path, &[("If-None-Match", &tag)], b"").await.status,
                304
            );
            let head = site.ask("HEAD", &path, &[], b"").await;
            assert_eq!(
                (head.status, head.header("content-length")),
                (200, bytes.len().to_string())
            );
        }
    }
    // If a turn is recorded again, it has a different picture without marks.
    recorder.picture(PictureName::plain(1), b"another one");
    assert_eq!(site.json("/api/turns/1").await["plain"], *sha256_hex(b"another one"));
}

#[tokio::test]
async fn a_picture_that_was_dropped_is_gone() {
    let mut recorder = Recorder::new();
    recorder.line(&pictured(1, "turn_0001.png", b"dropped"));
    let site = Site::over(&recorder.directory()).await;
    assert_eq!(site.get(&format!("/blob/{}", sha256_hex(b"dropped"))).await.status, 404);
    assert_eq!(site.get("/api/turns/1").await.status, 200);
}

#[tokio::test]
async fn a_picture_shared_by_turns_is_served_from_the_newest() {
    let mut recorder = Recorder::new();
    for turn in 1..=3 {
        recorder.line(&pictured(turn, &PictureName::seen(turn).to_string(), b"the same"));
    }
    recorder.picture(PictureName::seen(3), b"the same");
    let site = Site::over(&recorder.directory()).await;
    assert_eq!(
        site.get(&format!("/blob/{}", sha256_hex(b"the same"))).await.text(),
        "the same"
    );
}

#[tokio::test]
async fn no_turn_line_exposes_another_file() {
    let mut recorder = Recorder::new();
    let secret = recorder.place.path().join("secret.png");
    std::fs::write(&secret, "secret").unwrap();
    std::fs::write(recorder.directory().join("config.toml"), "secret").unwrap();
    let files = [
        "config.toml",
        "../secret.png",
        "/etc/passwd",
        "turn_0001.png/../config.toml",
        "turn_1.png",
        "turn_0001.png\0",
        "..%2fsecret.png",
        "",
    ];
    for (turn, file) in (1..).zip(files) {
        recorder.line(&pictured(turn, file, b"secret"));
    }
    let site = Site::over(&recorder.directory()).await;
    assert_eq!(site.get(&format!("/blob/{}", sha256_hex(b"secret"))).await.status, 404);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_to_somewhere_else_is_not_followed() {
    let mut recorder = Recorder::new();
    let secret = recorder.place.path().join("secret.png");
    std::fs::write(&secret, "secret").unwrap();
    for name in [PictureName::seen(1), PictureName::plain(1)] {
        std::os::unix::fs::symlink(&secret, recorder.directory().join(name.to_string())).unwrap();
    }
    recorder.line(&pictured(1, "turn_0001.png", b"secret"));
    let site = Site::over(&recorder.directory()).await;
    assert_eq!(site.json("/api/turns/1").await["plain"], serde_json::Value::Null);
    assert_eq!(site.get(&format!("/blob/{}", sha256_hex(b"secret"))).await.status, 404);
}

#[tokio::test]
async fn only_hashes_name_pictures() {
    let mut recorder = Recorder::new();
    recorder.picture(PictureName::seen(1), b"seen");
    recorder.line(&pictured(1, "turn_0001.png", b"seen"));
    let site = Site::over(&recorder.directory()).await;
    let hash = sha256_hex(b"seen");
    let names = [
        hash.to_uppercase(),
        hash[1..].to_owned(),
        format!("{hash}0"),
        format!("{hash}.png"),
        format!("{hash}/"),
        format!("../blob/{hash}"),
        "turn_0001.png".to_owned(),
        String::new(),
        "é".repeat(32),
    ];
    for name in names {
        let reply = site.get(&format!("/blob/{name}")).await;
        assert!(matches!(reply.status, 404 | 400), "{name}: {}", reply.status);
    }
    assert_eq!(site.get(&format!("/blob/{hash}")).await.status, 200);
}
