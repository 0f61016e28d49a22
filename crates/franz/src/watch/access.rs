//! Access to the dashboard: its address and token, stored in the run's `dashboard.json` for scripts.
//!
//! The process that checks a token also makes it. Anyone who could write the file might know the token in it, so only
//! the port is reused.

use std::net::SocketAddr;

use anyhow::Result;
use franz_home::{Home, View};
use franz_panel::web::Codes;
use serde::{Deserialize, Serialize};

use crate::random;

const FILE: &str = "dashboard.json";

/// The maximum size of the file, which contains two short strings.
const MOST_BYTES: u64 = 4096;

/// The dashboard's address and the token that it requires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DashboardAccess {
    /// `http://127.0.0.1:7878`
    pub(crate) address: String,
    /// 128 random bits as 32 hexadecimal digits.
    pub(crate) token: String,
}

impl DashboardAccess {
    /// Makes a new token for the dashboard at `address`.
    pub(super) fn new(address: SocketAddr) -> Result<DashboardAccess> {
        Ok(DashboardAccess {
            address: format!("http://{address}"),
            token: random()?,
        })
    }

    /// Writes the access to the run's directory, readable only by its owner.
    pub(super) fn write(&self, run: &Home) -> Result<()> {
        let json = serde_json::to_vec(self)?;
        Ok(run.replace(FILE, &json, false)?)
    }

    /// Returns the access that a run's directory holds, whether or not it is still valid; `None` if it holds none.
    pub(super) fn read(run: &View) -> Option<DashboardAccess> {
        serde_json::from_slice(&run.read(FILE, MOST_BYTES).ok()?).ok()
    }

    /// Returns an address that opens the dashboard only once, and only for a short time. It can therefore appear on a
    /// command line, which everybody on this machine can read.
    pub(super) fn link_once(&self, codes: &Codes) -> Result<String> {
        let code = random()?;
        let link = format!("{}/?code={code}", self.address);
        codes.open(code);
        Ok(link)
    }

    /// Returns the address that opens the dashboard.
    pub(crate) fn link(&self) -> String {
        format!("{}/?token={}", self.address, self.token)
    }
}

/// Returns the port where an earlier panel of this run had its dashboard.
pub(super) fn earlier_port(run: &View) -> Option<u16> {
    #[derive(Deserialize)]
    struct Earlier {
        address: String,
    }

    let earlier: Earlier = serde_json::from_slice(&run.read(FILE, MOST_BYTES).ok()?).ok()?;
    earlier.address.rsplit(':').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_process_makes_a_new_token_and_keeps_only_the_port() {
        let directory = tempfile::tempdir().unwrap();
        let run = Home::claim(directory.path()).unwrap();
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(earlier_port(&run), None);
        let first = DashboardAccess::new(at(7878)).unwrap();
        assert_eq!(first.token.len(), 32);
        assert_eq!(first.link(), format!("http://127.0.0.1:7878/?token={}", first.token));
        let once = first.link_once(&Codes::default()).unwrap();
        assert!(
            once.starts_with("http://127.0.0.1:7878/?code=") && once.len() == first.link().len() - 1,
            "{once}"
        );
        assert!(!once.contains(&first.token), "it stands in a command line");
        first.write(&run).unwrap();
        assert_eq!(earlier_port(&run), Some(7878));
        assert_ne!(DashboardAccess::new(at(7878)).unwrap().token, first.token);
    }
}
