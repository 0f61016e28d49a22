//! The runs of other FRANZ processes on this machine, which a standing panel shows on its page.
//!
//! Such a run has a panel of its own, with relay, verifier and dashboard. It registers with the standing panel, and
//! reports its state for as long as it stays registered. The standing panel passes the page's requests on to the run's
//! dashboard. If the standing panel ends, the runs therefore continue, watched by their own panels. Once a run has
//! ended, the standing panel shows its record.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use franz_home::View;
use franz_record::resume::check_is_run;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::hub::{Doing, Hub, OtherRuns, RunFacts};
use crate::lock::lock;
use crate::runs::{OPEN, RunView};

/// How many runs that have ended to keep on the list.
const ENDED: usize = 200;

/// How many characters of a run's name to use in its address.
const NAME: usize = 60;

/// How many characters of a version of FRANZ to repeat, and how many refused versions to remember.
const VERSION: usize = 40;
const REFUSED: usize = 100;

/// The version of the protocol between a run and a standing panel: [`Registration`], [`RunStatus`] and the lines that
/// the panel sends back, and the requests that the panel's page makes to the run's dashboard. Only equal versions work
/// together, whatever the versions of FRANZ.
///
/// Raise it when an older run or panel would misunderstand a newer one: a member or an address is removed, renamed or
/// means something else, or a new one cannot be done without. Leave it if the older side can ignore what is new.
pub const PROTOCOL: u32 = 2;

/// The part of a registration that every version of the protocol has. It is read first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct ProtocolOffer {
    /// The version of the protocol; 0 in programs that did not number it.
    #[serde(default)]
    pub(crate) protocol: u32,
    /// The version of FRANZ.
    #[serde(default)]
    pub(crate) version: String,
}

/// What a run reports when it registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The version of the protocol that the run speaks.
    pub protocol: u32,
    /// The version of FRANZ.
    pub version: String,
    /// The run's name.
    pub name: String,
    /// The run's directory.
    pub directory: PathBuf,
    /// The address of the run's own dashboard, which must be on this machine.
    pub dashboard: SocketAddr,
    /// The token of that dashboard.
    pub token: String,
    /// A code that admits one browser to the standing panel's page; `None` if no browser is to be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The run's state.
    pub status: RunStatus,
}

/// The state of a run, as the list shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStatus {
    /// What the agent is doing.
    pub state: Doing,
    /// More details in words; empty if there are none.
    pub detail: String,
    /// Whether the run waits for the person.
    pub waits: bool,
    /// The newest turn; 0 before the first one.
    pub turn: u64,
    /// The beginning of the goal.
    pub goal: String,
    /// The profile's name.
    pub profile: String,
    /// The requested model.
    pub model: String,
    /// The newest turn whose story was changed on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<u64>,
    /// The newest turn to which the model server did not reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<TurnTrouble>,
}

/// A turn to which the model server did not reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTrouble {
    /// The turn.
    pub turn: u64,
    /// Why there was no reply.
    pub error: String,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedRun {
    /// The name in the run's address on this page.
    pub name: String,
    /// Whether the run is registered now.
    pub live: bool,
    /// When the run registered for the first time, in milliseconds since 1970.
    pub since: i64,
    /// The run's state, or the last one known.
    #[serde(flatten)]
    pub status: RunStatus,
    /// Why the run's record cannot be shown; `None` if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A run that ended before the panel started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierRun {
    /// The run's name.
    pub name: String,
    /// The run's directory.
    pub directory: PathBuf,
    /// When the run was last active, in milliseconds since 1970.
    pub since: i64,
    /// The run's last state.
    pub status: RunStatus,
    /// Why the run's record cannot be shown; `None` if it can.
    pub problem: Option<String>,
}

/// How to reach the dashboard of a registered run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunDashboard {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

/// All runs that have registered since the panel started, and earlier ones.
pub struct RegisteredRuns {
    hub: Hub,
    runs: Mutex<BTreeMap<String, RegisteredRun>>,
    /// The versions of FRANZ that speak another protocol and have been refused, so that the person is told once.
    refused: Mutex<BTreeSet<String>>,
}

struct RegisteredRun {
    registration: Registration,
    /// Which registration this is. It distinguishes a run that registered again from its earlier connection, whose end
    /// might be noticed later.
    number: u64,
    live: bool,
    since: i64,
    /// Why the record cannot be shown; `None` if it can.
    problem: Option<String>,
    /// The view of the record, if somebody has looked at the run after its end.
    view: Option<RunView>,
}

impl RegisteredRuns {
    /// Creates an empty list. `hub` is the panel's, which tells pages when the list changes.
    pub fn new(hub: Hub) -> RegisteredRuns {
        RegisteredRuns {
            hub,
            runs: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// Returns the runs: first those that wait for the person, then the other live ones, then the newest that have
    /// ended.
    pub fn list(&self) -> Vec<ListedRun> {
        let listed = |(name, run): (&String, &RegisteredRun)| ListedRun {
            name: name.clone(),
            live: run.live,
            since: run.since,
            status: run.registration.status.clone(),
            problem: run.problem.clone(),
        };
        let mut list: Vec<ListedRun> = lock(&self.runs).iter().map(listed).collect();
        list.sort_by_key(|run| (!run.status.waits, !run.live, std::cmp::Reverse(run.since)));
        list
    }

    /// Fails if a run speaks another protocol than this panel. The page says so once for each version of FRANZ.
    pub(crate) fn check(&self, offer: &ProtocolOffer) -> Result<(), String> {
        if offer.protocol == PROTOCOL {
            return Ok(());
        }
        let ours = env!("CARGO_PKG_VERSION");
        let theirs: String = offer.version.chars().take(VERSION).collect();
        let remedy = if offer.protocol > PROTOCOL {
            format!("restart the panel with FRANZ {theirs}")
        } else {
            format!("start the run with FRANZ {ours}")
        };
        let mut refused = lock(&self.refused);
        // Only so many, since anything can be sent as a version.
        if refused.len() < REFUSED && refused.insert(theirs.clone()) {
            let told = format!("refused a run of FRANZ {theirs}: this panel is FRANZ {ours}; {remedy}");
            self.hub.change(|snapshot| snapshot.notice(told));
        }
        Err(format!("it is FRANZ {ours} and the run FRANZ {theirs}; {remedy}"))
    }

    /// Adds a run, or the same run again after its connection was lost. Returns the name in its address and the number
    /// of this registration. Reads the disk.
    pub(crate) fn register(&self, mut registration: Registration) -> Result<(String, u64), String> {
        if !registration.dashboard.ip().is_loopback() {
            return Err("the run's dashboard must be on this machine".to_owned());
        }
        registration.directory = canonical(registration.directory);
        let mut runs = lock(&self.runs);
        let name = free_name(&runs, &registration);
        let number = runs.values().map(|run| run.number).max().unwrap_or_default() + 1;
        let since = runs
            .get(&name)
            .map_or_else(|| Timestamp::now().as_millisecond(), |run| run.since);
        let run = RegisteredRun {
            registration,
            number,
            live: true,
            since,
            problem: None,
            view: None,
        };
        runs.insert(name.clone(), run);
        forget(&mut runs);
        drop(runs);
        self.tell();
        Ok((name, number))
    }

    /// Adds runs that ended before the panel started. Those that have registered in the meantime stay as they are.
    /// Returns the names in the addresses of all of them. Reads the disk.
    pub fn recall(&self, earlier: Vec<EarlierRun>) -> Vec<String> {
        // This reads the disk, and those who answer requests need the lock.
        let earlier: Vec<RegisteredRun> = earlier.into_iter().map(RegisteredRun::earlier).collect();
        let mut runs = lock(&self.runs);
        let mut names = Vec::new();
        for run in earlier {
            let name = free_name(&runs, &run.registration);
            names.push(name.clone());
            runs.entry(name).or_insert(run);
        }
        forget(&mut runs);
        drop(runs);
        self.tell();
        names
    }

    /// Updates the state of a registered run. Returns whether the run is still registered.
    pub(crate) fn report(&self, name: &str, status: RunStatus) -> bool {
        let mut runs = lock(&self.runs);
        let Some(run) = runs.get_mut(name).filter(|run| run.live) else {
            return false;
        };
        run.registration.status = status;
        drop(runs);
        self.tell();
        true
    }

    /// Notes that the run with this name has left, unless it has registered again in the meantime.
    pub(crate) fn leave(&self, name: &str, number: u64) {
        if let Some(run) = lock(&self.runs).get_mut(name).filter(|run| run.number == number) {
            run.live = false;
            let status = &mut run.registration.status;
            status.waits = false;
            if status.state != Doing::Stopped {
                status.state = Doing::Stopped;
                "its process is gone".clone_into(&mut status.detail);
            }
        }
        self.tell();
    }

    /// Returns how to reach the dashboard of a run that is registered now.
    pub(crate) fn dashboard(&self, name: &str) -> Option<RunDashboard> {
        let runs = lock(&self.runs);
        let run = runs.get(name).filter(|run| run.live)?;
        Some(RunDashboard {
            address: run.registration.dashboard,
            token: run.registration.token.clone(),
        })
    }

    /// Opens the record of a run that has ended.
    pub(crate) fn view(&self, name: &str) -> Option<RunView> {
        let ended = |run: &RegisteredRun| (!run.live).then(|| (run.registration.clone(), run.view.clone()));
        let (registration, view) = lock(&self.runs).get(name).and_then(ended)?;
        if view.is_some() {
            return view;
        }
        // Nobody else has to wait while a long record is read.
        let view = open(&registration)?;
        let mut runs = lock(&self.runs);
        // Pages of many runs take turns at listening, so keep the views of those that are about to be back.
        if runs.values().filter(|run| run.view.is_some()).count() >= OPEN {
            for other in runs.values_mut() {
                other.view.take_if(|view| view.hub.is_unused());
            }
        }
        if let Some(run) = runs.get_mut(name).filter(|run| !run.live) {
            run.view = Some(view.clone());
        }
        Some(view)
    }

    /// Returns the names of the runs that are registered now.
    pub fn live(&self) -> Vec<String> {
        let runs = lock(&self.runs);
        let live = runs.iter().filter(|(_, run)| run.live);
        live.map(|(name, _)| name.clone()).collect()
    }

    /// Tells the panel's pages that the list has changed.
    fn tell(&self) {
        let runs = lock(&self.runs);
        let live = runs.values().filter(|run| run.live);
        let waiting = live.clone().filter(|run| run.registration.status.waits);
        let (live, waiting) = (live.count() as u64, waiting.count() as u64);
        drop(runs);
        self.hub.change(|snapshot| {
            let change = snapshot.others.change + 1;
            snapshot.others = OtherRuns { live, waiting, change };
        });
    }
}

impl RegisteredRun {
    /// Returns the entry of a run that ended before the panel started.
    fn earlier(run: EarlierRun) -> RegisteredRun {
        RegisteredRun {
            registration: Registration {
                protocol: PROTOCOL,
                version: String::new(),
                name: run.name,
                directory: canonical(run.directory),
                // Nobody connects to the dashboard of a run that is not live.
                dashboard: SocketAddr::from(([127, 0, 0, 1], 0)),
                token: String::new(),
                code: None,
                status: run.status,
            },
            number: 0,
            live: false,
            since: run.since,
            problem: run.problem,
            view: None,
        }
    }
}

/// Returns the one path by which a run's directory is known, if it exists.
fn canonical(directory: PathBuf) -> PathBuf {
    directory.canonicalize().unwrap_or(directory)
}

/// Opens the record of a run for viewing.
fn open(registration: &Registration) -> Option<RunView> {
    let directory = View::open(&registration.directory).ok()?;
    check_is_run(&directory).ok()?;
    let history = Arc::new(History::of(&directory).ok()?);
    let hub = Hub::default();
    let status = &registration.status;
    let facts = RunFacts {
        name: registration.name.clone(),
        profile: status.profile.clone(),
        model: status.model.clone(),
        ..RunFacts::default()
    };
    hub.change(|snapshot| {
        snapshot.begin(facts);
        snapshot.set_agent(status.state, status.detail.clone());
    });
    hub.read(&history);
    Some(RunView::new(hub, history))
}

/// Returns the name of the run's earlier registration, or else one that no other run has: the harmless characters of its
/// own name, and a number if necessary. It never looks like the name of a conversation, which begins with digits.
fn free_name(runs: &BTreeMap<String, RegisteredRun>, registration: &Registration) -> String {
    let same = |run: &RegisteredRun| run.registration.directory == registration.directory;
    if let Some((name, _)) = runs.iter().find(|(_, run)| same(run)) {
        return name.clone();
    }
    let harmless = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let plain: String = registration.name.chars().filter(harmless).take(NAME).collect();
    let plain = match plain.chars().next() {
        Some(first) if !first.is_ascii_digit() => plain,
        _ => format!("run-{plain}"),
    };
    let numbered = (2..).map(|number: u64| format!("{plain}-{number}"));
    let mut names = std::iter::once(plain.clone()).chain(numbered);
    names.find(|name| !runs.contains_key(name)).unwrap_or(plain)
}

/// Removes the oldest runs that have ended, if there are too many.
fn forget(runs: &mut BTreeMap<String, RegisteredRun>) {
    while runs.values().filter(|run| !run.live).count() > ENDED {
        let ended = runs.iter().filter(|(_, run)| !run.live);
        let Some(oldest) = ended.min_by_key(|(_, run)| run.since).map(|(name, _)| name.clone()) else {
            return;
        };
        runs.remove(&oldest);
    }
}

#[cfg(test)]
mod tests;
