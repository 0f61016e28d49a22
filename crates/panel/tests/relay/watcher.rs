//! The observer itself behind the relay, in trouble of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use franz_panel::Hub;
use franz_panel::exchange::{CopiesReader, Exchange};
use franz_panel::history::History;
use franz_panel::observer::{Options, spawn_with};
use franz_record::RunOptions;
use tempfile::TempDir;

/// An observer in a thread.
pub(crate) struct Watcher {
    place: TempDir,
    hub: Hub,
    exchanges: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// What it has seen, all counted.
pub(crate) struct Seen {
    /// Exchanges that it was handed.
    pub(crate) exchanges: usize,
    /// Verdicts that it has told.
    pub(crate) verdicts: usize,
    /// Verdicts that it has written down.
    pub(crate) written: usize,
}

impl Watcher {
    /// The run's directory is a file, in which nobody, not even root, can make others.
    pub(crate) fn unwritable(reader: CopiesReader) -> Watcher {
        let watch = |directory: &Path| {
            fs::remove_dir(directory).unwrap();
            fs::write(directory, "a file").unwrap();
        };
        Watcher::new(reader, watch, |_| ())
    }

    /// Every exchange makes one of its steps panic.
    pub(crate) fn panicking(reader: CopiesReader) -> Watcher {
        Watcher::new(
            reader,
            |_| (),
            |exchange| panic!("this is how a broken parser takes exchange {}", exchange.id),
        )
    }

    fn new(reader: CopiesReader, spoil: impl Fn(&Path), also: impl Fn(&Exchange) + Send + 'static) -> Watcher {
        let place = tempfile::tempdir().unwrap();
        let directory = run(&place);
        fs::create_dir(&directory).unwrap();
        let hub = Hub::default();
        let options = Options {
            home: franz_home::Home::claim(&directory).unwrap(),
            hub: hub.clone(),
            history: Arc::new(History::open(&directory).unwrap()),
            exchange_log: true,
            record_turns: Some(RunOptions::default()),
            secret: franz_secret::Secret::default(),
            key: None,
            runs: None,
        };
        spoil(&directory);
        let exchanges = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&exchanges);
        let also = move |exchange: &Exchange| {
            counted.fetch_add(1, Ordering::Relaxed);
            also(exchange);
        };
        let thread = spawn_with(reader, options, also).unwrap();
        Watcher {
            place,
            hub,
            exchanges,
            thread,
        }
    }

    /// Waits until it has seen everything.
    pub(crate) fn end(self) -> Seen {
        self.thread.join().expect("an observer does not panic");
        let (standing, _) = self.hub.standing();
        let verdicts = fs::read_to_string(run(&self.place).join("verdicts.jsonl")).unwrap_or_default();
        Seen {
            exchanges: self.exchanges.load(Ordering::Relaxed),
            verdicts: standing.verdicts.iter().sum::<u64>() as usize,
            written: verdicts.lines().count(),
        }
    }
}

fn run(place: &TempDir) -> PathBuf {
    place.path().join("run")
}
