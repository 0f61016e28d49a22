//! A run on the person's own Wayland desktop.

use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::chat;
use crate::desktop::bare::Bare;
use crate::desktop::mute_compositor::MuteCompositor;
use crate::desktop::process::{freeze, lives, signal};
use crate::desktop::run::{Care, actor, assert_interrupted, command};
use crate::desktop::sway_host::SwayHost;
use crate::desktop::wayland_client::WaylandClient;
use crate::harness::{Workplace, spawn, wait_until};
use crate::puppet::Puppet;

/// Text that no keyboard layout has.
const TEXT: &str = "Grüße 日本語 привет €😀";

fn block(calls: &str) -> String {
    format!("```python\n{calls}\n```")
}

fn in_session(host: &SwayHost, mut command: Command) -> Command {
    command
        .env("WAYLAND_DISPLAY", host.name())
        .env("XDG_RUNTIME_DIR", host.directory.path())
        .env_remove("DISPLAY");
    command
}

/// Returns a command for `franz run` on the compositor's desktop, at a person's pace.
fn on(host: &SwayHost, place: &Workplace, url: &str, care: Care, more: &[&str]) -> Command {
    let run = ["--run-dir", "run", "--upstream", url, "--screen", "desktop"];
    in_session(host, command(place, care, &[&run, more].concat()))
}

#[test]
fn a_wayland_desktop_is_seen_and_typed_into_by_a_person_who_watches() {
    for care in [Care::Panel, Care::Alone] {
        let mut host = SwayHost::start(1000, 700, "1");
        host.run_terminal();
        let (place, mut model) = (Workplace::new(), Puppet::new());
        let refused = spawn(on(&host, &place, &model.url(), care, &[])).finish();
        assert_eq!(refused.code, Some(4), "{care:?}: {}{}", refused.stdout, refused.stderr);
        assert!(refused.stderr.contains("add --i-watch if"), "{}", refused.stderr);
        assert!(!place.file("").exists(), "nothing is made for a run that cannot be");
        let more = ["--i-watch", "--set", "screen.countdown_s=0.01"];
        let running = spawn(on(&host, &place, &model.url(), care, &more));
        model.asked();
        let chat = model.then(&block(&format!("left_click(500, 500)\ntype('{TEXT}\\n')")));
        let told = chat::feedback(&chat).to_owned();
        assert!(told.starts_with("OK: 2 actions executed"), "{care:?}: {told}");
        wait_until("the text is there", || {
            let typed = std::fs::read_to_string(host.directory.path().join("typed.txt")).unwrap_or_default();
            (typed == format!("{TEXT}\n")).then_some(())
        });
        running.signal("TERM");
        let finished = running.finish();
        assert_eq!(finished.code, Some(143));
        let said = format!("{}{}", finished.stdout, finished.stderr);
        for words in [
            "this desktop, Wayland display wayland-1",
            "your mouse and keyboard do not stop the agent",
            "press Ctrl+C to stop",
        ] {
            assert!(said.contains(words), "{care:?}: {said}");
        }
        assert!(!said.contains("move the mouse"), "{said}");
    }
}

#[test]
fn nothing_stays_held_on_wayland_where_an_agent_is_killed() {
    for care in [Care::Panel, Care::Alone] {
        for (work, is_caught) in [
            (
                "drag(100, 100, 900, 900)",
                (|client: &mut WaylandClient| !client.look().buttons.is_empty()) as fn(&mut WaylandClient) -> bool,
            ),
            ("hold('ctrl+shift', 30)", |client| client.look().keys.len() == 2),
        ] {
            let host = SwayHost::start(1000, 700, "1");
            // A session has a mouse and a keyboard of its own, which stay.
            let own = franz_screen::Target::Wayland(host.name());
            let _own = franz_screen::desktop::open(&own).unwrap();
            let mut client = WaylandClient::on(&host.path());
            let (place, mut model) = (Workplace::new(), Puppet::new());
            let running = spawn(on(&host, &place, &model.url(), care, &["--i-watch"]));
            model.asked();
            let agent = actor(&running, care);
            model.reply(&block(work));
            wait_until("something is held", || is_caught(&mut client).then_some(()));
            freeze(agent);
            let began = Instant::now();
            signal(agent, Signal::KILL);
            wait_until("nothing is held", || client.is_at_rest().then_some(()));
            eprintln!(
                "latency kill -9 wayland {care:?} {work}: {:.1} ms",
                began.elapsed().as_secs_f64() * 1000.0
            );
            wait_until("the end of the agent", || (!lives(agent)).then_some(()));
            // The panel starts another agent on its own.
            let running = match care {
                Care::Panel => running,
                Care::Alone => {
                    drop(running);
                    let resume = ["--resume", "run", "--upstream", &model.url()];
                    spawn(in_session(&host, self::command(&place, care, &resume)))
                }
            };
            let chat = model.chat();
            let told = chat::feedback(&chat);
            assert!(told.contains("FRANZ was interrupted"), "{told}");
            model.reply(&block("pass"));
            assert_interrupted(&place.wait_for_turn(2)[1].acted);
            running.signal("TERM");
            assert_eq!(running.finish().code, Some(143));
            assert!(client.is_at_rest());
        }
    }
}

#[test]
fn a_stop_in_a_drag_on_wayland_leaves_nothing_held() {
    for care in [Care::Panel, Care::Alone] {
        let host = SwayHost::start(1000, 700, "1");
        let own = franz_screen::Target::Wayland(host.name());
        let _own = franz_screen::desktop::open(&own).unwrap();
        let mut client = WaylandClient::on(&host.path());
        let (place, mut model) = (Workplace::new(), Puppet::new());
        let running = spawn(on(&host, &place, &model.url(), care, &["--i-watch"]));
        model.asked();
        model.reply(&block("drag(100, 100, 900, 900)"));
        wait_until("the button is held", || {
            (!client.look().buttons.is_empty()).then_some(())
        });
        let began = Instant::now();
        signal(running.id(), Signal::INT);
        wait_until("the button is released", || client.is_at_rest().then_some(()));
        let took = began.elapsed();
        eprintln!("latency stop wayland {care:?}: {:.1} ms", took.as_secs_f64() * 1000.0);
        // The goal, on an idle machine, is a fifth of this.
        assert!(took < Duration::from_secs(1), "{took:?}");
        assert_eq!(running.finish().code, Some(130));
    }
}

#[test]
fn doctor_examines_a_wayland_desktop_and_names_what_a_compositor_lacks() {
    let place = Workplace::new();
    let examine = |more: &[&str], socket: &str, display: &str| {
        let all = ["doctor", "--screen", "desktop", "--upstream", "demo"];
        let mut command = place.program(&[&all, more].concat());
        command.env("WAYLAND_DISPLAY", socket).env("DISPLAY", display);
        spawn(command).finish()
    };
    let doctor = |more: &[&str], socket: &str| examine(more, socket, "");
    let host = SwayHost::start(1000, 700, "1");
    let fine = doctor(&["--set", "screen.i_watch=true"], &host.name());
    assert_eq!(fine.code, Some(0), "{}", fine.stdout);
    assert!(
        fine.stdout.contains("Wayland display") && fine.stdout.contains("captured in"),
        "{}",
        fine.stdout
    );
    let unwatched = doctor(&[], &host.name());
    assert_eq!(unwatched.code, Some(4), "{}", unwatched.stdout);
    assert!(unwatched.stdout.contains("add --i-watch if"), "{}", unwatched.stdout);
    let poor = MuteCompositor::listing(&["wl_compositor", "wl_shm", "wl_seat"]);
    let refused = doctor(&["--set", "screen.i_watch=true"], &poor.name());
    assert_eq!(refused.code, Some(4), "{}", refused.stdout);
    let words = refused.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("lacks wlr-screencopy, wlr-virtual-pointer, virtual-keyboard"),
        "{words}"
    );
    // An X server of its own is a desktop, whatever the session's compositor lacks.
    let server = Bare::start(&["-screen", "0", "640x480x24"]);
    let _stay = x11rb::connect(Some(&server.name)).unwrap();
    let other = examine(&[], &poor.name(), &server.name);
    assert_eq!(other.code, Some(0), "{}", other.stdout);
    assert!(other.stdout.contains("X11 display"), "{}", other.stdout);
}
