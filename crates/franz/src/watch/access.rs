//! Who may look: the dashboard's address and token, kept in the run's `dashboard.json` for scripts and for the next start.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_panel::web::Codes;
use franz_record::disk;
use serde::{Deserialize, Serialize};

use crate::random;

const FILE: &str = "dashboard.json";

/// It holds two short texts.
const MOST_BYTES: u64 = 4096;

/// Where the dashboard is and what it wants to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Access {
    /// `http://127.0.0.1:7878`
    pub(crate) address: String,
    /// 128 random bits, 32 hexadecimal digits.
    pub(crate) token: String,
}

impl Access {
    /// A new token for the dashboard at `address`, or the one that its browsers already have: `earlier`.
    pub(super) fn new(address: SocketAddr, earlier: Option<Access>) -> Result<Access> {
        let address = format!("http://{address}");
        let token = match earlier.filter(|earlier| is_token(&earlier.token)) {
            Some(earlier) => earlier.token,
            None => random()?,
        };
        Ok(Access { address, token })
    }

    /// What an earlier panel of this run has left.
    pub(super) fn read(directory: &Path) -> Option<Access> {
        serde_json::from_slice(&disk::read(&file(directory), MOST_BYTES).ok()?).ok()
    }

    /// Leaves it in the run's directory, for its owner alone.
    pub(super) fn write(&self, directory: &Path) -> Result<()> {
        let json = serde_json::to_vec(self)?;
        Ok(disk::replace(&file(directory), &json, false)?)
    }

    /// The port of the address.
    pub(super) fn port(&self) -> Option<u16> {
        self.address.rsplit(':').next()?.parse().ok()
    }

    /// An address that opens the dashboard once and soon: for a command line, which everybody on this machine can read.
    pub(super) fn link_once(&self, codes: &Codes) -> Result<String> {
        let code = random()?;
        let link = format!("{}/?code={code}", self.address);
        codes.open(code);
        Ok(link)
    }

    /// The address that opens the dashboard.
    pub(crate) fn link(&self) -> String {
        format!("{}/?token={}", self.address, self.token)
    }
}

fn file(directory: &Path) -> PathBuf {
    directory.join(FILE)
}

fn is_token(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stays_with_its_run_and_is_never_weak() {
        let directory = tempfile::tempdir().unwrap();
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(Access::read(directory.path()), None);
        let first = Access::new(at(7878), None).unwrap();
        assert!(is_token(&first.token));
        assert_ne!(first.token, Access::new(at(7878), None).unwrap().token);
        assert_eq!(first.link(), format!("http://127.0.0.1:7878/?token={}", first.token));
        let once = first.link_once(&Codes::default()).unwrap();
        assert!(
            once.starts_with("http://127.0.0.1:7878/?code=") && once.len() == first.link().len() - 1,
            "{once}"
        );
        assert!(!once.contains(&first.token), "it stands in a command line");
        first.write(directory.path()).unwrap();
        let again = Access::new(at(9), Access::read(directory.path())).unwrap();
        assert_eq!((again.token.clone(), again.port()), (first.token.clone(), Some(9)));
        let forged = Access {
            token: "x".to_owned(),
            ..again
        };
        assert_ne!(Access::new(at(9), Some(forged)).unwrap().token, "x");
    }
}
