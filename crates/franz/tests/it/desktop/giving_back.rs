//! Who controls the desktop: a second agent is refused, and a person who takes over the desktop while the model is
//! thinking keeps it.

use std::time::{Duration, Instant};

use franz_record::Outcome;

use crate::chat;
use crate::dashboard::Dashboard;
use crate::desktop::process::guardian_of;
use crate::desktop::run::{Care, actor, start};
use crate::desktop::stage::Stage;
use crate::harness::{Workplace, scripted, spawn, url, wait_until};
use crate::puppet::Puppet;

#[test]
fn two_agents_do_not_share_a_desktop() {
    let stage = Stage::new();
    let server = scripted(&[r#"{"text": "a", "delay_s": 3600}"#]);
    let (first, second) = (Workplace::new(), Workplace::new());
    let running = start(&stage, &first, &url(&server), Care::Panel, &[]);
    wait_until("the first request", || (!server.requests().is_empty()).then_some(()));
    for care in [Care::Panel, Care::Alone] {
        let refused = start(&stage, &second, &url(&server), care, &[]).finish();
        assert_eq!(refused.code, Some(4), "{care:?}: {}{}", refused.stdout, refused.stderr);
        let said = "another FRANZ is using the X display";
        assert!(refused.stderr.contains(said), "{care:?}: {}", refused.stderr);
        assert!(!second.file("").exists(), "nothing is made for a run that cannot be");
    }
    let options = ["doctor", "--screen", "desktop", "--upstream", "demo"];
    let doctor = spawn(stage.on(second.program(&options))).finish();
    assert_eq!(doctor.code, Some(4), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("another FRANZ is using"), "{}", doctor.stdout);
    assert_eq!(server.requests().len(), 1);
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
    // The desktop is free again.
    let server = scripted(&[r#"{"text": "a"}"#]);
    let again = start(&stage, &second, &url(&server), Care::Alone, &["--max-turns", "1"]).finish();
    assert_eq!(again.code, Some(0), "{}", again.stderr);
}

#[test]
fn a_missing_monitor_or_region_is_refused() {
    let (stage, place) = (Stage::new(), Workplace::new());
    let server = scripted(&[r#"{"text": "a"}"#]);
    for (setting, says) in [
        ("screen.monitor=9", "there is no monitor 9"),
        ("screen.region=5000,5000,100,100", "is outside"),
    ] {
        for care in [Care::Panel, Care::Alone] {
            let refused = start(&stage, &place, &url(&server), care, &["--set", setting]).finish();
            assert_eq!(refused.code, Some(4), "{}", refused.stderr);
            assert!(refused.stderr.contains(says), "{}", refused.stderr);
            assert!(!place.file("").exists());
        }
    }
}

#[test]
fn actions_requested_before_a_person_took_the_mouse_are_dropped() {
    let (stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let (person, events) = (stage.person(), stage.events());
    let running = start(&stage, &place, &server.url(), Care::Panel, &[]);
    let dashboard = Dashboard::of(&place);
    server.asked();
    person.move_by(40, 30);
    server.reply("```python\nleft_click(100, 100)\ntype('not now')\n```");
    dashboard.wait_for_agent("paused");
    let said = dashboard.json("/api/state").to_string();
    assert!(said.contains("you took the mouse"), "{said}");
    assert_eq!(events.count(), 0);
    dashboard.command("resume");
    let feedback = chat::feedback(&server.chat()).to_owned();
    assert!(
        feedback.contains("NOTICE: your last actions were not performed, because the person took the mouse"),
        "{feedback}"
    );
    assert_eq!(events.count(), 0);
    // An action that the model requests after seeing the new picture is performed.
    server.reply("```python\nleft_click(200, 200)\n```");
    server.chat();
    assert!(events.count() > 0);
    let turns = place.wait_for_turn(2);
    let pictures: Vec<_> = turns.iter().map(|turn| turn.image.as_ref().unwrap()).collect();
    assert_eq!(pictures[1].file, "turn_0002.png");
    assert!(
        turns[1]
            .acted
            .iter()
            .all(|acted| matches!(acted.outcome, Outcome::Withdrawn(_)))
    );
    assert_eq!(turns[1].acted.len(), 2);
    dashboard.command("stop");
    assert_eq!(running.finish().code, Some(130));
}

#[test]
fn moving_the_mouse_during_the_countdown_is_allowed() {
    for care in [Care::Panel, Care::Alone] {
        let (stage, place) = (Stage::new(), Workplace::new());
        let server = scripted(&[r#"{"text": "a"}"#]);
        let person = stage.person();
        let more = ["--set", "screen.countdown_s=12", "--max-turns", "1"];
        let running = start(&stage, &place, &url(&server), care, &more);
        let agent = actor(&running, care);
        guardian_of(agent);
        // Move the mouse during the countdown, while the agent starts to watch it.
        let began = Instant::now();
        wait_until("a hand that has left the mouse", || {
            person.move_by(15, 5);
            person.move_by(-15, -5);
            (began.elapsed() > Duration::from_secs(1)).then_some(())
        });
        assert_eq!(server.requests().len(), 0, "the agent has not begun");
        let finished = running.finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(
            finished.stdout.contains("ended: the last requested turn"),
            "{}",
            finished.stdout
        );
    }
}
