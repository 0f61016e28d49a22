//! Text goes to the clipboard and comes from it.

use std::io::Write;
use std::process::Stdio;

use franz_action::{Action, Outcome};
use franz_screen::desktop::Pace;
use franz_screen::{ActionId, Screen};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Property,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use crate::client::Client;
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
            // On a busy machine, a program may hand over a long text too late once.
            (display.clipboard().ok().flatten().as_ref() == Some(&text)).then_some(())
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
    own_clipboard(&client);
    assert!(is_not_handed_over(&stage));
}

#[test]
fn a_text_that_breaks_off_is_not_taken_for_the_whole_text() {
    let stage = Stage::new();
    let client = stage.client();
    own_clipboard(&client);
    std::thread::scope(|scope| {
        scope.spawn(|| break_off(&client));
        assert!(is_not_handed_over(&stage));
    });
}

/// Makes this client the owner of the clipboard.
fn own_clipboard(client: &Client) {
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
}

/// Reads the clipboard; returns whether its owner does not hand over the text.
fn is_not_handed_over(stage: &Stage) -> bool {
    let mut screen = stage.screen(Pace::FAST);
    let action: Action = "read_clipboard()".parse().unwrap();
    let outcome = screen.perform(ActionId { turn: 1, index: 0 }, &action, &Never).unwrap();
    matches!(outcome, Outcome::NotApplied(why) if why.contains("does not hand it over"))
}

/// Sends the first piece of a text to the program that asks for it, and never the rest.
fn break_off(client: &Client) {
    let connection = &client.connection;
    let incremental = client.atom("INCR");
    let request = loop {
        if let Event::SelectionRequest(request) = connection.wait_for_event().unwrap() {
            break request;
        }
    };
    let (asking, property, replace) = (request.requestor, request.property, PropMode::REPLACE);
    let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    connection.change_window_attributes(asking, &aux).unwrap();
    let announced = connection.change_property32(replace, asking, property, incremental, &[100]);
    announced.unwrap();
    let answer = SelectionNotifyEvent {
        response_type: SELECTION_NOTIFY_EVENT,
        sequence: 0,
        time: request.time,
        requestor: asking,
        selection: request.selection,
        target: request.target,
        property,
    };
    let answered = connection.send_event(false, asking, EventMask::NO_EVENT, answer);
    answered.unwrap().check().unwrap();
    loop {
        if let Event::PropertyNotify(changed) = connection.wait_for_event().unwrap()
            && changed.state == Property::DELETE
        {
            break;
        }
    }
    let piece = connection.change_property8(replace, asking, property, request.target, b"only a part");
    piece.unwrap().check().unwrap();
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
