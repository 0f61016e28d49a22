//! The keyboard: held keys and typed characters.

use franz_action::keys::{Key, Modifier};

use super::events::{key, send, unit};
use super::keys::{self, Stroke};
use crate::desktop::display::{DisplayError, Press};

use windows_sys::Win32::UI::Input::KeyboardAndMouse::INPUT;

/// The keys that we hold down.
#[derive(Default)]
pub(super) struct Keyboard {
    down: Vec<Down>,
}

/// A key that is down. It is released exactly as it was pressed, even if the layout has changed in between.
struct Down {
    key: Key,
    stroke: Stroke,
    /// The modifiers pressed for this key.
    modifiers: Vec<Modifier>,
}

impl Keyboard {
    /// Presses a key, after the modifiers that its character needs.
    pub(super) fn press(&mut self, key: Key) -> Result<(), DisplayError> {
        let (mut stroke, mut modifiers) = keys::find(key);
        modifiers.retain(|modifier| !self.holds(*modifier));
        if self.holds_command() {
            stroke = in_command(key, stroke);
            // A letter with Ctrl, Alt or Win types nothing: a chord written Ctrl+C does not include Shift.
            if matches!(key, Key::Char(character) if character.is_alphabetic()) {
                modifiers.clear();
            }
        }
        let mut events = Vec::with_capacity(4);
        for modifier in &modifiers {
            push(&mut events, stroke_of(*modifier), Press::Down);
        }
        push(&mut events, stroke, Press::Down);
        // Record the key before sending, so that it is released even if only some of the events get through.
        self.down.push(Down { key, stroke, modifiers });
        send(&events)
    }

    /// Releases a key, then the modifiers that were pressed for it.
    pub(super) fn release(&mut self, key: Key) -> Result<(), DisplayError> {
        let place = self.down.iter().rposition(|down| down.key == key);
        let mut events = Vec::with_capacity(4);
        if let Some(down) = place.and_then(|place| self.down.get(place)) {
            push(&mut events, down.stroke, Press::Up);
            for modifier in down.modifiers.iter().rev() {
                push(&mut events, stroke_of(*modifier), Press::Up);
            }
        } else {
            // Another process has pressed it, so nobody knows how.
            let (stroke, modifiers) = keys::find(key);
            push(&mut events, in_command(key, stroke), Press::Up);
            for modifier in modifiers {
                push(&mut events, stroke_of(modifier), Press::Up);
            }
        }
        send(&events)?;
        // If Windows blocks the input, a later attempt still knows the modifiers.
        if let Some(place) = place {
            self.down.remove(place);
        }
        Ok(())
    }

    /// Returns whether a modifier is down that turns the next key into a command.
    fn holds_command(&self) -> bool {
        let modifiers = [Modifier::Ctrl, Modifier::Alt, Modifier::Win];
        modifiers.into_iter().any(|modifier| self.holds(modifier))
    }

    fn holds(&self, modifier: Modifier) -> bool {
        let ours = |down: &Down| down.key == Key::Modifier(modifier) || down.modifiers.contains(&modifier);
        self.down.iter().any(ours)
    }
}

/// Types one character, regardless of layout, Caps Lock and Num Lock: the keys go down and up in one batch.
pub(super) fn type_character(character: char) -> Result<(), DisplayError> {
    let stroke = match character {
        '\n' | '\r' => keys::find(Key::Named("enter")).0,
        '\t' => keys::find(Key::Named("tab")).0,
        other => Stroke::Character(other),
    };
    let (mut events, mut releases) = (Vec::with_capacity(4), Vec::with_capacity(2));
    push(&mut events, stroke, Press::Down);
    push(&mut releases, stroke, Press::Up);
    events.extend_from_slice(&releases);
    send(&events).inspect_err(|_| {
        // Windows might have let only the presses through.
        let _ = send(&releases);
    })
}

/// Returns how to press a key in a command. Programs do not recognise a command in a character that was sent without a
/// key, and might type it. A Cyrillic or Greek layout, for instance, has no key for the `c` of Ctrl+C.
fn in_command(key: Key, found: Stroke) -> Stroke {
    match found {
        Stroke::Character(_) => keys::command(key).unwrap_or(found),
        Stroke::Key { .. } => found,
    }
}

fn stroke_of(modifier: Modifier) -> Stroke {
    keys::find(Key::Modifier(modifier)).0
}

/// Adds the events of a stroke. A character beyond the first 65,536 takes two units.
fn push(events: &mut Vec<INPUT>, stroke: Stroke, press: Press) {
    match stroke {
        Stroke::Key { code, scan } => events.push(key(code, scan, press)),
        Stroke::Character(character) => {
            let units = character
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|code| unit(*code, press))
                .collect::<Vec<_>>();
            events.extend(units);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_uses_a_key_even_if_the_layout_has_none_for_its_letter() {
        let c = Stroke::Key { code: 0x43, scan: 0x2e };
        let elsewhere = Stroke::Key { code: 0x43, scan: 0x17 };
        for (character, found, pressed) in [
            ('c', Stroke::Character('c'), c),
            ('C', Stroke::Character('C'), c),
            ('c', elsewhere, elsewhere),
            ('你', Stroke::Character('你'), Stroke::Character('你')),
        ] {
            assert_eq!(in_command(Key::Char(character), found), pressed, "{character}");
        }
    }
}
