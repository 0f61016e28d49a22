//! The suite that a command names: a folder, or the one that comes with FRANZ.

use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_suite::folder;
use franz_suite::suite::own_files_of_servers;
use franz_suite::{FolderError, Suite, SuiteDigest, basics};

use super::unusable;
use crate::exit::Unusable;

/// A suite with its files.
pub(crate) struct ChosenSuite {
    pub(crate) folder: PathBuf,
    pub(crate) suite: Suite,
    pub(crate) digest: SuiteDigest,
    /// The files that the digest leaves out, as paths below the folder: servers' jobs write them there.
    pub(crate) without: Vec<PathBuf>,
}

impl ChosenSuite {
    /// Reads the suite in a folder. A built-in suite is first written to `scratch`.
    pub(crate) fn read(named: &Path, scratch: &Path) -> Result<ChosenSuite> {
        if named == Path::new(basics::NAME) && !named.join(franz_suite::SUITE_FILE).exists() {
            let folder = scratch.join(basics::NAME);
            basics::write(&folder).map_err(in_folder)?;
            return ChosenSuite::of(folder);
        }
        let file = named.join(franz_suite::SUITE_FILE);
        if matches!(file.try_exists(), Ok(false)) {
            let told = format!(
                "there is no {}; name the folder of a suite, or {}, which comes with FRANZ",
                file.display(),
                basics::NAME
            );
            return Err(Unusable::usage(told).into());
        }
        ChosenSuite::of(named.canonicalize().unwrap_or_else(|_| named.to_owned()))
    }

    fn of(folder: PathBuf) -> Result<ChosenSuite> {
        let suite = super::load(&folder)?;
        let without = own_files_of_servers(&suite.models, &folder);
        let digest = folder::digest(&folder, &without).map_err(in_folder)?;
        Ok(ChosenSuite {
            folder,
            suite,
            digest,
            without,
        })
    }
}

/// Returns whether this is the digest of a suite that comes with FRANZ.
pub(crate) fn is_built_in(digest: &SuiteDigest, scratch: &Path) -> Result<bool> {
    let folder = scratch.join("built-in");
    basics::write(&folder).map_err(in_folder)?;
    Ok(folder::digest(&folder, &[]).map_err(in_folder)? == *digest)
}

/// A full disk is not a usage error.
fn in_folder(error: FolderError) -> Unusable {
    unusable(error.into())
}
