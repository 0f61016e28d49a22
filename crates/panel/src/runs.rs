//! The runs and conversations below a panel's directory, each in its own directory, and the views that browsers watch.

mod directory_name;
mod open_request;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use franz_home::claim::ClaimError;
use franz_home::{DiskError, EntryKind, Home, View};
use franz_record::resume::check_is_run;
use franz_secret::Secret;
use serde::{Deserialize, Serialize};

use crate::conversations::KnownConversation;
use crate::history::History;
use crate::hub::{Hub, NewestRun, RunFacts};
use crate::lock::lock;
use crate::turn_news::{TurnNews, TurnNewsQueue};
use directory_name::{is_name, name_of, number};
use open_request::OpenRequest;

/// The directory below the panel's directory that contains the runs.
const FOLDER: &str = "runs";

/// The file in a conversation's directory that describes the conversation.
const FILE: &str = "conversation.json";

/// The maximum size of that file, which contains a few hashes and short strings.
const MOST_BYTES: u64 = 64 << 10;

/// The format version that is written and read.
const VERSION: u32 = 1;

/// The maximum number of directories. Once it is reached, further runs and conversations all use the last one.
pub(crate) const MOST: usize = 10_000;

/// How many of the newest runs to list.
const LISTED: usize = 1000;

/// How many histories to keep open.
pub(crate) const OPEN: usize = 64;

/// How many of the newest connections to remember.
const CONNECTIONS: usize = 1000;

/// All runs and conversations. Clones of the [`Arc`] share them.
pub struct Runs {
    panel: View,
    /// The directory that contains them, once it has been claimed for writing.
    folder: OnceLock<Home>,
    hub: Hub,
    secret: Secret,
    open: Mutex<BTreeMap<String, RunView>>,
    newest: Mutex<Option<String>>,
    /// The run that last used each connection.
    connections: Mutex<BTreeMap<u64, String>>,
    /// The last request on each connection, until it is answered.
    asking: Mutex<BTreeMap<u64, OpenRequest>>,
    count: AtomicU64,
    turns: AtomicU64,
    news: TurnNewsQueue,
}

/// One run, for viewing.
#[derive(Debug, Clone)]
pub struct RunView {
    /// Live updates.
    pub hub: Hub,
    /// The recorded turns and verdicts.
    pub history: Arc<History>,
    used: u64,
}

/// What a list shows about a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The name of its directory.
    #[serde(default)]
    pub name: String,
    /// The run that its requests name; `None` for another agent's conversation.
    #[serde(default)]
    pub run: Option<String>,
    /// The beginning of the text of its first request.
    #[serde(default)]
    pub title: String,
    /// The number of its turns.
    #[serde(default)]
    pub turns: u64,
    /// When it began, RFC 3339.
    #[serde(default)]
    pub started: String,
    /// When its last request began.
    #[serde(default)]
    pub last: String,
}

/// The contents of a run's or conversation's file.
#[derive(Serialize, Deserialize)]
struct Kept {
    v: u32,
    about: About,
    conversation: KnownConversation,
}

impl Runs {
    /// Finds the runs below the panel's `directory`. Whatever `hub` reports about the panel is also shown to those who
    /// watch a single run.
    pub fn below(directory: &View, hub: Hub, secret: Secret) -> Runs {
        let runs = Runs {
            panel: directory.clone(),
            folder: OnceLock::new(),
            hub,
            secret,
            open: Mutex::default(),
            newest: Mutex::default(),
            connections: Mutex::default(),
            asking: Mutex::default(),
            count: AtomicU64::new(0),
            turns: AtomicU64::new(0),
            news: TurnNewsQueue::default(),
        };
        let names = runs.names();
        runs.count.store(names.len() as u64, Ordering::Relaxed);
        *lock(&runs.newest) = names.last().cloned();
        runs
    }

    /// Returns the number of runs.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Returns how many turns have been recorded since this panel started.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// Returns the name of the run that most recently recorded a turn; `None` before the first turn.
    pub fn newest(&self) -> Option<String> {
        lock(&self.newest).clone()
    }

    /// Opens the run with this name, if it exists.
    pub fn view(&self, name: &str) -> Option<RunView> {
        self.view_or(name, || self.read_view(name))
    }

    /// Returns the open view of the run with this name, or else the one that `read` opens.
    fn view_or(&self, name: &str, read: impl FnOnce() -> Option<RunView>) -> Option<RunView> {
        if let Some(view) = used(&mut lock(&self.open), name) {
            return Some(view);
        }
        // Nobody else has to wait while a long record is read, least of all the relay.
        let view = read()?;
        let mut open = lock(&self.open);
        if !open.contains_key(name) {
            make_room(&mut open);
            open.insert(name.to_owned(), view);
        }
        used(&mut open, name)
    }

    fn read_view(&self, name: &str) -> Option<RunView> {
        let directory = self.directory(name)?;
        check_is_run(&directory).ok()?;
        let history = Arc::new(History::of(&directory).ok()?);
        let hub = Hub::default();
        hub.hide(self.secret.clone());
        hub.follow(&self.hub);
        let panel = self.hub.look(|snapshot| snapshot.run.clone()).unwrap_or_default();
        let facts = RunFacts {
            name: self
                .read(name)
                .and_then(|kept| kept.about.run)
                .unwrap_or_else(|| name.to_owned()),
            relay: String::new(),
            ..panel
        };
        hub.change(|snapshot| snapshot.begin(facts));
        Some(RunView::new(hub, history))
    }

    /// Returns the newest runs, newest first.
    pub fn list(&self) -> Vec<About> {
        let names = self.names();
        let newest = names.into_iter().rev().take(LISTED);
        let about = newest.map(|name| self.read(&name).map(|kept| kept.about).unwrap_or_default().named(name));
        about.collect()
    }

    /// Returns the conversations that earlier panels stored, in the order in which they began.
    pub(crate) fn kept(&self) -> Vec<(About, KnownConversation)> {
        let kept = self.names().into_iter().map(|name| {
            let kept = self.read(&name);
            let (about, conversation) = kept.map(|kept| (kept.about, kept.conversation)).unwrap_or_default();
            (about.named(name), conversation)
        });
        kept.collect()
    }

    /// Creates the next directory below the panel's directory, `home`. If the run has a name, that becomes part of the
    /// directory's name.
    pub(crate) fn make(&self, home: &Home, run: Option<&str>) -> Result<String, ClaimError> {
        let folder = self.folder(home)?;
        let mut number = self.names().last().and_then(|name| number(name)).unwrap_or_default();
        loop {
            number += 1;
            let name = name_of(number, run);
            match folder.create_directory(&name) {
                Ok(_) => {
                    self.count.fetch_add(1, Ordering::Relaxed);
                    return Ok(name);
                }
                Err(error) if error.already_exists() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Opens the directory with this name for writing.
    pub(crate) fn open(&self, home: &Home, name: &str) -> Result<Home, ClaimError> {
        self.folder(home)?.open_directory(name)
    }

    fn folder(&self, home: &Home) -> Result<Home, ClaimError> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder.clone());
        }
        let folder = match home.create_directory(FOLDER) {
            Err(error) if error.already_exists() => home.open_directory(FOLDER)?,
            made => made?,
        };
        Ok(self.folder.get_or_init(|| folder).clone())
    }

    /// Opens the directory with this name for reading, if the name is valid.
    fn directory(&self, name: &str) -> Option<View> {
        let known = is_name(name).then(|| self.panel.open_directory(FOLDER).ok())?;
        known?.open_directory(name).ok()
    }

    /// Saves the description of a run or conversation.
    pub(crate) fn keep(&self, home: &Home, about: &About, conversation: &KnownConversation) -> Result<(), DiskError> {
        let kept = Kept {
            v: VERSION,
            about: About {
                title: self.secret.text(&about.title).into_owned(),
                ..about.clone()
            },
            conversation: conversation.clone(),
        };
        let json =
            serde_json::to_vec(&kept).map_err(|error| DiskError::when("write", &home.path_of(FILE))(error.into()))?;
        home.replace(FILE, &json, false)
    }

    /// Returns the news since the last call, oldest first.
    pub fn take_news(&self) -> Vec<TurnNews> {
        self.news.take()
    }

    /// Queues a turn for [`Runs::take_news`]. Call [`Runs::recorded`] next, which wakes those who wait for changes.
    pub(crate) fn queue(&self, turn: TurnNews) {
        self.news.push(turn);
    }

    /// Notes that this run has recorded a turn, and is therefore the newest run.
    pub(crate) fn recorded(&self, name: &str, connection: u64) {
        let mut connections = lock(&self.connections);
        if connections.len() >= CONNECTIONS {
            connections.pop_first();
        }
        connections.insert(connection, name.to_owned());
        drop(connections);
        self.turns.fetch_add(1, Ordering::Relaxed);
        *lock(&self.newest) = Some(name.to_owned());
        let newest = NewestRun {
            name: name.to_owned(),
            turns: self.turns(),
        };
        self.hub.change(|snapshot| snapshot.recorded(self.count(), newest));
    }

    fn read(&self, name: &str) -> Option<Kept> {
        let bytes = self.directory(name)?.read(FILE, MOST_BYTES).ok()?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        (kept.v == VERSION).then_some(kept)
    }

    /// Returns the names of all directories, ordered by number.
    fn names(&self) -> Vec<String> {
        let Ok(folder) = self.panel.open_directory(FOLDER) else {
            return Vec::new();
        };
        let mut names = folder.names().unwrap_or_default();
        let is_directory = |name: &String| folder.entry(name).is_ok_and(|entry| entry.kind == EntryKind::Directory);
        names.retain(|name| is_name(name) && is_directory(name));
        names.sort_by_key(|name| (number(name), name.clone()));
        names
    }
}

impl RunView {
    /// Creates a view of a single run.
    pub(crate) fn new(hub: Hub, history: Arc<History>) -> RunView {
        RunView { hub, history, used: 0 }
    }
}

impl About {
    fn named(self, name: String) -> About {
        About { name, ..self }
    }
}

impl fmt::Debug for Runs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Runs")
            .field("panel", &self.panel.path())
            .finish_non_exhaustive()
    }
}

/// Returns the open view of the run with this name, which is now the most recently used one.
fn used(open: &mut BTreeMap<String, RunView>, name: &str) -> Option<RunView> {
    let used = open.values().map(|view| view.used).max().unwrap_or_default() + 1;
    let view = open.get_mut(name)?;
    view.used = used;
    Some(view.clone())
}

/// Closes the least recently used histories, except those that are in use.
fn make_room(open: &mut BTreeMap<String, RunView>) {
    while open.len() >= OPEN {
        let idle = open.iter().filter(|(_, view)| view.hub.is_unused());
        let Some(name) = idle.min_by_key(|(_, view)| view.used).map(|(name, _)| name.clone()) else {
            return;
        };
        open.remove(&name);
    }
}

#[cfg(test)]
mod tests;
