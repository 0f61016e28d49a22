//! An agent is killed in the middle of an action. Its guardian or a person releases the keys and buttons that it held.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::desktop::process::{freeze, guardian_of, lives, signal};
use crate::desktop::run::{Care, actor, assert_interrupted, resume, start};
use crate::desktop::stage::Stage;
use crate::desktop::work::Work;
use crate::harness::{Workplace, spawn, url, wait_until};

/// Stops the agent in the middle of an action, while a key or button is pressed or a key has another symbol.
fn catch(stage: &Stage, agent: u32, work: Work) {
    loop {
        work.wait(stage);
        freeze(agent);
        if !stage.is_at_rest() {
            return;
        }
        signal(agent, Signal::CONT);
    }
}

fn killed(care: Care) {
    let stage = Stage::new();
    for work in Work::ALL {
        let (place, server) = (Workplace::new(), work.model());
        let url = url(&server);
        let running = start(&stage, &place, &url, care, &[]);
        let agent = actor(&running, care);
        catch(&stage, agent, work);
        let began = Instant::now();
        signal(agent, Signal::KILL);
        while !stage.is_at_rest() {
            assert!(began.elapsed() < Duration::from_mins(1), "nobody releases what is held");
        }
        let took = began.elapsed();
        eprintln!(
            "latency kill -9 {care:?} {work:?}: {:.1} ms",
            took.as_secs_f64() * 1000.0
        );
        wait_until("the end of the agent", || (!lives(agent)).then_some(()));
        // The panel starts another agent on its own.
        let running = match care {
            Care::Panel => running,
            Care::Alone => resume(&stage, &place, &url, care, &[]),
        };
        let turn = &place.wait_for_turn(2)[1];
        assert_interrupted(&turn.acted);
        assert!(turn.feedback.contains("FRANZ was interrupted"), "{}", turn.feedback);
        running.signal("TERM");
        assert_eq!(running.finish().code, Some(143));
        stage.assert_nothing_is_held(&place);
    }
}

#[test]
fn the_guardian_releases_what_a_watched_agent_held() {
    killed(Care::Panel);
}

#[test]
fn the_guardian_releases_what_an_agent_alone_held() {
    killed(Care::Alone);
}

/// A guardian notices that an agent has ended before the X server does, because the agent's files are closed one by
/// one.
#[test]
fn a_guardian_restores_the_keyboard_of_an_agent_that_is_still_dying() {
    let stage = Stage::new();
    let (place, server) = (Workplace::new(), Work::LentChords.model());
    let running = start(&stage, &place, &url(&server), Care::Alone, &[]);
    let agent = running.id();
    loop {
        catch(&stage, agent, Work::LentChords);
        if stage.has_changed_keys() && !stage.client.down().0.is_empty() {
            break;
        }
        signal(agent, Signal::CONT);
    }
    signal(guardian_of(agent), Signal::KILL);
    // A shell stands in for the agent as the guardian's parent. The real agent is stopped, so to the X server it is
    // still dying.
    let mut shell = stage.on(std::process::Command::new("sh"));
    shell.args(["-c", "\"$0\" release --when-closed </dev/null >/dev/null & read _"]);
    shell
        .arg(env!("CARGO_BIN_EXE_franz"))
        .stdin(std::process::Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    wait_until("the guardian to release keys", || {
        stage.client.down().0.is_empty().then_some(())
    });
    assert!(stage.has_changed_keys(), "the agent is still alive");
    running.kill();
    drop(shell.stdin.take());
    wait_until("the guardian to restore the keyboard", || {
        stage.is_at_rest().then_some(())
    });
    shell.wait().unwrap();
    stage.assert_nothing_is_held(&place);
}

#[test]
fn leftover_keys_and_buttons_are_released_by_hand() {
    let stage = Stage::new();
    for (work, freed) in [
        (Work::Drag, &["left button"][..]),
        (Work::Chords, &["ctrl", "shift", "f9"]),
        (Work::Text, &[]),
    ] {
        let (place, server) = (Workplace::new(), work.model());
        let running = start(&stage, &place, &url(&server), Care::Alone, &[]);
        catch(&stage, running.id(), work);
        signal(guardian_of(running.id()), Signal::KILL);
        running.kill();
        assert!(!stage.is_at_rest(), "{work:?}: nobody was there to release anything");
        let release = spawn(stage.on(place.program(&["release"]))).finish();
        assert_eq!(release.code, Some(0), "{}", release.stderr);
        for name in freed {
            assert!(release.stdout.contains(name), "{work:?}: {}", release.stdout);
        }
        assert!(stage.is_at_rest(), "{work:?}: {}", release.stdout);
        stage.assert_nothing_is_held(&place);
    }
}
