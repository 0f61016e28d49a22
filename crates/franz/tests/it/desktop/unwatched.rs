//! A desktop that cannot tell a person's input from the agent's. The person has to confirm that they are watching it
//! themselves.

use crate::desktop::bare::Bare;
use crate::desktop::process::signal;
use crate::desktop::run::{Care, command};
use crate::harness::{Workplace, scripted, spawn, url, wait_until};

#[test]
fn a_desktop_without_a_watch_needs_a_person_who_watches() {
    let server = Bare::start(&["-screen", "0", "640x480x24"]);
    // The server resets when its last client disconnects.
    let _stay = x11rb::connect(Some(&server.name)).unwrap();
    let display = server.disguised("XInputExtension", "XNothingAtAllXX");
    let model = scripted(&[r#"{"text": "a"}"#, r#"{"text": "a", "delay_s": 3600}"#]);
    let model_url = url(&model);
    let run = ["--run-dir", "run", "--upstream", &model_url, "--screen", "desktop"];
    let on = |place: &Workplace, care, more: &[&str]| {
        let mut command = command(place, care, &[&run, more].concat());
        command.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY");
        spawn(command)
    };
    let place = Workplace::new();
    for care in [Care::Panel, Care::Alone] {
        let refused = on(&place, care, &[]).finish();
        assert_eq!(refused.code, Some(4), "{care:?}: {}{}", refused.stdout, refused.stderr);
        assert!(refused.stderr.contains("add --i-watch if"), "{}", refused.stderr);
        assert!(!place.file("").exists(), "nothing is made for a run that cannot be");
    }
    let doctor = ["doctor", "--upstream", "demo", "--screen", "desktop"];
    for (more, code) in [(&[][..], Some(4)), (&["--set", "screen.i_watch=true"], Some(0))] {
        let mut doctor = place.program(&[&doctor, more].concat());
        doctor.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY");
        let examined = spawn(doctor).finish();
        assert_eq!(examined.code, code, "{}", examined.stdout);
        assert_eq!(
            examined.stdout.contains("add --i-watch if"),
            code == Some(4),
            "{}",
            examined.stdout
        );
    }
    // A person who has switched the gestures off need not confirm anything.
    for more in [&["--i-watch"][..], &["--set", "screen.yield=false"]] {
        for care in [Care::Panel, Care::Alone] {
            let place = Workplace::new();
            let asked = model.requests().len();
            let more = [more, &["--set", "screen.countdown_s=0.01"]].concat();
            let running = on(&place, care, &more);
            wait_until("a request", || (model.requests().len() > asked).then_some(()));
            signal(running.id(), rustix::process::Signal::INT);
            let finished = running.finish();
            assert_eq!(finished.code, Some(130), "{}", finished.stderr);
            assert!(finished.stdout.contains("press Ctrl+C to stop"), "{}", finished.stdout);
            assert!(!finished.stdout.contains("move the mouse"), "{}", finished.stdout);
        }
    }
}
