//! The versions of the programs that take part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use franz_suite::Suite;

use super::play::environment;
use super::process::{self, HowEnded};
use super::sandbox::{Allowed, SuiteSandbox};
use super::scratch::file;
use crate::stop::Stop;

/// How long a program may take to print its version.
const TIME: Duration = Duration::from_secs(3);

/// The versions by program.
pub(crate) struct Versions(BTreeMap<String, String>);

impl Versions {
    /// Asks FRANZ and each program that a task needs. A program that prints none is left out.
    pub(crate) fn of(suite: &Suite, sandbox: &SuiteSandbox, folder: &Path, stop: &Stop) -> Versions {
        let mut versions = BTreeMap::from([("franz".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]);
        let programs: BTreeSet<&String> = suite.tasks.iter().flat_map(|task| &task.needs).collect();
        for program in programs {
            if sandbox.find(program).is_none() {
                continue;
            }
            let version = ask(program, sandbox, folder, stop);
            versions.extend(version.map(|version| (program.clone(), version)));
        }
        Versions(versions)
    }

    pub(crate) fn all(&self) -> BTreeMap<String, String> {
        self.0.clone()
    }
}

fn ask(program: &str, sandbox: &SuiteSandbox, folder: &Path, stop: &Stop) -> Option<String> {
    let printed = folder.join("version.txt");
    let allowed = Allowed {
        read: &[],
        write: &[folder],
        network: false,
        directory: folder,
    };
    let arguments = [program.into(), "--version".into()];
    let mut command = sandbox.command(&arguments, allowed, &environment(folder, 0));
    command.stdout(file(&printed).ok()?).stderr(std::process::Stdio::null());
    let ended = process::run(&mut command, TIME, false, stop).ok()?;
    let text = process::tail(&printed, 4096);
    let line = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    (ended.how == HowEnded::Exited(0)).then(|| line.trim().to_owned())
}
