//! Tests on a private Plasma desktop, through the desktop portal. Each test starts a session without a real monitor,
//! and runs one of the tests in [`inside`] there.
#![allow(
    clippy::disallowed_methods,
    reason = "tests start programs and write files as anybody would"
)]
#![cfg(all(unix, not(target_os = "macos")))]

#[path = "../desktop/client.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod client;
mod inside;
mod session;
#[path = "kde/shell.rs"]
mod shell;
#[path = "../desktop/stage.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod stage;
#[path = "../desktop/sway_host.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod sway_host;
#[path = "../desktop/wayland_client.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod wayland_client;

use std::path::Path;
use std::process::Command;

/// Names the directory with the system that has Plasma, unless that is this one.
const ROOT: &str = "FRANZ_KDE_ROOT";

/// Runs a test of [`inside`] in a session with a monitor of this size.
fn in_session(size: &str, test: &str) {
    with_monitors(size, "1", test);
}

/// Runs a test of [`inside`] in a session with this many monitors of this size.
fn with_monitors(size: &str, count: &str, test: &str) {
    let folder = sway_host::folder();
    let program = session::copied(&std::env::current_exe().unwrap(), folder.path());
    let script = session::copied(&session::file("kde/session.sh"), folder.path());
    build_card(folder.path());
    let session = sway_host::unprivileged("dbus-run-session", folder.path());
    let mut command = match std::env::var_os(ROOT) {
        None => session,
        Some(root) => in_system(Path::new(&root), &session, folder.path()),
    };
    command.arg("--").arg(script);
    session::run(command, &[size, count], &program, test);
}

/// Returns the same command in another system, to which only this directory of ours belongs.
fn in_system(root: &Path, command: &Command, folder: &Path) -> Command {
    let mut inside = Command::new("bwrap");
    inside.args(["--unshare-pid", "--die-with-parent", "--bind"]).arg(root);
    inside.args(["/", "--proc", "/proc", "--dev-bind", "/dev", "/dev"]);
    inside.args(["--perms", "1777", "--tmpfs", "/tmp"]);
    // Otherwise the directories above it belong to root alone.
    let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
    above.retain(|path| !Path::new("/tmp").starts_with(path));
    for path in above.into_iter().rev() {
        inside.args(["--perms", "0755", "--dir"]).arg(path);
    }
    inside.arg("--bind").args([folder; 2]);
    inside.arg("--chdir").arg(folder);
    inside.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => inside.env(name, value),
            None => inside.env_remove(name),
        };
    }
    inside
}

/// Builds the library that stands in for a graphics card.
fn build_card(folder: &Path) {
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(folder.join("card.so"));
    let built = compiler.arg(session::file("kde/card.c")).status().unwrap();
    assert!(built.success(), "card.c does not compile");
}

#[test]
fn pictures_arrive_and_a_click_changes_them() {
    in_session("1280x800", "a_click_changes_the_picture_and_nothing_else_does");
}

#[test]
fn the_pointer_goes_to_the_pixel() {
    in_session("1280x800", "the_pointer_goes_to_the_pixel");
}

#[test]
fn the_pointer_goes_to_the_pixel_at_scale_2() {
    in_session("1920x1200", "the_pointer_goes_to_the_pixel_at_scale_2");
}

#[test]
fn a_text_arrives_exactly() {
    in_session("1280x800", "a_text_is_typed_exactly");
}

#[test]
fn a_text_arrives_whatever_layout_is_in_use() {
    in_session("1280x800", "a_text_is_pasted_whatever_layout_is_in_use");
}

#[test]
fn keys_arrive_and_nothing_stays_down() {
    in_session("1280x800", "keys_buttons_and_the_wheel_arrive_and_nothing_stays_down");
}

#[test]
fn a_killed_agent_holds_nothing() {
    in_session("1280x800", "a_killed_agent_holds_nothing");
}

#[test]
fn a_guardian_releases_what_another_session_keeps_down() {
    in_session("1280x800", "a_guardian_releases_what_another_session_keeps_down");
}

#[test]
fn no_is_an_answer() {
    in_session("1280x800", "a_refusal_is_named");
}

#[test]
fn an_ended_session_is_lost_and_does_not_begin_again() {
    in_session("1280x800", "an_ended_session_is_lost_and_does_not_begin_again");
}

#[test]
fn a_remembered_answer_serves_for_every_session() {
    in_session("1280x800", "a_remembered_answer_serves_for_every_session");
}

#[test]
fn two_monitors_lie_side_by_side() {
    with_monitors("1280x800", "2", "two_monitors_lie_side_by_side");
}
