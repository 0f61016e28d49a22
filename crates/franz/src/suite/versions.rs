//! The versions of the programs involved.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use franz_screen::private_desktop;
use franz_suite::SuiteTask;
use franz_suite::suite::TaskScreen;

use super::play::environment;
use super::process::{self, HowEnded};
use super::sandbox::{Allowed, SuiteSandbox};
use super::scratch::file;
use crate::stop::Stop;
use crate::terminal::complain;

/// How long a program may take to print its version. On a busy machine, even a small program needs seconds to start.
const TIME: Duration = Duration::from_secs(10);

/// The versions by program.
pub(crate) struct Versions(BTreeMap<String, String>);

/// The text for a program that does not report its version.
pub(crate) const UNKNOWN: &str = "(version unknown)";

impl Versions {
    /// Asks each program that takes part in these tasks, as far as it is installed: those that the tasks need, the X
    /// server and the window manager of private desktops, and the sandbox.
    pub(crate) fn of(tasks: &[&SuiteTask], sandbox: &SuiteSandbox, folder: &Path, stop: &Stop) -> Versions {
        let mut programs: BTreeSet<&str> = tasks.iter().flat_map(|task| &task.needs).map(String::as_str).collect();
        if tasks.iter().any(|task| task.screen == TaskScreen::Virtual) {
            programs.insert(private_desktop::SERVER);
            let managers = private_desktop::window_managers();
            programs.extend(managers.into_iter().find(|name| sandbox.find(name).is_some()));
        }
        if sandbox.is_isolated() {
            programs.insert("bwrap");
        }
        let own = ("franz".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        let installed = programs.into_iter().filter(|program| sandbox.find(program).is_some());
        let asked = installed.map(|program| {
            let version = ask(program, sandbox, folder, stop);
            (program.to_owned(), version.unwrap_or_else(|| UNKNOWN.to_owned()))
        });
        Versions(std::iter::once(own).chain(asked).collect())
    }

    pub(crate) fn all(&self) -> BTreeMap<String, String> {
        self.0.clone()
    }
}

/// Returns the first line with a digit that a program prints about its version.
fn ask(program: &str, sandbox: &SuiteSandbox, folder: &Path, stop: &Stop) -> Option<String> {
    let printed = folder.join("version.txt");
    let allowed = Allowed {
        read: &[],
        write: &[folder],
        own: None,
        network: false,
        directory: folder,
    };
    let arguments = [program.into(), "--version".into()];
    let mut command = sandbox.command(&arguments, allowed, &environment(folder, 0));
    command.stdout(file(&printed).ok()?).stderr(std::process::Stdio::null());
    let ended = process::run(&mut command, TIME, None, stop).ok()?;
    if ended.how == HowEnded::TooLate {
        let seconds = TIME.as_secs();
        complain(&format!(
            "{program} --version did not end within {seconds} s, so the results name {program} without its version"
        ));
    }
    let text = process::tail(&printed, 4096);
    let line = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    (ended.how == HowEnded::Exited(0)).then(|| line.trim().to_owned())
}
