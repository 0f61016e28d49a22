//! Tells every browser what is happening. A browser that connects gets a snapshot, and after that the changes. A slow
//! browser misses some changes and is told so.

mod listener;
mod parts;
mod patch;
mod ring;
mod snapshot;
mod truncate;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};

use franz_record::{PersonQuestion, TurnLine};
use jiff::Timestamp;
use tokio::sync::watch;

pub use listener::{HubEvent, Subscription};
pub use parts::{
    Acting, AgentState, Doing, FinalAnswer, FreshTurn, NewestRun, Notice, Notices, OtherRuns, RunFacts, ServerState,
    VerdictCounts, Waiting,
};
pub use snapshot::Snapshot;

use crate::growing_reply::GrowingReply;
use crate::history::History;
use crate::live::LivePictures;
use crate::lock::lock;
use crate::person_replies::PersonReplies;
use franz_secret::Secret;
use ring::EventRing;

/// Keeps the snapshot and distributes its changes. Clones share its state. It never waits for a listener.
#[derive(Clone, Default)]
pub struct Hub {
    shared: Arc<Shared>,
}

struct Shared {
    /// Distinguishes this process's events from those of earlier processes.
    stamp: String,
    known: Mutex<Known>,
    /// Locked while the record is being read, so that the newest result is used.
    reading: Mutex<()>,
    /// The number of the newest event.
    newest: watch::Sender<u64>,
    secret: OnceLock<Secret>,
    live: LivePictures,
    growing_reply: GrowingReply,
    person_replies: Arc<PersonReplies>,
}

#[derive(Default)]
struct Known {
    ring: EventRing,
    snapshot: Snapshot,
    /// Hubs that repeat everything that this hub knows about the panel.
    followers: Vec<Weak<Shared>>,
}

impl Hub {
    /// The maximum size of an event in bytes.
    pub const EVENT_BYTES: usize = 2048;

    /// Changes the snapshot, and sends all listeners the parts that have changed. `change` must be fast, because others
    /// are waiting for it.
    pub fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        let mut known = self.known();
        let before = known.snapshot.clone();
        change(&mut known.snapshot);
        known.snapshot.settle();
        truncate::shorten(&before, &mut known.snapshot, self.shared.secret.get());
        let events = patch::events(&before, &known.snapshot);
        if events.is_empty() {
            return;
        }
        for event in events {
            known.ring.push(event.into());
        }
        // Do this while the lock is held, so that the numbers are announced in order.
        self.shared.newest.send_replace(known.ring.newest());
        known.pass_on();
    }

    /// Brings the snapshot up to date with the record.
    pub fn read(&self, history: &History) {
        let _reading = lock(&self.shared.reading);
        let record = history.overview();
        let is_known = self.known().snapshot.is_last(record.turns.last);
        let last = if is_known { None } else { history.last_line() };
        self.change(|snapshot| snapshot.read(record, last.as_ref()));
    }

    /// Starts repeating what `panel` knows about all runs: the state of the agent and the server, the list of runs, and
    /// notices.
    pub(crate) fn follow(&self, panel: &Hub) {
        let mut panel = panel.known();
        self.change(|snapshot| snapshot.follow(&panel.snapshot));
        panel.followers.push(Arc::downgrade(&self.shared));
    }

    /// Returns whether nobody else uses this hub to change it or to listen.
    pub(crate) fn is_unused(&self) -> bool {
        Arc::strong_count(&self.shared) == 1
    }

    /// Removes the secret from everything sent from now on.
    pub fn hide(&self, secret: Secret) {
        // If this is called more than once, the first secret stays, because a process has only one key.
        let _ = self.shared.secret.set(secret);
    }

    /// Returns the current state and the ID of the event that led to it; `None` before the first event.
    pub fn snapshot(&self) -> (Snapshot, Option<String>) {
        let known = self.known();
        let newest = known.ring.newest();
        (known.snapshot.clone(), (newest > 0).then(|| self.id(newest)))
    }

    /// Returns a part of the current state. `look` must be fast, because others are waiting for the state.
    pub fn look<T>(&self, look: impl FnOnce(&Snapshot) -> T) -> T {
        look(&self.known().snapshot)
    }

    /// Returns everything known about the turn in progress.
    pub fn pending(&self) -> Option<Arc<TurnLine>> {
        self.look(|snapshot| snapshot.pending.clone())
    }

    /// Returns the question that is waiting for the person.
    pub fn question(&self) -> Option<PersonQuestion> {
        self.look(|snapshot| snapshot.question.clone())
    }

    /// Returns the pictures of a screen that a person has taken over.
    pub fn live(&self) -> &LivePictures {
        &self.shared.live
    }

    /// Returns the reply that the model is currently writing.
    pub fn growing_reply(&self) -> &GrowingReply {
        &self.shared.growing_reply
    }

    /// Returns the replies that a person wrote in place of the model.
    pub fn person_replies(&self) -> Arc<PersonReplies> {
        Arc::clone(&self.shared.person_replies)
    }

    /// Listens to the events after `after` or, if it is `None`, to all future events.
    pub fn listen(&self, after: Option<&str>) -> Subscription {
        let changed = self.shared.newest.subscribe();
        let newest = self.known().ring.newest();
        match after {
            None => Subscription::new(self.clone(), changed, newest, false),
            Some(id) => match self.number(id).filter(|&number| number <= newest) {
                Some(number) => Subscription::new(self.clone(), changed, number, false),
                None => Subscription::new(self.clone(), changed, newest, true),
            },
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.shared.known)
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.shared.stamp)
    }

    /// Returns an event's number, if the event is from this process. `0` stands for the state before the first event,
    /// which [`Hub::snapshot`] returns.
    fn number(&self, id: &str) -> Option<u64> {
        if id == "0" {
            return Some(0);
        }
        let (stamp, number) = id.rsplit_once('-')?;
        (stamp == self.shared.stamp).then(|| number.parse().ok()).flatten()
    }
}

impl Known {
    /// Makes the followers repeat the snapshot.
    fn pass_on(&mut self) {
        self.followers.retain(|follower| follower.strong_count() > 0);
        for shared in self.followers.iter().filter_map(Weak::upgrade) {
            Hub { shared }.change(|snapshot| snapshot.follow(&self.snapshot));
        }
    }
}

impl Default for Shared {
    fn default() -> Self {
        Shared {
            stamp: format!("{:x}", Timestamp::now().as_microsecond()),
            known: Mutex::default(),
            reading: Mutex::default(),
            newest: watch::Sender::new(0),
            secret: OnceLock::new(),
            live: LivePictures::default(),
            growing_reply: GrowingReply::default(),
            person_replies: Arc::default(),
        }
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hub")
    }
}
