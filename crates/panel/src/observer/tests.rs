use std::time::Duration;

use franz_relay::{Copy, Ended, Message};
use jiff::Timestamp;

use super::step::ObserverStep;
use super::*;
use crate::RelayWatcher;
use crate::hub::ServerState;

fn exchange(id: u64, ended: Ended) -> Exchange {
    let body = r#"{"messages":[{"role":"user","content":""},{"role":"user","content":"f"}]}"#;
    Exchange {
        id,
        connection: 1,
        started: Timestamp::UNIX_EPOCH,
        request: Message {
            head: "POST /v1/chat/completions HTTP/1.1\r\n\r\n".into(),
            body: Copy::Whole(body.into()),
            bytes: body.len() as u64,
        },
        response: None,
        ended,
        sent: Duration::ZERO,
        first_byte: None,
        whole: Duration::ZERO,
    }
}

fn options(directory: &std::path::Path) -> ObserverOptions {
    ObserverOptions {
        home: franz_home::Home::claim(directory).unwrap(),
        hub: Hub::default(),
        history: Arc::new(History::open(directory).unwrap()),
        exchange_log: u64::MAX,
        record_turns: None,
        secret: franz_secret::Secret::default(),
        key: None,
        runs: None,
    }
}

struct Bomb;

impl Output for Bomb {
    fn take(&mut self, judged: &Judged<'_>) -> Result<(), String> {
        panic!("no use for exchange {}", judged.exchange.id);
    }
}

#[test]
fn a_panic_leaves_the_other_steps_alone() {
    let directory = tempfile::tempdir().unwrap();
    let mut observer = Observer::new(options(directory.path()));
    observer
        .outputs
        .insert(0, (ObserverStep::new("exploding"), Box::new(Bomb)));
    for id in 1..4 {
        let exchange = exchange(id, Ended::ClientGone);
        observer.observe(&exchange, &exchange);
    }
    let read = |file: &str| std::fs::read_to_string(directory.path().join(file)).unwrap();
    assert_eq!(read("verdicts.jsonl").lines().count(), 3);
    assert_eq!(read("exchange.log").matches("\"response\":").count(), 3);
}

#[test]
fn the_server_is_reported_down_once_and_up_once() {
    let hub = Hub::default();
    let upstream = || hub.look(|snapshot| snapshot.upstream.clone());
    let down = || Ended::Unreachable("refused".to_owned());
    let cut = || Ended::ServerGone("reset".to_owned());
    let all = [
        Ended::Complete,
        Ended::ClientGone,
        down(),
        cut(),
        Ended::ClientGone,
        Ended::Complete,
        Ended::Complete,
        cut(),
    ];
    let news: Vec<_> = (1..)
        .zip(all)
        .map(|(id, ended)| {
            let before = upstream();
            reachability::tell(&hub, &exchange(id, ended));
            Some(upstream()).filter(|after| *after != before)
        })
        .collect();
    let told = |up, detail: &str| {
        Some(ServerState {
            up,
            detail: detail.to_owned(),
        })
    };
    assert_eq!(
        news,
        [
            None,
            None,
            told(false, "refused"),
            None,
            None,
            told(true, ""),
            None,
            told(false, "reset")
        ]
    );
}

#[test]
fn a_server_that_accepts_connections_and_fails_is_reported_down_each_time() {
    let hub = Hub::default();
    let watcher = RelayWatcher::new(hub.clone(), None);
    let is_up = || hub.look(|snapshot| snapshot.upstream.up);
    let cut = || Ended::ServerGone("reset".to_owned());
    for (id, (ended, up)) in (1..).zip([
        (cut(), false),
        (cut(), false),
        (Ended::ClientGone, true),
        (cut(), false),
    ]) {
        franz_relay::Watcher::connected(&watcher);
        assert!(is_up());
        reachability::tell(&hub, &exchange(id, ended));
        assert_eq!(is_up(), up, "{id}");
    }
}
