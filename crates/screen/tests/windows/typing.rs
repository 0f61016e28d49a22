//! Typed text arrives character for character.

use franz_action::Action;

use crate::editor::Editor;
use crate::stage::Stage;

/// Two hundred characters from many alphabets. Some take two UTF-16 units, and some are on no keyboard here.
const MIXED: &str = "Grüße, мир! 你好, 世界 €½ ñandú «ça» Ελλάδα שלום مرحبا\n\tЁж №42: {[(<|>)]} \\ @ # ^ ~ ` ´ ' \" % & * + - = _ /\n\
    aAbBcCzZ 0123456789 ÀÉÎÕÜ ßẞ ŁódźŽ İıĞğ Đđ ő ű 😀🦀🚀 𝄞 𠀀 é‎‏ … – — • ™ © ® → ≠ ∞ ∑\n\n  zwei  Leerzeichen\nтест 日本語テキスト 한국어 ไทย\nEnd.";

#[test]
fn two_hundred_mixed_characters_arrive_exactly() {
    assert!(MIXED.chars().count() >= 200, "{}", MIXED.chars().count());
    let mut stage = Stage::new();
    let editor = Editor::with("", &mut stage);
    stage.act(&Action::typing(MIXED.to_owned()));
    editor.shows(MIXED);
}

#[test]
fn caps_lock_changes_no_text() {
    let mut stage = Stage::new();
    let editor = Editor::with("", &mut stage);
    stage.press("capslock");
    stage.act(&Action::typing("abc DEF äÖ".to_owned()));
    stage.press("capslock");
    stage.act(&Action::typing(" xyz".to_owned()));
    editor.shows("abc DEF äÖ xyz");
}

#[test]
fn characters_that_need_shift_are_pressed_with_it() {
    let mut stage = Stage::new();
    let editor = Editor::with("", &mut stage);
    for chord in [
        "a", "A", "!", "1", "+", "shift+b", "é", "你", "space", "?", "enter", ".",
    ] {
        stage.press(chord);
    }
    editor.shows("aA!1+Bé你 ?\n.");
}

#[test]
fn chords_do_what_their_names_say_in_either_case() {
    let mut stage = Stage::new();
    let editor = Editor::with("one two", &mut stage);
    stage.press("ctrl+A");
    stage.press("ctrl+C");
    stage.press("end");
    stage.press("ctrl+v");
    editor.shows("one twoone two");
    stage.press("ctrl+a");
    stage.press("delete");
    editor.shows("");
    for chord in ["x", "y", "left", "shift+left", "ctrl+x", "right", "ctrl+v", "home", "z"] {
        stage.press(chord);
    }
    editor.shows("zyx");
}
