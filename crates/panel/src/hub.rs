//! Tells every browser what happens. A late one gets a snapshot, then changes; a slow one misses some and is told so.

mod listener;
mod ring;
mod snapshot;
mod truncate;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use franz_record::TurnLine;
use jiff::Timestamp;
use tokio::sync::watch;

pub use listener::{HubEvent, Subscription};
pub use snapshot::{Acting, ServerState, Snapshot, Waiting};
pub(crate) use truncate::cut;

use crate::update::{Summary, Update};
use franz_secret::Secret;
use ring::EventRing;

/// Distributes updates. Clones share its state; sending never waits for a listener.
#[derive(Clone, Default)]
pub struct Hub {
    shared: Arc<Shared>,
}

struct Shared {
    /// Distinguishes the events of this process from those of an earlier one.
    stamp: String,
    known: Mutex<Known>,
    /// The number of the newest event.
    newest: watch::Sender<u64>,
    secret: OnceLock<Secret>,
    /// Hubs that repeat what this one reports about the panel.
    followers: Mutex<Vec<Weak<Shared>>>,
}

#[derive(Default)]
struct Known {
    ring: EventRing,
    snapshot: Snapshot,
}

impl Hub {
    /// Sends an update to everybody.
    pub fn tell(&self, update: Update) {
        self.take(update, None);
    }

    /// Announces the turn under way, and keeps it until that turn or its agent is over.
    pub fn show(&self, line: TurnLine) {
        self.take(Update::Shown(Box::new(Summary::of(&line, None))), Some(line));
    }

    /// Starts repeating what `panel` reports about all runs: the state of the agent and the server, and which runs
    /// exist.
    pub(crate) fn follow(&self, panel: &Hub) {
        let (snapshot, _) = panel.snapshot();
        self.tell(Update::Agent(snapshot.agent));
        if !snapshot.upstream.up {
            let ServerState { up, detail } = snapshot.upstream;
            self.tell(Update::Upstream { up, detail });
        }
        panel.followers().push(Arc::downgrade(&self.shared));
    }

    /// Returns whether nobody else uses this hub, to send or to listen.
    pub(crate) fn is_unused(&self) -> bool {
        Arc::strong_count(&self.shared) == 1
    }

    fn followers(&self) -> MutexGuard<'_, Vec<Weak<Shared>>> {
        self.shared.followers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes updates on to followers that concern more than one run.
    fn pass_on(&self, update: &Update) {
        if !matches!(
            update,
            Update::Agent(_) | Update::Upstream { .. } | Update::Runs { .. } | Update::Notice { .. }
        ) {
            return;
        }
        let mut followers = self.followers();
        followers.retain(|follower| follower.strong_count() > 0);
        for shared in followers.iter().filter_map(Weak::upgrade) {
            Hub { shared }.tell(update.clone());
        }
    }

    fn take(&self, mut update: Update, pending: Option<TurnLine>) {
        self.pass_on(&update);
        truncate::shorten(&mut update, self.shared.secret.get());
        let Ok(json) = serde_json::to_string(&update) else {
            return;
        };
        let mut known = self.known();
        if known.snapshot.knows(&update) {
            return;
        }
        known.snapshot.take(&update);
        if let Some(line) = pending {
            known.snapshot.pending = Some(Arc::new(line));
        }
        let number = known.ring.push(json.into());
        // Still under the lock, so that numbers are announced in order.
        self.shared.newest.send_replace(number);
    }

    /// Removes the secret from everything sent from now on.
    pub fn hide(&self, secret: Secret) {
        // The first caller wins: there is one key in a process.
        let _ = self.shared.secret.set(secret);
    }

    /// Returns the current state, and the id of the event that led to it; `None` before the first.
    pub fn snapshot(&self) -> (Snapshot, Option<String>) {
        let known = self.known();
        let newest = known.ring.newest();
        (known.snapshot.clone(), (newest > 0).then(|| self.id(newest)))
    }

    /// Returns the turn under way, as far as it is known.
    pub fn pending(&self) -> Option<Arc<TurnLine>> {
        self.known().snapshot.pending.clone()
    }

    /// Listens from the event `after` on, or from now on.
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
        self.shared.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.shared.stamp)
    }

    /// Returns the number of an event of this process. `0` stands for the state that [`Hub::snapshot`] returns before
    /// the first event.
    fn number(&self, id: &str) -> Option<u64> {
        if id == "0" {
            return Some(0);
        }
        let (stamp, number) = id.rsplit_once('-')?;
        (stamp == self.shared.stamp).then(|| number.parse().ok()).flatten()
    }
}

impl Default for Shared {
    fn default() -> Self {
        Shared {
            stamp: format!("{:x}", Timestamp::now().as_microsecond()),
            known: Mutex::default(),
            newest: watch::Sender::new(0),
            secret: OnceLock::new(),
            followers: Mutex::default(),
        }
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hub")
    }
}
