//! The pace of input: a person's, or as fast as programs can take it.

use std::time::Duration;

/// The pace of input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The number of steps in one mouse movement.
    pub move_steps: u32,
    /// The pause between two steps.
    pub move_step: Duration,
    /// The pause between arriving and clicking.
    pub settle: Duration,
    /// How long a button is held in a click.
    pub hold: Duration,
    /// The pause between the clicks of a double click.
    pub between_clicks: Duration,
    /// The pause after the press and before the release of a drag.
    pub drag_pause: Duration,
    /// The pause after a character.
    pub character: Duration,
    /// The pause after a word.
    pub word: Duration,
}

impl Pace {
    /// The pace of a person.
    pub const HUMAN: Pace = Pace {
        move_steps: 20,
        move_step: Duration::from_millis(10),
        settle: Duration::from_millis(150),
        hold: Duration::from_millis(50),
        between_clicks: Duration::from_millis(80),
        drag_pause: Duration::from_millis(100),
        character: Duration::from_millis(80),
        word: Duration::from_millis(150),
    };
    /// As fast as programs can take it. Programs recognise a drag only once they see the pointer move, and Chromium
    /// merges two clicks in the same millisecond. Where the display reports when a program has processed its input,
    /// these pauses are enough.
    pub const FAST: Pace = Pace {
        move_steps: 4,
        move_step: Duration::from_millis(1),
        settle: Duration::from_millis(5),
        hold: Duration::from_millis(5),
        between_clicks: Duration::from_millis(5),
        drag_pause: Duration::from_millis(5),
        character: Duration::ZERO,
        word: Duration::ZERO,
    };
}
