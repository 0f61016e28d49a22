//! Provides the programs for the tests on a real X server.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::packages;
use crate::process::succeeds;

/// The cargo features that enable the tests.
pub(crate) const FEATURES: &str = "franz-agent/desktop-tests,franz-screen/desktop-tests";

/// The required files, each with the Debian package that contains it.
const NEEDED: [(&str, &str); 25] = [
    ("/usr/bin/Xvfb", "xvfb"),
    ("/usr/bin/openbox", "openbox"),
    ("/usr/bin/xterm", "xterm"),
    ("/usr/bin/mousepad", "mousepad"),
    ("/usr/bin/mtpaint", "mtpaint"),
    ("/usr/bin/xclip", "xclip"),
    ("/usr/bin/dbus-run-session", "dbus"),
    ("/usr/bin/dbus-daemon", "dbus-daemon"),
    ("/usr/share/dbus-1/services/org.a11y.Bus.service", "at-spi2-core"),
    ("/usr/bin/galculator", "galculator"),
    ("/usr/bin/featherpad", "featherpad"),
    ("/usr/bin/xkbcomp", "x11-xkb-utils"),
    ("/usr/bin/xprop", "x11-utils"),
    ("/usr/bin/xauth", "xauth"),
    ("/usr/bin/Xtigervnc", "tigervnc-standalone-server"),
    ("/usr/bin/chromium", "chromium"),
    ("/usr/bin/bwrap", "bubblewrap"),
    ("/usr/bin/wish", "tk"),
    ("/usr/bin/zenity", "zenity"),
    ("/usr/bin/xdotool", "xdotool"),
    ("/usr/bin/sway", "sway"),
    ("/usr/bin/foot", "foot"),
    ("/usr/share/fonts/truetype/dejavu", "fonts-dejavu-core"),
    ("/usr/share/fonts/truetype/wqy", "fonts-wqy-microhei"),
    (
        "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf",
        "fonts-noto-color-emoji",
    ),
];

/// Ensures that the programs are installed.
pub(crate) fn provide() -> Result<()> {
    packages::install("the desktop tests need an X server and real programs", &missing())
}

/// Returns the Debian packages that are not installed yet.
pub(crate) fn missing() -> Vec<&'static str> {
    let there = |file: &str| {
        let file = Path::new(file);
        // Other systems keep programs elsewhere and have their own fonts.
        let elsewhere = || match file.file_name() {
            Some(name) if file.starts_with("/usr/bin") => succeeds(Command::new("which").arg(name)),
            _ => !packages::is_debian(),
        };
        file.exists() || elsewhere()
    };
    let missing = NEEDED.iter().filter(|(file, _)| !there(file));
    missing.map(|(_, package)| *package).collect()
}
