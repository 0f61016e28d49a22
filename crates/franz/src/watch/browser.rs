//! Opens the dashboard in the person's browser.

use std::io::IsTerminal;
use std::process::Stdio;

use anyhow::Result;
use franz_panel::web::Codes;
use franz_screen::child::{self, Environment};

use super::access::DashboardAccess;

/// Opens the dashboard in a browser, if the person has a terminal and a display. Does not wait for the browser.
pub(super) fn open(access: &DashboardAccess, codes: &Codes) -> Result<()> {
    open_at(access, codes, "")
}

/// Like [`open`], with a fragment such as `#run/12` at the end of the address.
pub(super) fn open_at(access: &DashboardAccess, codes: &Codes, fragment: &str) -> Result<()> {
    if can_open() {
        start(&(access.link_once(codes)? + fragment));
    }
    Ok(())
}

/// Returns whether the person has a terminal and a display, so that a browser can be opened for them.
pub(super) fn can_open() -> bool {
    std::io::stdout().is_terminal() && has_display()
}

/// Opens an address in the person's browser.
pub(super) fn start(link: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    // A process group of its own lets a newly started browser outlive Ctrl+C in this terminal.
    let mut command = child::command(program, &Environment::session());
    command.args(arguments).arg(link);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut child) => {
            std::thread::spawn(move || child.wait());
        }
        Err(error) => tracing::info!("{program} cannot be started ({error}); open the dashboard's address yourself"),
    }
}

/// Returns whether the person has a display.
pub(super) fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(windows, target_os = "macos")) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}
