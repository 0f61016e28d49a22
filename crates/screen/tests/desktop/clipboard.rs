//! Text goes to the clipboard and comes from it.

use std::io::Write;
use std::process::Stdio;

use franz_action::{Action, Outcome};
use franz_screen::desktop::Pace;
use franz_screen::{ActionId, Screen};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, WindowClass};

use crate::stage::{Never, Stage, until};
use crate::texts;

fn texts() -> Vec<String> {
    vec!["short".to_owned(), texts::mixed(), "déjà vu 漢字 😀 ".repeat(50_000)]
}

#[test]
fn programs_read_our_clipboard_text() {
    let stage = Stage::new();
    let mut display = stage.display();
    for text in texts() {
        display.set_clipboard(&text).unwrap();
        let read = stage
            .command("xclip")
            .args(["-selection", "clipboard", "-o"])
            .output()
            .unwrap();
        assert!(String::from_utf8(read.stdout).unwrap() == text, "{} bytes", text.len());
        assert!(
            display.clipboard().unwrap().as_ref() == Some(&text),
            "{} bytes",
            text.len()
        );
    }
    let targets = stage
        .command("xclip")
        .args(["-selection", "clipboard", "-o", "-t", "TARGETS"])
        .output()
        .unwrap();
    let targets = String::from_utf8(targets.stdout).unwrap();
    assert!(
        targets.contains("UTF8_STRING") && targets.contains("text/plain;charset=utf-8"),
        "{targets}"
    );
    let latin = stage
        .command("xclip")
        .args(["-selection", "clipboard", "-o", "-t", "STRING"])
        .output()
        .unwrap();
    assert!(latin.stdout.starts_with(b"d\xe9j\xe0 vu ?? ?"));
}

#[test]
fn clipboard_text_of_programs_is_read() {
    let stage = Stage::new();
    let mut display = stage.display();
    assert_eq!(display.clipboard().unwrap(), None);
    for text in texts() {
        put(&stage, &text);
        until("the text is there", || {
            (display.clipboard().unwrap().as_ref() == Some(&text)).then_some(())
        });
    }
}

#[test]
fn actions_write_and_read_it() {
    let stage = Stage::new();
    let mut screen = stage.screen(Pace::FAST);
    let mut act = |action: &str| {
        let action: Action = action.parse().unwrap();
        screen.perform(ActionId { turn: 1, index: 0 }, &action, &Never).unwrap()
    };
    let nothing = Outcome::Done(Some("there is no text on the clipboard".to_owned()));
    assert_eq!(act("read_clipboard()"), nothing);
    assert_eq!(act(r#"write_clipboard("two\nlines: 漢字 😀")"#), Outcome::DONE);
    let read = stage
        .command("xclip")
        .args(["-selection", "clipboard", "-o"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(read.stdout).unwrap(), "two\nlines: 漢字 😀");
    assert_eq!(act("read_clipboard()"), Outcome::read("two\nlines: 漢字 😀"));
    for text in texts() {
        put(&stage, &text);
        until("the text is there", || {
            (act("read_clipboard()") == Outcome::read(&text)).then_some(())
        });
    }
}

#[test]
fn a_program_that_does_not_hand_over_its_text_is_not_taken_for_an_empty_clipboard() {
    let stage = Stage::new();
    let client = stage.client();
    let window = client.connection.generate_id().unwrap();
    let aux = CreateWindowAux::new();
    let made = client
        .connection
        .create_window(0, window, client.root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &aux);
    made.unwrap().check().unwrap();
    let owned = client
        .connection
        .set_selection_owner(window, client.atom("CLIPBOARD"), CURRENT_TIME);
    owned.unwrap().check().unwrap();
    let mut screen = stage.screen(Pace::FAST);
    let action: Action = "read_clipboard()".parse().unwrap();
    let Outcome::NotApplied(why) = screen.perform(ActionId { turn: 1, index: 0 }, &action, &Never).unwrap() else {
        panic!("its owner never answers")
    };
    assert!(why.contains("does not hand it over"), "{why}");
}

/// Puts text on the clipboard the way other programs do.
fn put(stage: &Stage, text: &str) {
    let mut program = stage.command("xclip");
    let program = program
        .args(["-selection", "clipboard", "-i"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let mut running = program.spawn().unwrap();
    running.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(running.wait().unwrap().success());
}
