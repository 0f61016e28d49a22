//! The standing panel: `franz panel` without a command. Its page shows the runs of all FRANZ processes of this person.
//! A file, which only this person can read, says where it is.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use franz_home::Home;
use franz_record::{Lock, LockError, PANEL_LOCK};
use serde::{Deserialize, Serialize};

use super::access::DashboardAccess;
use crate::exit::Unusable;
use crate::state_folder::{self, StateError, unusable};

/// The file's name, and the folder's name below the state folder.
const FILE: &str = "panel.json";
const FOLDER: &str = "panel";

/// The maximum size of the file, which contains a few short texts.
const MOST_BYTES: u64 = 4096;

/// The format version that is written and read.
const VERSION: u32 = 1;

/// How to reach a standing panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingPanel {
    /// The page's address and token.
    pub(crate) access: DashboardAccess,
}

/// The contents of the file.
#[derive(Serialize, Deserialize)]
struct PanelFile {
    v: u32,
    pid: u32,
    version: String,
    dashboard: String,
    /// The address of the relay, for programs that know nothing about FRANZ.
    relay: String,
    token: String,
}

/// This process's right to be the standing panel.
pub(crate) struct StandingClaim {
    folder: Home,
    _lock: Lock,
}

impl StandingClaim {
    /// Claims the right; `None` if another process has it.
    pub(crate) fn claim() -> Result<Option<StandingClaim>> {
        let nowhere = |error: StateError| Unusable::usage(error.to_string());
        let folder = make_folder().map_err(nowhere)?;
        match Lock::acquire(&folder, PANEL_LOCK) {
            Ok(lock) => Ok(Some(StandingClaim { folder, _lock: lock })),
            Err(LockError::Held { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the file, so that runs find this panel.
    pub(super) fn announce(&self, access: &DashboardAccess, relay: &str) -> Result<()> {
        let file = PanelFile {
            v: VERSION,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dashboard: access.address.clone(),
            relay: relay.to_owned(),
            token: access.token.clone(),
        };
        Ok(self.folder.replace(FILE, &serde_json::to_vec(&file)?, false)?)
    }
}

impl Drop for StandingClaim {
    fn drop(&mut self) {
        // A file without a held lock is ignored, so a failure does no harm.
        let _ = self.folder.remove_if_there(FILE);
    }
}

impl StandingPanel {
    /// Returns the standing panel of this person; `None` if none is running. Ignores a file left behind by a panel that
    /// was killed: nobody holds its lock.
    pub(crate) fn find() -> Option<StandingPanel> {
        let folder = look_folder()?;
        if !Lock::is_held(&folder) {
            return None;
        }
        let file: PanelFile = serde_json::from_slice(&folder.read_own(FILE, MOST_BYTES).ok()?).ok()?;
        (file.v == VERSION).then_some(StandingPanel {
            access: DashboardAccess {
                address: file.dashboard,
                token: file.token,
            },
        })
    }

    /// Parses the link that a panel shows in its terminal, such as `http://127.0.0.1:7878/?token=…`.
    pub(crate) fn of_link(link: &str) -> Result<StandingPanel> {
        let parts = link.trim().split_once("/?token=");
        let (address, token) = parts.filter(|(address, token)| !token.is_empty() && socket(address).is_some()).ok_or_else(|| {
            Unusable::usage(format!(
                "--panel {link}: write own, or the link of a running franz panel as its terminal shows it, such as http://127.0.0.1:7878/?token=…"
            ))
        })?;
        Ok(StandingPanel {
            access: DashboardAccess {
                address: address.to_owned(),
                token: token.to_owned(),
            },
        })
    }
}

fn socket(address: &str) -> Option<SocketAddr> {
    address.strip_prefix("http://")?.parse().ok()
}

fn make_folder() -> Result<Home, StateError> {
    let Some(path) = runtime_folder() else {
        return state_folder::make(FOLDER);
    };
    let folder = match Home::create(&path) {
        Err(error) if error.already_exists() => Home::claim(&path),
        created => created,
    };
    folder.map_err(unusable)
}

fn look_folder() -> Option<Home> {
    match runtime_folder() {
        Some(path) => Home::claim(&path).ok(),
        None => state_folder::look(FOLDER),
    }
}

/// Returns FRANZ's folder among the files that last as long as the person's session, if the system has such a place.
fn runtime_folder() -> Option<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    runtime
        .filter(|path| cfg!(target_os = "linux") && path.is_absolute())
        .map(|path| path.join("franz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_as_the_terminal_shows_it() {
        let panel = StandingPanel::of_link(" http://127.0.0.1:7878/?token=abc ").unwrap();
        assert_eq!(panel.access.link(), "http://127.0.0.1:7878/?token=abc");
        assert_eq!(panel.access.socket().unwrap().port(), 7878);
        for wrong in [
            "",
            "http://127.0.0.1:7878",
            "http://127.0.0.1:7878/?token=",
            "http://host/?token=a",
            "7878",
        ] {
            let error = StandingPanel::of_link(wrong).unwrap_err().to_string();
            assert!(error.contains("such as http://"), "{wrong}: {error}");
        }
    }
}
