//! Texts arrive character for character.

use franz_action::Action;
use franz_screen::desktop::Pace;

use crate::stage::{Stage, perform, written};
use crate::texts;

#[test]
fn xterm_gets_what_was_typed() {
    for pace in [Pace::FAST, quick_human()] {
        let mut stage = Stage::new();
        let file = stage.path("typed");
        stage.run("xterm", &["-fa", "DejaVu Sans Mono", "-e", "cat > typed"]);
        let client = stage.client();
        client.focused("xterm");
        let before = client.keymap();
        let mut screen = stage.screen(pace);
        perform(&mut screen, &Action::Type(texts::mixed()));
        assert_eq!(client.keymap(), before);
        assert_eq!(written(&file, &texts::mixed()), texts::mixed());
    }
}

/// A person's pace, but for the pauses between characters.
fn quick_human() -> Pace {
    Pace {
        character: std::time::Duration::from_millis(5),
        word: std::time::Duration::from_millis(10),
        ..Pace::HUMAN
    }
}
