//! However a run is stopped or paused in the middle of an action, the action is interrupted, and no key or button stays
//! pressed.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::dashboard::Dashboard;
use crate::desktop::person::Person;
use crate::desktop::process::{agent_of, lives, signal};
use crate::desktop::run::{Care, assert_interrupted, left_behind, start};
use crate::desktop::stage::Stage;
use crate::desktop::work::Work;
use crate::harness::{Running, Workplace, url, wait_until};

/// Far longer than the goal of 200 ms, which cannot be tested on a busy machine.
const SOON: Duration = Duration::from_secs(2);

/// A run in the middle of an action.
struct Scene<'a> {
    stage: &'a Stage,
    place: Workplace,
    running: Running,
    person: Person,
}

impl Scene<'_> {
    fn of(stage: &Stage, care: Care, work: Work) -> (Scene<'_>, franz_demo::DemoHandle) {
        let (place, server) = (Workplace::new(), work.model());
        let running = start(stage, &place, &url(&server), care, &[]);
        let scene = Scene {
            person: stage.person(),
            stage,
            place,
            running,
        };
        (scene, server)
    }

    /// Waits until all keys and buttons are released, and prints how long that took since `began`.
    fn settle(&self, what: &str, care: Care, work: Work, began: Instant) {
        while !self.stage.is_at_rest() {
            assert!(began.elapsed() < Duration::from_mins(1), "something is held for good");
        }
        let took = began.elapsed();
        eprintln!(
            "latency {what} {care:?} {work:?}: {:.1} ms",
            took.as_secs_f64() * 1000.0
        );
        assert!(took < SOON, "{what} {care:?} {work:?}: {took:?}");
    }
}

/// Calls `stop` in the middle of each kind of action. The run must end with `code` and report `reason`.
fn stops(what: &str, care: Care, code: i32, reason: &str, stop: impl Fn(&Scene<'_>)) {
    let stage = Stage::new();
    for work in Work::ALL {
        let (scene, _server) = Scene::of(&stage, care, work);
        work.wait(&stage);
        let began = Instant::now();
        stop(&scene);
        scene.settle(what, care, work, began);
        let Scene { place, running, .. } = scene;
        let finished = running.finish();
        assert_eq!(finished.code, Some(code), "{what} {work:?}: {}", finished.stderr);
        assert!(finished.stdout.contains(reason), "{what} {work:?}: {}", finished.stdout);
        assert_interrupted(&left_behind(&place));
        stage.assert_nothing_is_held(&place);
    }
}

#[test]
fn ctrl_c_stops_the_run() {
    for care in [Care::Panel, Care::Alone] {
        stops("Ctrl+C", care, 130, "stopped by Ctrl+C", |scene| {
            signal(scene.running.id(), Signal::INT);
        });
    }
}

#[test]
fn sigterm_stops_the_run() {
    for care in [Care::Panel, Care::Alone] {
        stops("SIGTERM", care, 143, "ended: stopped", |scene| {
            signal(scene.running.id(), Signal::TERM);
        });
    }
}

#[test]
fn the_dashboard_stops_the_run() {
    stops("dashboard", Care::Panel, 130, "ended: stopped", |scene| {
        Dashboard::of(&scene.place).command("stop");
    });
}

#[test]
fn a_corner_stops_the_run() {
    for care in [Care::Panel, Care::Alone] {
        stops("corner", care, 130, "you pushed the pointer into a corner", |scene| {
            // A push into the corner begins as a movement, and continues while the agent might still move the pointer.
            // It is there with the second movement, because a run without a panel gives it only half a second.
            scene.person.move_by(-30, -20);
            wait_until("the agent's hands off", || {
                scene.person.move_by(-2000, -2000);
                scene.stage.is_at_rest().then_some(())
            });
            scene.person.move_by(-2000, -2000);
        });
    }
}

#[test]
fn a_corner_stops_a_paused_run() {
    let stage = Stage::new();
    let (scene, _server) = Scene::of(&stage, Care::Panel, Work::Drag);
    Work::Drag.wait(&stage);
    scene.person.move_by(40, 30);
    Dashboard::of(&scene.place).wait_for_agent("paused");
    scene.person.move_by(-2000, -2000);
    let finished = scene.running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    let reason = "you pushed the pointer into a corner";
    assert!(finished.stdout.contains(reason), "{}", finished.stdout);
    stage.assert_nothing_is_held(&scene.place);
}

#[test]
fn taking_the_mouse_without_a_panel_stops_the_run() {
    let reason = "you took the mouse or pressed Esc twice";
    stops("mouse", Care::Alone, 130, reason, |scene| scene.person.move_by(40, 30));
    stops("Esc twice", Care::Alone, 130, reason, |scene| {
        scene.person.press_escape_twice();
    });
}

#[test]
fn the_death_of_the_panel_stops_the_run() {
    let stage = Stage::new();
    for work in Work::ALL {
        let (scene, _server) = Scene::of(&stage, Care::Panel, work);
        let agent = agent_of(&scene.running);
        work.wait(&stage);
        let began = Instant::now();
        signal(scene.running.id(), Signal::KILL);
        scene.settle("panel's death", Care::Panel, work, began);
        wait_until("the end of the agent", || (!lives(agent)).then_some(()));
        assert_interrupted(&left_behind(&scene.place));
        stage.assert_nothing_is_held(&scene.place);
    }
}

/// Calls `take` for the person in the middle of each kind of action. The run must pause, and then continue from the
/// dashboard.
fn pauses(what: &str, take: impl Fn(&Person)) {
    let stage = Stage::new();
    for work in Work::ALL {
        let (scene, server) = Scene::of(&stage, Care::Panel, work);
        work.wait(&stage);
        let began = Instant::now();
        take(&scene.person);
        scene.settle(what, Care::Panel, work, began);
        let dashboard = Dashboard::of(&scene.place);
        dashboard.wait_for_agent("paused");
        assert_eq!(
            server.requests().len(),
            1,
            "nothing is asked while the person has the mouse"
        );
        stage.assert_nothing_is_held(&scene.place);
        dashboard.command("resume");
        let turn = &scene.place.wait_for_turn(2)[1];
        assert_interrupted(&turn.acted);
        assert!(turn.feedback.contains("the person took the mouse"), "{}", turn.feedback);
        scene.place.wait_for_turn(3);
        dashboard.command("stop");
        assert_eq!(scene.running.finish().code, Some(130));
    }
}

#[test]
fn a_movement_of_the_mouse_pauses() {
    pauses("mouse", |person| person.move_by(40, 30));
}

#[test]
fn escape_twice_pauses() {
    pauses("Esc twice", Person::press_escape_twice);
}
