//! Tests on a private GNOME desktop, through the desktop portal. Each test starts a session without a monitor, and runs
//! one of the tests in [`inside`] there.
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
#[path = "gnome/shell.rs"]
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

/// Runs a test of [`inside`] in a session with a monitor of this size.
fn in_session(size: &str, test: &str) {
    let folder = sway_host::folder();
    let program = session::copied(&std::env::current_exe().unwrap(), folder.path());
    let mut command = sway_host::unprivileged("dbus-run-session", folder.path());
    command
        .arg("--")
        .arg(session::copied(&session::file("gnome/session.sh"), folder.path()));
    session::run(command, &[size], &program, test);
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
fn no_is_an_answer() {
    in_session("1280x800", "a_refusal_is_named");
}

#[test]
fn an_ended_session_is_lost_and_does_not_begin_again() {
    in_session("1280x800", "an_ended_session_is_lost_and_does_not_begin_again");
}
