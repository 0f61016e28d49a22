//! The suites and plans whose code and models the person allows here, each identified by its digest.

use std::path::Path;

use franz_home::Home;
use franz_suite::SuiteDigest;
use serde::{Deserialize, Serialize};

use crate::state_folder::{self, StateError, unusable};

const MOST_BYTES: u64 = 64 << 10;

/// What is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustedKind {
    /// The files of a suite.
    Suite,
    /// A plan: a suite with the models that play it.
    Plan,
}

impl TrustedKind {
    const ALL: [TrustedKind; 2] = [TrustedKind::Suite, TrustedKind::Plan];

    /// Returns the folder in the state folder, with a file for each digest.
    fn folder(self) -> &'static str {
        match self {
            TrustedKind::Suite => "trusted-suites",
            TrustedKind::Plan => "trusted-plans",
        }
    }

    /// Returns the word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            TrustedKind::Suite => "suite",
            TrustedKind::Plan => "plan",
        }
    }
}

/// A suite or plan that the person trusts.
#[derive(Clone, Debug)]
pub(crate) struct TrustedDigest {
    pub(crate) kind: TrustedKind,
    pub(crate) digest: SuiteDigest,
    /// The name of the suite.
    pub(crate) name: String,
    /// Where it was when the person allowed or made it.
    pub(crate) place: String,
}

/// What its file holds.
#[derive(Default, Serialize, Deserialize)]
struct Entry {
    #[serde(default)]
    name: String,
    #[serde(default)]
    place: String,
}

/// Returns whether the person trusts the suite or plan with this digest.
pub(crate) fn has(kind: TrustedKind, digest: &SuiteDigest) -> bool {
    let folder = state_folder::look(kind.folder());
    folder.is_some_and(|folder| folder.read_own(digest.as_str(), MOST_BYTES).is_ok())
}

/// Remembers that the person trusts it.
pub(crate) fn remember(kind: TrustedKind, digest: &SuiteDigest, name: &str, place: &Path) -> Result<(), StateError> {
    let entry = Entry {
        name: name.to_owned(),
        place: place.display().to_string(),
    };
    let text = toml::to_string(&entry).map_err(unusable)?;
    let folder = state_folder::make(kind.folder())?;
    folder
        .replace(digest.as_str(), text.as_bytes(), false)
        .map_err(unusable)
}

/// Stops trusting it.
pub(crate) fn forget(trusted: &TrustedDigest) -> Result<(), StateError> {
    let Some(folder) = state_folder::look(trusted.kind.folder()) else {
        return Ok(());
    };
    folder.remove(trusted.digest.as_str()).map_err(unusable)
}

/// Returns everything that the person trusts, by kind and place.
pub(crate) fn list() -> Vec<TrustedDigest> {
    TrustedKind::ALL.into_iter().flat_map(of_kind).collect()
}

fn of_kind(kind: TrustedKind) -> Vec<TrustedDigest> {
    let Some(folder) = state_folder::look(kind.folder()) else {
        return Vec::new();
    };
    let names = folder.names().unwrap_or_default();
    let mut all: Vec<TrustedDigest> = names.iter().filter_map(|name| read(&folder, kind, name)).collect();
    all.sort_by(|a, b| (&a.place, &a.name).cmp(&(&b.place, &b.name)));
    all
}

/// Reads an entry. Those of earlier versions are empty.
fn read(folder: &Home, kind: TrustedKind, name: &str) -> Option<TrustedDigest> {
    let digest = name.parse().ok()?;
    let bytes = folder.read_own(name, MOST_BYTES).ok()?;
    let entry: Entry = toml::from_str(std::str::from_utf8(&bytes).ok()?).ok()?;
    Some(TrustedDigest {
        kind,
        digest,
        name: entry.name,
        place: entry.place,
    })
}
