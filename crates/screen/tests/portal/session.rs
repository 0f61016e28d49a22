//! Private sessions, each with a test in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs a test of `inside`, which is in this program, in a session. `session` starts it; `settings` are its arguments.
pub(crate) fn run(mut session: Command, settings: &[&str], program: &Path, test: &str) {
    session.env_remove("NO_AT_BRIDGE").args(settings).arg(program);
    session.args(["--ignored", "--exact", "--nocapture", &format!("inside::{test}")]);
    let done = session.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    let figures = errors.lines().filter(|line| line.starts_with("frame "));
    figures.for_each(|line| eprintln!("{line}"));
    assert!(
        done.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        errors
            .lines()
            .filter(|line| !line.contains("WARNING"))
            .collect::<Vec<_>>()
            .join("\n")
    );
}

/// Copies a file into a directory, because a user without rights might not reach the original. Returns the copy's path.
pub(crate) fn copied(file: &Path, folder: &Path) -> PathBuf {
    let copy = folder.join(file.file_name().unwrap());
    std::fs::copy(file, &copy).unwrap();
    copy
}

/// Returns the path of a file of these tests.
pub(crate) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/portal").join(name)
}
