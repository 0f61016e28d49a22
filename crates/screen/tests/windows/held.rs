//! Nothing stays pressed, whatever happens.

use std::cell::Cell;
use std::time::Duration;

use franz_action::keys::{Key, Modifier};
use franz_action::{Action, Outcome, Point};
use franz_screen::desktop::{Button, Press};
use franz_screen::{Interrupt, Pace};

use crate::editor::Editor;
use crate::stage::{Never, Stage, alone, comes_soon, display};
use crate::window::keys_down;

/// Random numbers that are the same in every run, from Knuth's linear congruential generator.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// Returns a point somewhere in the editor's text.
    fn point(&mut self) -> Point {
        Point::clamped(200 + self.below(300) as i64, 250 + self.below(250) as i64)
    }

    fn action(&mut self) -> Action {
        let chords = [
            "ctrl+a",
            "ctrl+C",
            "shift+end",
            "ctrl+shift+left",
            "alt+f",
            "esc",
            "A",
            "é",
            "ctrl+home",
            "f3",
        ];
        match self.below(8) {
            0 => Action::left_click(self.point()),
            1 => Action::double_click(self.point()),
            2 => Action::drag(self.point(), self.point()),
            3 => Action::typing("Mixed ÄÖ 你 😀\tx\n".to_owned()),
            4 => Action::Move(self.point()),
            5 => Action::Scroll {
                dy: self.below(7) as i32 - 3,
                dx: self.below(3) as i32 - 1,
                at: Some(self.point()),
            },
            6 => Action::right_click(self.point()),
            _ => Action::Press(chords[self.below(chords.len() as u64) as usize].parse().unwrap()),
        }
    }
}

/// An interrupt that is set after being asked this many times.
struct After(Cell<u64>);

impl Interrupt for After {
    fn is_set(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }

    fn sleep(&self, duration: Duration) -> bool {
        self.is_set() || Never.sleep(duration)
    }
}

#[track_caller]
fn nothing_is_down(after: &str) {
    let released = comes_soon(|| keys_down().is_empty());
    assert!(released, "down after {after}: {:x?}", keys_down());
}

#[test]
fn actions_in_any_order_leave_nothing_down() {
    let mut stage = Stage::new();
    let _editor = Editor::with("some words to act upon\n", &mut stage);
    for seed in 1..=10 {
        let mut chance = Chance(seed);
        for _ in 0..12 {
            let action = chance.action();
            stage.act(&action);
            nothing_is_down(&format!("{action:?} of seed {seed}"));
        }
        // Close anything that might have been opened.
        stage.press("esc");
        stage.press("esc");
    }
}

#[test]
fn an_interrupted_action_leaves_nothing_down() {
    let mut stage = Stage::new();
    let _editor = Editor::with("some words to act upon\n", &mut stage);
    let actions = [
        Action::drag(Point::clamped(200, 200), Point::clamped(400, 300)),
        Action::typing("Mixed ÄÖ 你 😀\tx\n".to_owned()),
        Action::Press("ctrl+shift+left".parse().unwrap()),
        Action::triple_click(Point::clamped(300, 200)),
    ];
    for action in actions {
        let mut broken_off = 0;
        for asked in 1.. {
            let outcome = stage.act_until(&action, &After(Cell::new(asked)));
            nothing_is_down(&format!("{action:?}, broken off at {asked}"));
            if outcome == Outcome::DONE {
                break;
            }
            assert_eq!(outcome, Outcome::Interrupted);
            broken_off += 1;
        }
        assert!(broken_off > 2, "{action:?}: {broken_off}");
    }
}

#[test]
fn dropping_the_desktop_after_a_cut_drag_releases_the_button() {
    let mut stage = Stage::at(Pace::HUMAN);
    let drag = Action::drag(Point::clamped(200, 200), Point::clamped(400, 300));
    assert_eq!(stage.act_until(&drag, &After(Cell::new(30))), Outcome::Interrupted);
    drop(stage);
    let _alone = alone();
    nothing_is_down("the end");
}

#[test]
fn leftovers_of_a_killed_process_are_released_and_named() {
    let _alone = alone();
    let mut left = display();
    left.move_to(5, 700).unwrap();
    left.key(&Key::Modifier(Modifier::Ctrl), Press::Down).unwrap();
    left.key(&Key::Char('A'), Press::Down).unwrap();
    left.button(Button::Left, Press::Down).unwrap();
    drop(left);
    assert!(!keys_down().is_empty());
    let mut next = display();
    let mut names = next.release().unwrap().unwrap();
    names.sort();
    assert_eq!(names, ["a", "ctrl", "left button"]);
    nothing_is_down("the release");
    assert_eq!(next.release().unwrap(), Some(Vec::new()));
}
