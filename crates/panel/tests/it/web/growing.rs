//! Tests of a run that is read while it is being written.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use franz_panel::history::History;
use franz_record::RunOptions;
use franz_secret::Secret;

use crate::web::site::{Recorder, Site, append};

#[test]
fn readers_see_a_whole_run_at_every_instant() {
    const TURNS: u64 = 600;
    let options = RunOptions {
        batch: NonZeroU64::new(50).unwrap(),
        ..RunOptions::default()
    };
    let mut recorder = Recorder::with(options);
    let directory = recorder.directory();
    let history = History::open(&directory).unwrap();
    let done = AtomicBool::new(false);
    let lasts = thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 1..=TURNS {
                recorder.turn(turn, &format!("\"reply {turn}\""));
                recorder.verdicts(&format!("{{\"turn\":{turn},\"verdict\":\"match\"}}\n"));
            }
            done.store(true, Ordering::Release);
        });
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                let extent = history.extent();
                assert_eq!(extent.count, extent.last);
                if extent.count > 0 {
                    assert!(history.turn(extent.last).unwrap().is_some());
                    let found = history
                        .search(&format!("reply {}", extent.last), 500, &Secret::default())
                        .unwrap();
                    assert!(!found.hits.is_empty());
                }
            }
        });
        let mut lasts = Vec::new();
        while !done.load(Ordering::Acquire) {
            lasts.push(history.overview().turns.last);
        }
        lasts
    });
    // No turn disappears again, and each one counts once, no matter who else was reading at the same time.
    assert!(lasts.is_sorted(), "{lasts:?}");
    assert_eq!(history.extent().count, TURNS);
    assert_eq!(history.bad_lines(), 0);
}

#[test]
fn one_refresh_picks_up_every_new_batch() {
    let options = RunOptions {
        batch: NonZeroU64::new(5).unwrap(),
        ..RunOptions::default()
    };
    let mut recorder = Recorder::with(options);
    recorder.turn(1, "\"a\"").turn(2, "\"a\"");
    let history = History::open(&recorder.directory()).unwrap();
    for turn in 3..=23 {
        recorder.turn(turn, "\"a\"");
    }
    assert_eq!(history.extent().last, 23);
    assert_eq!(history.extent().count, 23);
}

#[test]
fn a_verdict_and_its_turn_may_come_in_any_order() {
    let mut recorder = Recorder::new();
    let history = History::open(&recorder.directory()).unwrap();
    recorder.verdicts("{\"turn\":1,\"verdict\":\"first\"}\n");
    assert_eq!(history.extent().count, 0);
    recorder.turn(1, "\"a\"");
    let turns = history.page(None, 9).unwrap();
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].verdict, Some(franz_panel::VerdictKind::First));
}

#[tokio::test]
async fn a_page_sees_what_was_added() {
    let mut recorder = Recorder::new();
    recorder.turn(1, "\"a\"");
    let site = Site::over(&recorder.directory()).await;
    assert_eq!(site.json("/api/turns").await["count"], 1);
    recorder.turn(2, "\"b\"");
    assert_eq!(site.get("/api/turns/2").await.status, 200);
    assert_eq!(site.json("/api/state").await["turns"]["last"], 2);
    assert_eq!(site.json("/api/search?q=b").await["hits"][0]["turn"], 2);
    append(&recorder.directory().join("turns_0001_1000.jsonl"), b"{\"turn\":3");
    assert_eq!(site.get("/api/turns/3").await.status, 404);
    append(&recorder.directory().join("turns_0001_1000.jsonl"), b"}\n");
    assert_eq!(site.get("/api/turns/3").await.status, 200);
    assert_eq!(site.get("/export/turns.jsonl").await.text().lines().count(), 3);
}
