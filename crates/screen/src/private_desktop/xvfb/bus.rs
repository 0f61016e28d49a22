//! Runs a session bus for the programs on a private desktop. It offers only the accessibility service. It starts
//! nothing else, and nothing from the person's own session is on it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::Xvfb;
use crate::child::{self, Environment};
use crate::desktop::DisplayError;
use crate::private_desktop::PrivateDesktop as _;

/// The file that says how to start the accessibility bus.
const SERVICE: &str = "dbus-1/services/org.a11y.Bus.service";

/// The default locations of such files.
const SHARED: &str = "/usr/local/share:/usr/share";

/// What to do if something is missing.
const INSTALL: &str = "install dbus-daemon (dbus on older systems) and at-spi2-core, or set eyes.elements = false";

/// A session bus that lasts as long as the desktop.
pub(super) struct SessionBus {
    pub(super) address: String,
}

/// Returns the environment that makes programs report their elements over this bus.
pub(in crate::private_desktop) fn telling(address: &str) -> [(&'static str, String); 4] {
    [
        ("DBUS_SESSION_BUS_ADDRESS", address.to_owned()),
        ("QT_ACCESSIBILITY", "1".to_owned()),
        ("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1".to_owned()),
        ("GNOME_ACCESSIBILITY", "1".to_owned()),
    ]
}

impl SessionBus {
    /// Starts the bus, which starts the accessibility bus on demand.
    pub(super) fn start(desktop: &mut Xvfb) -> Result<SessionBus, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("starting a session bus for the private desktop", error);
        let directory = desktop.cookie.directory().join("bus");
        let services = services().ok_or_else(|| {
            DisplayError::Unavailable(format!(
                "eyes.elements needs the accessibility service at-spi2-core, which is not installed; {INSTALL}"
            ))
        })?;
        let config = prepare(&directory, &services).map_err(failed)?;
        // The accessibility bus keeps its data here and in memory, away from the person's own data.
        let environment = Environment::helper()
            .with("XDG_RUNTIME_DIR", &directory)
            .with("GSETTINGS_BACKEND", "memory");
        let mut program = child::command("dbus-daemon", &environment);
        program
            .envs(desktop.environment())
            .arg("--config-file")
            .arg(config)
            .args(["--nofork", "--nopidfile", "--nosyslog", "--print-address=1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let heard = desktop.spawner.hear(program, &desktop.is_over);
        let address = heard.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => DisplayError::Unavailable(format!(
                "eyes.elements needs dbus-daemon, which is not installed; {INSTALL}"
            )),
            _ => failed(error),
        })?;
        let address = address
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty());
        let address = address.ok_or_else(|| failed(io::Error::other("dbus-daemon reported no address")))?;
        Ok(SessionBus { address })
    }
}

/// Returns the file that says how to start the accessibility bus.
fn services() -> Option<PathBuf> {
    let listed = std::env::var_os("XDG_DATA_DIRS").filter(|dirs| !dirs.is_empty());
    let listed = listed.unwrap_or_default();
    let folders = std::env::split_paths(&listed).chain(std::env::split_paths(OsStr::new(SHARED)));
    folders.map(|folder| folder.join(SERVICE)).find(|file| file.is_file())
}

/// Creates the bus's directory, and returns the path of its configuration file.
#[expect(
    clippy::disallowed_methods,
    reason = "it is in the directory of the cookie, which was made at random"
)]
fn prepare(directory: &Path, service: &Path) -> io::Result<PathBuf> {
    let services = directory.join("services");
    fs::create_dir(directory)?;
    fs::create_dir(&services)?;
    fs::copy(service, services.join("org.a11y.Bus.service"))?;
    let config = directory.join("bus.conf");
    fs::write(&config, configuration(directory))?;
    Ok(config)
}

/// Returns the configuration of a bus with its socket and its services in this directory.
fn configuration(directory: &Path) -> String {
    let directory = escaped(&directory.to_string_lossy());
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={directory}/socket</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{directory}/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
