//! The other runs in the same directory.

use std::fs;

use franz_home::View;
use franz_record::resume::check_is_run;
use serde::Serialize;

use super::History;

/// How many of the newest runs to list.
const LISTED: usize = 1000;

/// A run in the same directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sibling {
    /// The name of its directory.
    pub name: String,
    /// Whether it is the run that is being shown.
    pub current: bool,
}

impl History {
    /// Returns the runs in this run's directory, by name. This run is always included.
    pub fn runs(&self) -> Vec<Sibling> {
        let directory = fs::canonicalize(self.view.path()).unwrap_or_else(|_| self.view.path().to_owned());
        let this = self.name();
        let beside = directory.parent().and_then(|parent| fs::read_dir(parent).ok());
        let paths = beside
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()));
        let mut names: Vec<String> = paths
            .filter(|path| View::open(path).is_ok_and(|view| check_is_run(&view).is_ok()))
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        names.retain(|name| *name != this);
        names.sort_unstable();
        names.drain(..names.len().saturating_sub(LISTED - 1));
        names.push(this.clone());
        names.sort_unstable();
        let siblings = names.into_iter().map(|name| Sibling {
            current: name == this,
            name,
        });
        siblings.collect()
    }
}
