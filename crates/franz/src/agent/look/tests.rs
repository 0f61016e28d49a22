//! Looking a second time at a change that would hold an action.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use franz_action::{Button, Click, Norm};

use super::super::grey::{self, Fixture};
use super::*;

/// Returns what a look before a click finds if the screen was black in the model's picture and has these greys since,
/// and how often FRANZ has looked.
fn looked(greys: &'static [u8]) -> (Result<Option<String>, String>, usize) {
    let mut fixture: Fixture = grey::agent("```python\nleft_click(1, 2)\n```");
    fixture.enlarge();
    let looks = Arc::new(AtomicUsize::new(0));
    let (shared, counted) = (Arc::clone(&fixture.shared), Arc::clone(&looks));
    *fixture.shared.before_picture.lock().unwrap() = Some(Box::new(move |_| {
        let look = counted.fetch_add(1, Ordering::Relaxed);
        *shared.grey.lock().unwrap() = greys[look.min(greys.len() - 1)];
    }));
    let agent = &mut fixture.agent;
    let seen = agent.trail.eye.scale(agent.screen.frame(), 640, 360);
    agent.trail.lookout.saw(Some(Arc::new(seen)), None);
    let click = Action::Click(Click {
        at: Point {
            x: Norm::MIDDLE,
            y: Norm::MIDDLE,
        },
        button: Button::Left,
        count: 1,
        modifiers: Vec::new(),
    });
    (agent.look_before(&click), looks.load(Ordering::Relaxed))
}

#[test]
fn a_click_is_held_only_for_what_a_second_look_finds_too() {
    assert_eq!(looked(&[0]), (Ok(None), 1));
    assert_eq!(looked(&[200, 0]), (Ok(None), 2));
    let (held, looks) = looked(&[200, 150]);
    assert!(held.is_err_and(|why| why.starts_with("the screen changed ")));
    assert_eq!(looks, 2);
}
