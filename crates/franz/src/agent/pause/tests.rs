//! The screen changes without the agent while the run is paused.

use franz_record::TurnLine;

use super::super::grey::{self, Shared};
use super::*;

/// Runs until the first turn after the pause. Returns that turn's line and its actions on the screen.
fn held_after_first_turn(change: impl FnOnce(&Shared)) -> (TurnLine, Vec<String>) {
    let fixture = grey::agent("```python\nleft_click(1, 2)\n```");
    let (agent, stop, events) = (fixture.agent, fixture.stop, fixture.events);
    stop.pause();
    stop.step();
    let thread = std::thread::spawn(move || agent.run());
    events
        .iter()
        .find(|event| *event == Event::Paused { turn: 2, why: None })
        .unwrap();
    change(&fixture.shared);
    stop.step();
    let done = events.iter().find_map(|event| match event {
        Event::TurnDone(done) => Some(*done),
        _ => None,
    });
    stop.end(Ending::Stopped);
    thread.join().unwrap();
    let acts = fixture.shared.done.lock().unwrap().clone();
    (done.unwrap(), acts)
}

#[test]
fn actions_for_a_changed_screen_are_held() {
    let (line, done) = held_after_first_turn(|screen| *screen.grey.lock().unwrap() = 200);
    assert_eq!(done, Vec::<String>::new());
    assert_eq!(line.acted[0].outcome.name(), "held");
    let told = "NOTICE: left_click(1, 2) was held: the screen changed at (1, 2) after your picture.";
    assert!(line.feedback.contains(told), "{}", line.feedback);
}

#[test]
fn actions_for_an_unchanged_screen_are_performed() {
    let (line, done) = held_after_first_turn(|_| {});
    assert_eq!(done, ["left_click(1, 2)"]);
    assert!(!line.feedback.contains("paused you"), "{}", line.feedback);
}
