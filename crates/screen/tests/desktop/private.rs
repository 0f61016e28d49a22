//! A desktop of its own.

use std::path::Path;
use std::time::Duration;

use franz_screen::child::Environment;
use franz_screen::{DisplayError, Target, private_desktop};

use crate::stage::{Stage, until};

/// Whether a process runs; one that has ended and that nobody has asked about does not.
pub(crate) fn runs(process: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = state.rsplit_once(')').map(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, None | Some(None | Some('Z' | 'X')))
}

/// A program that has left its parent, its group and its session, and uses no X: it writes its number into the file `stray`.
pub(crate) const STRAY: &str = "(setsid sh -c 'echo $$ > new; mv new stray; exec sleep 1000' &)";

/// Waits for the number of such a program.
pub(crate) fn stray(file: &Path) -> u32 {
    until("the stray has written", || {
        std::fs::read_to_string(file).ok()?.trim().parse().ok()
    })
}

#[test]
fn programs_run_on_a_private_desktop_and_end_with_it() {
    let mut stage = Stage::new();
    assert!(stage.desktop.window_manager().is_some());
    let process = stage
        .desktop
        .spawn("xterm -e 'sleep 1000'", &Environment::guest(&[]))
        .unwrap();
    assert!(stage.desktop.wait_for_windows(1, Duration::from_secs(20)).unwrap());
    assert!(!stage.desktop.wait_for_windows(2, Duration::ZERO).unwrap());
    let client = stage.client();
    client.focused("xterm");
    stage.run("sh", &["-c", STRAY]);
    let stray = stray(&stage.path("stray"));
    assert!(runs(process) && runs(stray));
    drop(client);
    drop(stage);
    assert!(!runs(process) && !runs(stray));
}

#[test]
fn a_private_desktop_refuses_strangers() {
    let stage = Stage::new();
    let name = stage.desktop.name();
    let stranger = stage
        .command("xprop")
        .args(["-root", "-display", name])
        .env("XAUTHORITY", "/dev/null")
        .output()
        .unwrap();
    assert!(!stranger.status.success());
    let known = stage
        .command("xprop")
        .args(["-root", "-display", name])
        .output()
        .unwrap();
    assert!(known.status.success());
    let Err(error) = franz_screen::desktop::open(&Target::X11(name.to_owned())) else {
        panic!("it was opened without its cookie")
    };
    assert!(error.to_string().contains("XAUTHORITY"), "{error}");
}

#[test]
fn an_impossible_desktop_is_reported() {
    let options = private_desktop::PrivateDesktopOptions { width: 0, height: 0 };
    let Err(DisplayError::Unavailable(said)) = private_desktop::start(&options) else {
        panic!("a desktop without size was started")
    };
    assert!(said.contains("Xvfb") && said.contains("1280x800"), "{said}");
    let Err(error) = franz_screen::desktop::open(&Target::X11(":nonsense".to_owned())) else {
        panic!("nonsense was opened")
    };
    assert!(error.to_string().contains(":0"), "{error}");
}
