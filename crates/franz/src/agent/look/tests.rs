//! Looking a second time at a change that would hold an action.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use franz_action::{Button, Click, Norm};

use super::super::grey::{self, Fixture};
use super::*;

/// Returns what a look before a click finds if the screen was black in the model's picture and has these greys since,
/// and how often FRANZ has looked. The pointer either arrives at once or travels.
fn looked(greys: &'static [u8], travels: bool) -> (Result<Option<String>, String>, usize) {
    let mut fixture: Fixture = grey::agent("```python\nleft_click(1, 2)\n```");
    fixture.enlarge();
    fixture.shared.travels.store(travels, Ordering::Relaxed);
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
    assert_eq!(looked(&[0], false), (Ok(None), 1));
    assert_eq!(looked(&[200, 0], false), (Ok(None), 2));
    let (held, looks) = looked(&[200, 150], false);
    assert!(held.is_err_and(|why| why.starts_with("the screen changed ")));
    assert_eq!(looks, 2);
}

#[test]
fn a_click_is_held_for_what_changes_while_the_pointer_travels() {
    assert_eq!(looked(&[0], true), (Ok(None), 2));
    assert_eq!(looked(&[0, 200, 0], true), (Ok(None), 3));
    let (held, looks) = looked(&[0, 200], true);
    assert!(held.is_err_and(|why| why.starts_with("the screen changed ")));
    assert_eq!(looks, 3);
    assert_eq!(looked(&[200, 200, 0], true).1, 2, "held before the pointer moves");
}
