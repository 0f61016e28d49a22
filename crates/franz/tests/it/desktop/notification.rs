//! The person is notified on their own desktop while the run waits for them.
#![expect(
    clippy::unused_self,
    clippy::used_underscore_binding,
    clippy::too_many_arguments,
    reason = "the protocol of notifications has it so"
)]

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use tokio::runtime::Runtime;
use zbus::{Connection, OwnedVariant, connection};

use crate::dashboard::Dashboard;
use crate::harness::{Workplace, spawn, wait_until};
use crate::puppet::Puppet;

const NAME: &str = "org.freedesktop.Notifications";
const NUMBER: u32 = 7;
const PATH: &str = "/org/freedesktop/Notifications";

/// A request that the desktop received.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Notify {
        summary: String,
        body: String,
        actions: Vec<String>,
    },
    Close(u32),
}

struct Notifications(Sender<Asked>);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    fn get_capabilities(&self) -> Vec<String> {
        vec!["actions".to_owned(), "body".to_owned()]
    }

    fn notify(
        &self,
        _program: String,
        _replaces: u32,
        _icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedVariant>,
        _timeout: i32,
    ) -> u32 {
        self.0.send(Asked::Notify { summary, body, actions }).unwrap();
        NUMBER
    }

    fn close_notification(&self, number: u32) {
        self.0.send(Asked::Close(number)).unwrap();
    }
}

/// A session bus with a desktop that shows notifications.
struct Bus {
    daemon: Child,
    address: String,
    runtime: Runtime,
    desktop: Connection,
    asked: Receiver<Asked>,
}

impl Bus {
    fn new(place: &Workplace) -> Bus {
        let listens = format!("--address=unix:dir={}", place.path("").display());
        let daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address", &listens])
            .stdout(Stdio::piped())
            .spawn();
        let mut daemon = daemon.expect("dbus-daemon is installed");
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let (sender, asked) = channel();
        let address = address.trim().to_owned();
        let desktop = connection::Builder::address(address.as_str())
            .name(NAME)
            .serve_at(PATH, Notifications(sender))
            .build();
        let runtime = Runtime::new().unwrap();
        let desktop = runtime.block_on(desktop).unwrap();
        Bus {
            daemon,
            address,
            runtime,
            desktop,
            asked,
        }
    }

    fn click(&self) {
        let clicked = (NUMBER, "default");
        let emitted = self
            .desktop
            .emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &clicked);
        self.runtime.block_on(emitted).unwrap();
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

#[test]
fn a_click_on_the_notification_of_an_action_that_waits_opens_the_dashboard() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let bus = Bus::new(&place);
    // A script in place of the person's browser.
    let opened = place.path("opened");
    let browser = place.path("bin/xdg-open");
    std::fs::create_dir(place.path("bin")).unwrap();
    std::fs::write(&browser, format!("#!/bin/sh\necho \"$1\" > '{}'\n", opened.display())).unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let url = server.url();
    let usual = [
        "run",
        "--run-dir",
        "run",
        "--screen",
        "canvas",
        "--profile",
        "draw",
        "--no-open",
    ];
    let asking = ["--upstream", &url, "--gate", "ask", "--dashboard", "127.0.0.1:0"];
    let mut command = place.program(&[&usual[..], &asking].concat());
    command.env("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    command.env("PATH", format!("{}:{path}", place.path("bin").display()));
    let running = spawn(command);
    let dashboard = Dashboard::of(&place);
    server.chat();
    // Without a terminal or an open page, a notification is enough for the action to wait.
    server.reply("```python\ndrag(1, 2, 3, 4)\n```");
    let wanted = Asked::Notify {
        summary: "An action waits for you".to_owned(),
        body: "drag, action 1 of turn 2 (run)".to_owned(),
        actions: vec!["default".to_owned(), "Open the dashboard".to_owned()],
    };
    assert_eq!(bus.asked.recv().unwrap(), wanted);
    let link = wait_until("the dashboard is opened", || {
        bus.click();
        let link = std::fs::read_to_string(&opened).ok()?;
        link.ends_with('\n').then_some(link)
    });
    assert!(link.contains("/?code="), "{link}");
    let (nonce, _) = dashboard.question("");
    assert_eq!(dashboard.decide("approve", &nonce, "").0, 200);
    assert_eq!(bus.asked.recv().unwrap(), Asked::Close(NUMBER));
    running.kill();
}
