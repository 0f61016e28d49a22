//! Tests of a failing observer behind a relay. The traffic must not be affected.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use franz_panel::Hub;
use franz_panel::observer::{ObserverOptions, spawn_with};
use franz_record::RunOptions;
use franz_relay::{CopiesReader, Exchange};
use tempfile::TempDir;

use crate::exchanges::{CHAT, Case, cases};
use crate::observer::options;
use crate::stage::{Stage, patiently};
use crate::traffic::{self, ANSWERS_CUT, Way};

/// What is wrong with the observer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// It cannot write anything.
    Unwritable,
    /// Every exchange makes one of its steps panic.
    Panicking,
}

/// An observer that runs in a thread.
struct Watching {
    place: TempDir,
    hub: Hub,
    exchanges: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// Counts of what the observer has seen.
struct Seen {
    /// How many exchanges it received.
    exchanges: usize,
    /// How many verdicts it reported.
    verdicts: usize,
    /// How many verdicts it wrote.
    written: usize,
}

impl Watching {
    fn in_trouble(reader: CopiesReader, trouble: Trouble) -> Watching {
        let place = tempfile::tempdir().unwrap();
        let directory = run(&place);
        fs::create_dir(&directory).unwrap();
        let options = ObserverOptions {
            record_turns: Some(RunOptions::default()),
            ..options(&directory)
        };
        let hub = options.hub.clone();
        if trouble == Trouble::Unwritable {
            // Make the run's directory a file. Nobody, not even root, can create files in it.
            fs::remove_dir(&directory).unwrap();
            fs::write(&directory, "a file").unwrap();
        }
        let exchanges = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&exchanges);
        let also = move |exchange: &Exchange| {
            counted.fetch_add(1, Ordering::Relaxed);
            let id = exchange.id;
            assert!(
                trouble != Trouble::Panicking,
                "this is how a broken parser takes exchange {id}"
            );
        };
        let thread = spawn_with(reader, options, also).unwrap();
        Watching {
            place,
            hub,
            exchanges,
            thread,
        }
    }

    /// Waits until the observer has seen everything, and returns the counts.
    fn end(self) -> Seen {
        self.thread.join().expect("an observer does not panic");
        let (snapshot, _) = self.hub.snapshot();
        let verdicts = fs::read_to_string(run(&self.place).join("verdicts.jsonl")).unwrap_or_default();
        Seen {
            exchanges: self.exchanges.load(Ordering::Relaxed),
            verdicts: snapshot.verdicts.0.iter().sum::<u64>() as usize,
            written: verdicts.lines().count(),
        }
    }
}

fn run(place: &TempDir) -> PathBuf {
    place.path().join("run")
}

/// Sends `traffic` past an observer with each kind of trouble, and returns what each observer has seen.
async fn beside_trouble(traffic: impl AsyncFn(&Stage)) -> [(Trouble, Seen); 2] {
    let beside = async |trouble| {
        let mut stage = Stage::new().await;
        let watching = Watching::in_trouble(stage.hand_over_reader(), trouble);
        traffic(&stage).await;
        // After the relay is gone, nobody is left to pass on copies.
        stage.cut();
        drop(stage);
        let seen = tokio::task::spawn_blocking(|| watching.end());
        (trouble, patiently(seen).await.unwrap())
    };
    [beside(Trouble::Unwritable).await, beside(Trouble::Panicking).await]
}

fn is_chat(case: &Case) -> bool {
    case.request.starts_with(format!("POST {CHAT} ").as_bytes())
}

#[tokio::test]
async fn a_failing_observer_does_not_alter_traffic() {
    let asks = cases().iter().filter(|case| is_chat(case)).count();
    assert!(asks >= 10);
    for (trouble, seen) in beside_trouble(traffic::every_case).await {
        assert_eq!((seen.exchanges, seen.verdicts), (cases().len(), asks), "{trouble:?}");
        // The observer that is able to write must still have written everything.
        let written = if trouble == Trouble::Panicking { asks } else { 0 };
        assert_eq!(seen.written, written, "{trouble:?}");
    }
}

#[tokio::test]
async fn ten_megabytes_pass_despite_a_failing_observer() {
    for (trouble, seen) in beside_trouble(traffic::ten_megabytes).await {
        assert_eq!((seen.exchanges, seen.verdicts), (1, 1), "{trouble:?}");
    }
}

#[tokio::test]
async fn a_failing_observer_does_not_keep_connections_open() {
    let goes = async |stage: &Stage| {
        for way in Way::BOTH {
            traffic::client_goes(stage, way).await;
            for (sent, name) in ANSWERS_CUT {
                eprintln!("{name} {way:?}");
                traffic::server_goes(stage, way, sent).await;
            }
        }
    };
    for (trouble, seen) in beside_trouble(goes).await {
        assert_eq!(seen.exchanges, Way::BOTH.len() * (1 + ANSWERS_CUT.len()), "{trouble:?}");
    }
}
