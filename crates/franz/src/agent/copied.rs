//! Copying by a key press. It changes nothing on the screen, so FRANZ tells the model how much is on the clipboard.

use franz_action::Action;
use franz_action::keys::{Chord, Key, Modifier};
use franz_screen::Screen as _;

use super::{Agent, notices};

impl Agent {
    /// Returns the notice about how much is on the clipboard, if the last of these actions copied something and the
    /// screen can report the amount.
    pub(super) fn copied(&mut self, actions: &[Action]) -> Option<String> {
        match actions.last() {
            Some(Action::Press(keys)) if keys.chords().last().is_some_and(copies) => {
                self.screen.clipboard_length().map(notices::copied)
            }
            _ => None,
        }
    }
}

/// Checks whether this chord makes programs copy or cut the selection.
fn copies(chord: &Chord) -> bool {
    let is_letter = matches!(chord.key, Key::Char('c' | 'x'));
    match chord.modifiers.as_slice() {
        [Modifier::Ctrl | Modifier::Win] => is_letter || chord.key == Key::Named("insert"),
        // These copy in terminals, where Ctrl+C means something else.
        [Modifier::Ctrl, Modifier::Shift] => is_letter,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copying_and_cutting_are_known() {
        for (chord, wanted) in [
            ("ctrl+c", true),
            ("cmd+x", true),
            ("ctrl+insert", true),
            ("ctrl+shift+c", true),
            ("ctrl+v", false),
            ("shift+insert", false),
            ("ctrl+alt+c", false),
            ("c", false),
        ] {
            assert_eq!(copies(&chord.parse().unwrap()), wanted, "{chord}");
        }
    }
}
