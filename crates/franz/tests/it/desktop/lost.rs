//! A desktop disappears and comes back. FRANZ reports this once. It does not perform actions on the new desktop that
//! were requested on the old one.

use std::process::Stdio;

use rustix::process::Signal;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{ConnectionExt as _, Device, EventMask, XIEventMask};
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use crate::chat;
use crate::desktop::bare::Bare;
use crate::desktop::process::{children, command_line, signal};
use crate::desktop::run::{Care, command};
use crate::harness::{Workplace, spawn, wait_until};
use crate::puppet::Puppet;

/// Returns a connection that receives all of the server's input from now on.
fn listener(server: &Bare) -> RustConnection {
    let (connection, screen) = x11rb::connect(Some(&server.name)).unwrap();
    connection.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
    let mask = vec![XIEventMask::RAW_MOTION | XIEventMask::RAW_KEY_PRESS | XIEventMask::RAW_BUTTON_PRESS];
    let deviceid = Device::ALL_MASTER.into();
    let root = connection.setup().roots[screen].root;
    let asked = connection.xinput_xi_select_events(root, &[EventMask { deviceid, mask }]);
    asked.unwrap().check().unwrap();
    connection
}

fn heard(connection: &RustConnection) -> Vec<Event> {
    connection.get_input_focus().unwrap().reply().unwrap();
    std::iter::from_fn(|| connection.poll_for_event().unwrap()).collect()
}

#[test]
fn a_run_waits_for_a_lost_desktop_and_repeats_nothing() {
    for care in [Care::Panel, Care::Alone] {
        let mut server = Bare::start_apart();
        let (place, mut model) = (Workplace::new(), Puppet::new());
        let run = ["--run-dir", "run", "--upstream", &model.url(), "--screen", "desktop"];
        let mut command = command(&place, care, &run);
        command.env("DISPLAY", &server.name).env_remove("WAYLAND_DISPLAY");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let running = spawn(command);
        model.asked();
        server.kill();
        model.reply("```python\nleft_click(500, 500)\ntype('lost')\n```");
        let acted = || {
            let written = std::fs::read_to_string(place.file("acting.jsonl")).unwrap_or_default();
            written.contains("is lost").then_some(())
        };
        wait_until("the actions that come to nothing", acted);
        let server = Bare::start_at(&server.name);
        let input = listener(&server);
        let chat = model.chat();
        let feedback = chat::feedback(&chat);
        assert!(feedback.contains("the display is lost"), "{care:?}: {feedback}");
        assert!(heard(&input).is_empty(), "{care:?}: nothing is repeated");
        // A new action is performed.
        let chat = model.then("```python\nleft_click(500, 500)\n```");
        assert!(
            chat::feedback(&chat).starts_with("OK: 1 action executed"),
            "{}",
            chat::feedback(&chat)
        );
        assert!(!heard(&input).is_empty());
        signal(running.id(), Signal::INT);
        let finished = running.finish();
        assert_eq!(
            finished.code,
            Some(130),
            "{care:?}: {}{}",
            finished.stdout,
            finished.stderr
        );
        for said in ["waiting for it to come back", "the screen is back"] {
            assert_eq!(
                finished.stdout.matches(said).count(),
                1,
                "{care:?}: {}",
                finished.stdout
            );
        }
    }
}

#[test]
fn a_run_that_waits_for_its_desktop_can_be_stopped() {
    for care in [Care::Panel, Care::Alone] {
        let mut server = Bare::start_apart();
        let (place, mut model) = (Workplace::new(), Puppet::new());
        let run = ["--run-dir", "run", "--upstream", &model.url(), "--screen", "desktop"];
        let mut command = command(&place, care, &run);
        command.env("DISPLAY", &server.name).env_remove("WAYLAND_DISPLAY");
        let running = spawn(command);
        model.asked();
        server.kill();
        model.reply("```python\npass\n```");
        place.wait_for_turn(1);
        signal(running.id(), Signal::INT);
        let finished = running.finish();
        assert_eq!(
            finished.code,
            Some(130),
            "{care:?}: {}{}",
            finished.stdout,
            finished.stderr
        );
    }
}

#[test]
fn a_run_ends_with_its_private_desktop() {
    for care in [Care::Panel, Care::Alone] {
        let (place, mut model) = (Workplace::new(), Puppet::new());
        let run = ["--run-dir", "run", "--upstream", &model.url(), "--screen", "virtual"];
        let running = spawn(command(&place, care, &run));
        model.asked();
        let mut started = children(running.id());
        let mut at = 0;
        while let Some(&parent) = started.get(at) {
            started.extend(children(parent));
            at += 1;
        }
        let servers = started.into_iter().filter(|id| command_line(*id).starts_with("Xvfb"));
        signal(servers.max().unwrap(), Signal::KILL);
        model.reply("```python\nleft_click(500, 500)\n```");
        let finished = running.finish();
        assert_eq!(
            finished.code,
            Some(4),
            "{care:?}: {}{}",
            finished.stdout,
            finished.stderr
        );
        let said = format!("{}{}", finished.stdout, finished.stderr);
        assert!(said.contains("the private desktop has ended"), "{care:?}: {said}");
    }
}
