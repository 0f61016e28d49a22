//! The runs and conversations below a panel's directory, each in its own directory, and the views that browsers watch.

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
use crate::hub::{Hub, NewestRun, RunFacts, Snapshot};
use crate::lock::lock;
use crate::turn_news::{TurnNews, TurnNewsQueue};

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
const OPEN: usize = 64;

/// How many of the newest connections to remember.
const CONNECTIONS: usize = 1000;

/// How many characters of a run's name to use in the name of its directory.
const NAME: usize = 40;

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

/// A request that is not answered yet.
#[derive(Clone)]
struct OpenRequest {
    /// The number of its exchange.
    exchange: u64,
    /// The run that shows it; `None` if the panel shows it.
    run: Option<String>,
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

    /// Shows that a request on this connection is being sent to the model. It is not known yet which run the request
    /// belongs to. The run that last used the connection shows it or, if there is none, the panel.
    pub(crate) fn asked(&self, connection: u64, exchange: u64) {
        let run = lock(&self.connections).get(&connection).cloned();
        let run = run.filter(|run| lock(&self.open).contains_key(run));
        let hub = self.hub_of(run.as_deref());
        let request = OpenRequest {
            exchange,
            run: run.clone(),
        };
        // The lock is held until the change is visible, so that changes happen in the order of the requests.
        let mut asking = lock(&self.asking);
        if asking.len() >= CONNECTIONS && !asking.contains_key(&connection) {
            asking.pop_first();
        }
        // The client has the response to its previous request, although that is not recorded yet, or never will be.
        let previous = asking
            .insert(connection, request)
            .filter(|previous| previous.run != run);
        if let Some(previous) = previous {
            self.hub_of(previous.run.as_deref()).change(Snapshot::end_unnamed_wait);
        }
        // The panel assigns a turn number only once it knows which run the request belongs to.
        hub.change(|snapshot| snapshot.asked(None, 1));
    }

    /// Shows that the request of this exchange is over, in the place where it was shown. If the connection has a later
    /// request, shows that one instead.
    pub(crate) fn answered(&self, connection: u64, exchange: u64) {
        let mut asking = lock(&self.asking);
        let Some(request) = asking.get(&connection).cloned() else {
            return;
        };
        let is_over = request.exchange <= exchange;
        if is_over {
            asking.remove(&connection);
        }
        self.hub_of(request.run.as_deref()).change(|snapshot| {
            if is_over {
                snapshot.end_unnamed_wait();
            } else if snapshot.waiting.is_none() {
                // The verdict on the earlier request has ended the wait.
                snapshot.asked(None, 1);
            }
        });
    }

    /// Returns the hub of this run or, if the run is not open or is `None`, of the panel.
    fn hub_of(&self, run: Option<&str>) -> Hub {
        let open = lock(&self.open);
        let view = run.and_then(|run| open.get(run));
        view.map_or(&self.hub, |view| &view.hub).clone()
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

/// Combines an unused number with those characters of the run's name that are safe in a file name.
fn name_of(number: u64, run: Option<&str>) -> String {
    let harmless = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let run: String = run.unwrap_or_default().chars().filter(harmless).take(NAME).collect();
    if run.is_empty() {
        format!("{number:04}")
    } else {
        format!("{number:04}-{run}")
    }
}

fn is_name(name: &str) -> bool {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    number(name).is_some() && name.len() <= NAME + 21 && name.bytes().all(harmless)
}

fn number(name: &str) -> Option<u64> {
    let digits = name.split('-').next()?;
    let only_digits = digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    only_digits.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::path::Path;

    use super::*;
    use crate::verdict::VerdictKind;

    proptest! {
        #[test]
        fn no_run_name_escapes_its_directory(number in 1..100_000_u64, run in any::<String>()) {
            let name = name_of(number, Some(&run));
            prop_assert!(is_name(&name), "{name}");
            prop_assert_eq!(Path::new(&name).components().count(), 1);
            prop_assert!(!is_name(&run) || Path::new(&run).components().count() == 1);
        }
    }

    #[test]
    fn nobody_waits_while_a_run_is_read_and_all_share_one_view() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let runs = Runs::below(&home, Hub::default(), Secret::default());
        let name = runs.make(&home, None).unwrap();
        std::fs::write(directory.path().join(FOLDER).join(&name).join("state.json"), "{}").unwrap();
        runs.recorded(&name, 7);
        let mut earlier = None;
        let view = runs.view_or(&name, || {
            assert!(runs.open.try_lock().is_ok(), "the relay would have to wait");
            earlier = runs.view(&name);
            runs.read_view(&name)
        });
        let (earlier, view) = (earlier.unwrap(), view.unwrap());
        assert!(Arc::ptr_eq(&earlier.history, &view.history));
        runs.asked(7, 1);
        assert!(view.hub.look(|snapshot| snapshot.waiting.is_some()));
    }

    #[test]
    fn a_wait_ends_only_where_it_is_shown() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let panel = Hub::default();
        let runs = Runs::below(&home, panel.clone(), Secret::default());
        let begin = |connection| {
            let name = runs.make(&home, None).unwrap();
            std::fs::write(directory.path().join(FOLDER).join(&name).join("state.json"), "{}").unwrap();
            runs.recorded(&name, connection);
            let hub = runs.view(&name).unwrap().hub;
            (name, hub)
        };
        let ((_, slow), (name, quick)) = (begin(1), begin(2));
        let over = |connection| {
            runs.recorded(&name, connection);
            runs.answered(connection, connection);
        };
        let waits = |hub: &Hub| hub.look(|snapshot| snapshot.waiting.is_some());
        // Nobody knows yet who uses connection 9.
        for connection in [1, 2, 9] {
            runs.asked(connection, connection);
        }
        over(2);
        assert_eq!((waits(&slow), waits(&quick), waits(&panel)), (true, false, true));
        over(9);
        assert_eq!((waits(&slow), waits(&quick), waits(&panel)), (true, false, false));
        // The request was shown as one of the slow run, but belongs to the quick one.
        over(1);
        assert_eq!((waits(&slow), waits(&quick), waits(&panel)), (false, false, false));
    }

    #[test]
    fn a_wait_is_not_ended_by_the_answer_to_an_earlier_request() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let panel = Hub::default();
        let runs = Runs::below(&home, panel.clone(), Secret::default());
        // A program is quick: each of its requests arrives before the exchange before it has been recorded.
        runs.asked(7, 1);
        let name = runs.make(&home, None).unwrap();
        std::fs::write(directory.path().join(FOLDER).join(&name).join("state.json"), "{}").unwrap();
        runs.recorded(&name, 7);
        let hub = runs.view(&name).unwrap().hub;
        let waits = || [&panel, &hub].map(|hub| hub.look(|snapshot| snapshot.waiting.is_some()));
        runs.asked(7, 2);
        assert_eq!(waits(), [false, true], "the run is known now");
        runs.answered(7, 1);
        assert_eq!(waits(), [false, true]);
        runs.asked(7, 3);
        hub.change(|snapshot| snapshot.judged(Some(2), VerdictKind::First));
        runs.answered(7, 2);
        assert_eq!(waits(), [false, true]);
        // The copy of exchange 3 is lost.
        runs.asked(7, 4);
        runs.answered(7, 4);
        assert_eq!(waits(), [false, false]);
    }

    #[test]
    fn only_the_panels_own_directories_are_listed() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let runs = || Runs::below(&home, Hub::default(), Secret::default());
        let making = runs();
        let first = making.make(&home, Some("../../run")).unwrap();
        let second = making.make(&home, None).unwrap();
        assert_eq!((first.as_str(), second.as_str()), ("0001-run", "0002"));
        std::fs::create_dir_all(directory.path().join("runs/other")).unwrap();
        std::fs::write(directory.path().join("runs/0003"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", directory.path().join("runs/0004")).unwrap();
        assert_eq!((runs().count(), runs().newest()), (2, Some("0002".to_owned())));
        for name in [
            "",
            ".",
            "..",
            "other",
            "0003",
            "0004",
            "0001-run/..",
            "../runs/0001-run",
            "0005",
        ] {
            assert!(
                runs().directory(name).is_none() && runs().view(name).is_none(),
                "{name}"
            );
        }
        // Directories that already exist are skipped, so nothing is overwritten.
        assert_eq!(
            making.make(&home, None).unwrap(),
            if cfg!(unix) { "0005" } else { "0004" }
        );
    }
}
