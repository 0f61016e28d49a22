//! Tests the desktop portal on private GNOME desktops without a monitor.

use std::path::Path;

use anyhow::Result;

use crate::packages::install;
use crate::process::cargo;

pub(super) const NAME: &str = "gnome";

/// The required files, each with the Debian package that contains it.
const NEEDED: [(&str, &str); 9] = [
    ("/usr/bin/gnome-shell", "gnome-shell"),
    ("/usr/libexec/xdg-desktop-portal", "xdg-desktop-portal"),
    ("/usr/libexec/xdg-desktop-portal-gnome", "xdg-desktop-portal-gnome"),
    ("/usr/bin/pipewire", "pipewire"),
    ("/usr/bin/wireplumber", "wireplumber"),
    ("/usr/bin/Xwayland", "xwayland"),
    ("/usr/bin/gdbus", "libglib2.0-bin"),
    ("/usr/bin/zenity", "zenity"),
    ("/usr/bin/dbus-run-session", "dbus"),
];

/// Returns whether one of these words names GNOME, or there are none.
pub(super) fn is_named(words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| NAME.contains(word.as_str()))
}

/// Runs the tests, and prints a line for each. Returns 1 if any of them failed.
pub(super) fn check() -> Result<usize> {
    let missing = NEEDED.iter().filter(|(file, _)| !Path::new(file).exists());
    let missing: Vec<_> = missing.map(|(_, package)| *package).collect();
    install("the desktop portal is tested on GNOME", &missing)?;
    // Each test starts a desktop, which takes both cores of a small machine.
    let options = ["--test", NAME, "--", "--test-threads=1", "--nocapture"];
    let mut tests = cargo(&["test", "--package", "franz-screen", "--features", "gnome-tests"]);
    let status = tests.args(options).status()?;
    Ok(usize::from(!status.success()))
}
