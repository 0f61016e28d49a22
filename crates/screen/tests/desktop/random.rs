//! Whichever action is performed, and wherever it is interrupted, no key or button stays down, and the keyboard is
//! restored.

use std::cell::Cell;
use std::time::Duration;

use franz_action::{Action, Point};
use franz_screen::desktop::Pace;
use franz_screen::{ActionId, Interrupt, Screen};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

use crate::stage::Stage;
use crate::witness::Witness;

/// An interrupt that is set after being asked this many times, and never sleeps.
struct Countdown(Cell<u32>);

impl Interrupt for Countdown {
    fn is_set(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }

    fn sleep(&self, _: Duration) -> bool {
        self.is_set()
    }
}

fn action(random: &mut TestRng) -> Action {
    let mut below = |most: u32| i64::from(random.next_u32() % most);
    let (here, there) = (
        Point::clamped(below(1001), below(1001)),
        Point::clamped(below(1001), below(1001)),
    );
    match below(10) {
        0 => Action::left_click(here),
        1 => Action::right_click(here),
        2 => Action::double_click(here),
        3 => Action::triple_click(here),
        4 | 5 => Action::drag(here, there),
        6 => Action::Scroll {
            dy: below(9) as i32 - 4,
            dx: below(3) as i32 - 1,
            at: Some(here),
        },
        7 => {
            let chords = ["ctrl+shift+x", "alt+f", "A", "é", "win", "ctrl+alt+shift+win+ж"];
            Action::Press(chords[below(6) as usize].parse().unwrap())
        }
        8 => Action::typing("Hello, wörld ♥\n".to_owned()),
        _ => Action::typing("ABC @ abc\t".to_owned()),
    }
}

#[test]
fn random_actions_leave_no_key_down() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let before = witness.client.keymap();
    for seed in 0..20 {
        let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        let mut screen = stage.screen(Pace::FAST);
        for index in 0..12 {
            let action = action(&mut random);
            let whole = random.next_u32().is_multiple_of(2);
            let countdown = Countdown(Cell::new(if whole { u32::MAX } else { random.next_u32() % 30 }));
            screen
                .perform(ActionId { turn: 1, index }, &action, &countdown)
                .unwrap();
            assert_eq!(witness.client.down(), (vec![], 0), "seed {seed}: {action:?}");
            assert!(witness.client.keymap() == before, "seed {seed}: {action:?}");
        }
        // Observing sends nothing to any program.
        witness.heard();
        for index in 0..3 {
            screen
                .perform(
                    ActionId { turn: 2, index },
                    &Action::Observe,
                    &Countdown(Cell::new(u32::MAX)),
                )
                .unwrap();
            screen.capture().unwrap();
        }
        assert_eq!(witness.heard(), []);
    }
}
