//! Tests the desktop portal on private Plasma desktops without a monitor. Plasma 6 runs in a Debian of its own, because
//! Debian 12 has Plasma 5, which FRANZ refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::packages::install;
use crate::process::{cargo, run};

pub(super) const NAME: &str = "kde";

/// The required files, each with the Debian package that contains it.
const NEEDED: [(&str, &str); 4] = [
    ("/usr/bin/mmdebstrap", "mmdebstrap"),
    (
        "/usr/share/keyrings/debian-archive-keyring.gpg",
        "debian-archive-keyring",
    ),
    ("/usr/bin/bwrap", "bubblewrap"),
    ("/usr/bin/cc", "gcc"),
];

/// The version of Debian, and its packages.
const DEBIAN: &str = "trixie";
const PACKAGES: [&str; 16] = [
    "at-spi2-core",
    "dbus-bin",
    "dbus-daemon",
    "kwin-common",
    "kwin-wayland",
    "libegl1",
    "libgl1-mesa-dri",
    "libglib2.0-bin",
    "libkscreen-bin",
    "pipewire",
    "qml6-module-org-kde-kirigami",
    "qt6-wayland",
    "wireplumber",
    "xdg-desktop-portal",
    "xdg-desktop-portal-kde",
    "zenity",
];

/// Adds the rest of Plasma, of which the portal's question needs a few files. Installing it whole would take another
/// 230 packages. Also takes the privilege from KWin that a container cannot give.
const FINISH: &str = "cd \"$1/tmp\" \
                      && chroot \"$1\" sh -c 'cd /tmp && apt-get download plasma-workspace plasma-workspace-data' \
                      && for package in *.deb; do dpkg-deb -x $package \"$1\"; rm $package; done \
                      && cd \"$1/usr/bin\" && cp kwin_wayland kwin && mv kwin kwin_wayland";

/// Returns whether one of these words names KDE, or there are none.
pub(super) fn is_named(words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| NAME.contains(word.as_str()))
}

/// Runs the tests, and prints a line for each. Returns 1 if any of them failed.
pub(super) fn check(place: &Path) -> Result<usize> {
    let missing = NEEDED.iter().filter(|(file, _)| !Path::new(file).exists());
    let missing: Vec<_> = missing.map(|(_, package)| *package).collect();
    install("the desktop portal is tested on KDE", &missing)?;
    let system = provide(place)?;
    // Each test starts a desktop, which takes both cores of a small machine.
    let options = ["--test", NAME, "--", "--test-threads=1", "--nocapture"];
    let mut tests = cargo(&["test", "--package", "franz-screen", "--features", "kde-tests"]);
    let status = tests.args(options).env("FRANZ_KDE_ROOT", system).status()?;
    Ok(usize::from(!status.success()))
}

/// Returns the directory of the Debian with Plasma. Creates it first if it is missing.
fn provide(place: &Path) -> Result<PathBuf> {
    let system = place.join(NAME);
    if !system.exists() {
        let part = place.join(format!("{NAME}.part"));
        let _ = fs::remove_dir_all(&part);
        fs::create_dir_all(place).with_context(|| format!("cannot create {}", place.display()))?;
        let include = format!("--include={}", PACKAGES.join(","));
        let finish = format!("--customize-hook={FINISH}");
        run(Command::new("mmdebstrap")
            .args(["--quiet", "--variant=apt", &include, &finish, DEBIAN])
            .arg(&part))?;
        fs::rename(&part, &system).with_context(|| format!("cannot create {}", system.display()))?;
    }
    Ok(system)
}
