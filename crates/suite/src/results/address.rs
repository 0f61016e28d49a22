//! Where results are, as a person writes it: a folder, or `s3://BUCKET/PREFIX`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::StoreError;
use super::disk::ResultFolder;
use super::place::ResultPlace;

/// How the address of an object store begins.
const SCHEME: &str = "s3://";

/// Where results are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultAddress {
    /// In a folder.
    Folder(PathBuf),
    /// In an object store that speaks the protocol of Amazon S3: `s3://BUCKET/PREFIX`.
    ObjectStore(String),
}

impl ResultAddress {
    /// Parses an address as a person writes it. The path of a folder stays unchanged.
    pub fn of(written: &Path) -> ResultAddress {
        match written.to_str() {
            Some(address) if address.starts_with(SCHEME) => ResultAddress::ObjectStore(address.to_owned()),
            _ => ResultAddress::Folder(written.to_owned()),
        }
    }

    /// Opens the place, whether or not there is a plan.
    pub(super) fn place(&self) -> Result<Arc<dyn ResultPlace>, StoreError> {
        match self {
            ResultAddress::Folder(folder) => Ok(Arc::new(ResultFolder(folder.clone()))),
            ResultAddress::ObjectStore(address) => open(address),
        }
    }
}

impl fmt::Display for ResultAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultAddress::Folder(folder) => folder.display().fmt(f),
            ResultAddress::ObjectStore(address) => f.write_str(address),
        }
    }
}

#[cfg(feature = "cloud")]
fn open(address: &str) -> Result<Arc<dyn ResultPlace>, StoreError> {
    Ok(Arc::new(super::bucket::ResultBucket::open(address)?))
}

#[cfg(not(feature = "cloud"))]
fn open(address: &str) -> Result<Arc<dyn ResultPlace>, StoreError> {
    Err(StoreError::Address {
        address: address.to_owned(),
        problem: "this franz was built without support for object stores; use the container image, or build it with: \
                  cargo install --locked --path crates/franz --features cloud"
            .to_owned(),
    })
}
