//! Text goes to a VNC server's clipboard and comes from it.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use franz_action::{Action, Outcome};
use franz_screen::desktop::Desktop;
use franz_screen::{ActionId, Glob, Mask, MaskTarget, Masked, RemoteKeyboard, Screen, VncServer};

use crate::stage::{Never, drawn, perform, until};
use crate::texts;
use crate::vnc::screen;
use crate::vnc_host::{Security, VncHost};

const TEXT: &str = "Grüße 日本語 привет €😀";

fn texts() -> Vec<String> {
    vec![
        "short".to_owned(),
        format!("{TEXT}\n{TEXT}\n"),
        texts::mixed(),
        "déjà vu 漢字 😀 ".repeat(5_000),
    ]
}

/// Puts text on the clipboard the way programs on the server's screen do.
fn copy(host: &VncHost, text: &str) {
    let mut program = host.command("xclip");
    let program = program.args(["-selection", "clipboard", "-i"]).stdin(Stdio::piped());
    let mut running = program.spawn().unwrap();
    running.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(running.wait().unwrap().success());
}

/// Reads the clipboard the way programs on the server's screen do. The server then requests the text from its owner.
fn paste(host: &VncHost, screen: &mut Desktop) -> String {
    let mut program = host.command("xclip");
    let program = program.args(["-selection", "clipboard", "-o"]).stdout(Stdio::piped());
    let mut running = program.spawn().unwrap();
    let mut output = running.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).map(|_| bytes)
    });
    until("the text is read", || {
        screen.capture().unwrap();
        reader.is_finished().then_some(())
    });
    assert!(running.wait().unwrap().success());
    String::from_utf8(reader.join().unwrap().unwrap()).unwrap()
}

fn act(screen: &mut dyn Screen, action: &str) -> Outcome {
    let action: Action = action.parse().unwrap();
    screen.perform(ActionId { turn: 1, index: 0 }, &action, &Never).unwrap()
}

#[test]
fn texts_are_exact_both_ways() {
    let host = VncHost::start(Security::Open);
    let mut screen = screen(host.server()).unwrap();
    screen.capture().unwrap();
    let nothing = Outcome::Done(Some("there is no text on the clipboard".to_owned()));
    assert_eq!(act(&mut screen, "read_clipboard()"), nothing);
    for text in texts() {
        copy(&host, &text);
        until("the text is there", || {
            (act(&mut screen, "read_clipboard()") == Outcome::read(&text)).then_some(())
        });
        assert_eq!(screen.clipboard_length(), Some(text.chars().count()));
    }
    for text in texts() {
        perform(&mut screen, &Action::WriteClipboard(text.clone()));
        assert_eq!(act(&mut screen, "read_clipboard()"), Outcome::read(&text));
        assert!(paste(&host, &mut screen) == text, "{} bytes", text.len());
        assert!(paste(&host, &mut screen) == text, "a second time, {} bytes", text.len());
    }
}

#[test]
fn what_the_keyboard_lacks_is_pasted_where_the_person_says_so() {
    let mut host = VncHost::start(Security::Open);
    let server = VncServer {
        keyboard: RemoteKeyboard::Clipboard,
        ..host.server()
    };
    let mut screen = screen(server).unwrap();
    let file = host.directory.path().join("typed.txt");
    std::fs::write(&file, "").unwrap();
    host.run("openbox", &[]);
    host.run("dbus-run-session", &["--", "mousepad", "--disable-server", "typed.txt"]);
    host.client().focused("mousepad");
    drawn(&mut screen);
    let text = format!("{TEXT}\nWith keys: {{~!}}\n\tand {TEXT}, twice\n");
    perform(&mut screen, &Action::typing(text.clone()));
    // The text that is typed last is also saved last.
    act(&mut screen, "press(\"ctrl+s\")");
    until("the text is saved", || {
        let saved = std::fs::read_to_string(&file).unwrap();
        (!saved.is_empty()).then(|| assert_eq!(saved, text))
    });
    assert_eq!(
        act(&mut screen, "read_clipboard()"),
        Outcome::read(format!("\tand {TEXT}, twice").trim_start())
    );
    host.run("xterm", &["-geometry", "400x100+0+0", "-e", "cat"]);
    host.client().focused("xterm");
    let told = act(&mut screen, "type(\"日本\")");
    assert!(
        matches!(&told, Outcome::NotApplied(why) if why.contains("no program pasted it")),
        "{told:?}"
    );
    let told = act(&mut screen, "type(\"\\u0007\")");
    assert!(
        matches!(&told, Outcome::NotApplied(why) if why.contains("cannot type U+0007")),
        "{told:?}"
    );
}

#[test]
fn a_mask_for_a_window_withholds_the_clipboard() {
    let host = VncHost::start(Security::Open);
    let masked = |target| {
        let masks = vec![Mask { target, name: None }];
        let mut screen = Masked::new(Box::new(screen(host.server()).unwrap()), masks);
        screen.capture().unwrap();
        screen
    };
    let mut seen = masked(MaskTarget::Area([0, 0, 100, 100]));
    copy(&host, TEXT);
    until("the text is there", || {
        (act(&mut seen, "read_clipboard()") == Outcome::read(TEXT)).then_some(())
    });
    drop(seen);
    let mut hidden = masked(MaskTarget::Window(Glob::new("Passwords")));
    copy(&host, "secret");
    let told = act(&mut hidden, "read_clipboard()");
    assert!(matches!(told, Outcome::Blocked(Some(_))), "{told:?}");
    assert_eq!(hidden.clipboard_length(), None);
}
