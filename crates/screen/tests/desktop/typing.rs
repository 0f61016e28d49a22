//! Text arrives character for character.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use franz_action::{Action, Outcome};
use franz_screen::desktop::Pace;
use franz_screen::{ActionId, Interrupt, Screen};
use rustix::process::{Pid, Signal, kill_process};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xkb::{ConnectionExt as _, Group, ID};
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, EventMask};

use crate::browser::Browser;
use crate::client::Client;
use crate::stage::{Stage, perform, until, written};
use crate::texts;
use crate::witness::Witness;

/// Starts a terminal in front that records what is typed.
fn terminal() -> (Stage, Client) {
    let mut stage = Stage::new();
    stage.run("xterm", &["-fa", "DejaVu Sans Mono", "-e", "cat > typed"]);
    let client = stage.client();
    client.focused("xterm");
    (stage, client)
}

#[test]
fn xterm_gets_what_was_typed() {
    for pace in [Pace::FAST, quick_human()] {
        let (stage, client) = terminal();
        let before = client.keymap();
        let mut screen = stage.screen(pace);
        perform(&mut screen, &Action::typing(texts::mixed()));
        assert_eq!(client.keymap(), before);
        assert_eq!(written(&stage.path("typed"), &texts::mixed()), texts::mixed());
    }
}

/// While a window manager reloads the keyboard, it passes no click on.
#[test]
fn typing_ends_when_the_window_manager_has_noticed_that_the_keyboard_is_as_before() {
    let (stage, client) = terminal();
    let manager = process_on("openbox", stage.desktop.name());
    let mut display = stage.display();
    display.claim().unwrap();
    let (asked, before) = (AtomicBool::new(false), client.keymap());
    // Whoever looks at what is sent to the root window also sees questions to the window manager.
    let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY);
    client
        .connection
        .change_window_attributes(client.root, &aux)
        .unwrap()
        .check()
        .unwrap();
    let question = client.atom("_NET_REQUEST_FRAME_EXTENTS");
    kill_process(manager, Signal::STOP).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            until("the window manager is asked", || {
                let event = client.connection.poll_for_event().unwrap()?;
                matches!(event, Event::ClientMessage(message) if message.type_ == question).then_some(())
            });
            asked.store(true, Ordering::SeqCst);
            kill_process(manager, Signal::CONT).unwrap();
            assert_eq!(client.keymap(), before, "the keyboard is given back first");
        });
        display.type_text("漢字\n", &mut |_| true).unwrap();
        let was_asked = asked.load(Ordering::SeqCst);
        kill_process(manager, Signal::CONT).unwrap();
        assert!(was_asked, "typing ended while the window manager was busy");
    });
    assert_eq!(written(&stage.path("typed"), "漢字\n"), "漢字\n");
}

/// Returns the process of a program on the display with this name.
fn process_on(program: &str, display: &str) -> Pid {
    let variable = format!("DISPLAY={display}");
    let is_it = |process: &std::path::Path| {
        let read = |name: &str| std::fs::read(process.join(name)).unwrap_or_default();
        read("comm").trim_ascii_end() == program.as_bytes()
            && read("environ")
                .split(|byte| *byte == 0)
                .any(|found| found == variable.as_bytes())
    };
    let mut processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let found = processes.find(|process| is_it(process)).unwrap();
    Pid::from_raw(found.file_name().unwrap().to_str().unwrap().parse().unwrap()).unwrap()
}

#[test]
fn mousepad_gets_what_was_typed() {
    for pace in [Pace::FAST, quick_human()] {
        let mut stage = Stage::new();
        let file = stage.path("typed.txt");
        std::fs::write(&file, "").unwrap();
        stage.run("dbus-run-session", &["mousepad", "--disable-server", "typed.txt"]);
        let client = stage.client();
        client.focused("mousepad");
        let before = client.keymap();
        let mut screen = stage.screen(pace);
        perform(&mut screen, &Action::typing(texts::mixed()));
        assert_eq!(client.keymap(), before);
        perform(&mut screen, &Action::Press("ctrl+s".parse().unwrap()));
        assert_eq!(written(&file, &texts::mixed()), texts::mixed());
    }
}

const AREA: &str = "<textarea style='width:100%;height:95vh' oninput='say(this.value)' onfocus='say(`ready`)'></textarea><script>\
    const area = document.querySelector('textarea');\
    area.onkeydown = e => { if (e.key == 'Tab') { e.preventDefault(); document.execCommand('insertText', false, '\\t'); } };\
    const wait = () => document.hasFocus() ? area.focus() : requestAnimationFrame(wait); wait();\
    </script>";

#[test]
fn chromium_gets_what_was_typed() {
    let mut stage = Stage::new();
    let page = Browser::open(&mut stage, AREA);
    let client = stage.client();
    let before = client.keymap();
    let mut twice = String::new();
    for pace in [Pace::FAST, quick_human()] {
        let mut screen = stage.screen(pace);
        perform(&mut screen, &Action::typing(texts::mixed()));
        assert_eq!(client.keymap(), before);
        twice.push_str(&texts::mixed());
        assert_eq!(page.says(&twice), twice);
    }
}

const FIELDS: &str = "<style>input { position: fixed; left: 0; width: 100%; height: 30vh; font-size: 30px; margin: 0 }</style>\
    <input style='top:0' value='old text'><input style='top:60vh' value='other'><script>\
    const fields = document.querySelectorAll('input'); let entered = 0;\
    const tell = () => say(`${fields[0].value}|${fields[1].value}|${entered}`);\
    for (const field of fields) { field.oninput = tell; \
        field.onkeydown = e => { if (e.key == 'Enter') { entered += 1; tell(); } }; }\
    const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait); wait();\
    </script>";

#[test]
fn a_text_is_typed_where_it_is_told_and_replaces_what_is_there() {
    let mut stage = Stage::new();
    let page = Browser::open(&mut stage, FIELDS);
    let mut entered = 0;
    for pace in [Pace::FAST, quick_human()] {
        let mut screen = stage.screen(pace);
        for (call, fields) in [
            ("type(\"new, ä 你\\n\", 400, 200, replace=True)", "new, ä 你|other"),
            ("type(\"\", 400, 200, replace=True)", "|other"),
            ("type(\"others\", 400, 670, replace=True)", "|others"),
            ("type(\"old text\\n\", 400, 200)", "old text|others"),
            ("type(\"other\", 400, 670, replace=True)", "old text|other"),
        ] {
            perform(&mut screen, &call.parse().unwrap());
            entered += call.matches("\\n").count();
            let said = format!("{fields}|{entered}");
            assert_eq!(page.says(&said), said, "{call}");
        }
    }
}

#[test]
fn typing_ignores_and_preserves_lock_keys() {
    const LOCK: u8 = 2;
    const NUM_LOCK: u8 = 16;
    let (stage, client) = terminal();
    let mut screen = stage.screen(Pace::FAST);
    let text = "Straße ÉCOLE école αΑ 123\n";
    client.connection.xkb_use_extension(1, 0).unwrap().reply().unwrap();
    let core = ID::USE_CORE_KBD.into();
    let mut expected = String::new();
    for locked in [LOCK, NUM_LOCK, LOCK | NUM_LOCK, 0] {
        let (all, no) = ((LOCK | NUM_LOCK).into(), 0u16.into());
        let set = client
            .connection
            .xkb_latch_lock_state(core, all, locked.into(), false, Group::M1, no, false, 0);
        set.unwrap().check().unwrap();
        perform(&mut screen, &Action::typing(text.to_owned()));
        expected.push_str(text);
        assert_eq!(
            written(&stage.path("typed"), &expected),
            expected,
            "with {locked:#x} locked"
        );
        let now = client.connection.xkb_get_state(core).unwrap().reply().unwrap();
        assert_eq!(now.locked_mods, locked.into());
    }
}

#[test]
fn typing_works_in_every_layout() {
    for layout in [
        &["de"][..],
        &["ru,us"],
        &["us,gr"],
        &["fr"],
        &["us", "-variant", "dvorak"],
    ] {
        let (mut stage, client) = terminal();
        let before = client.keymap();
        stage.run("setxkbmap", layout);
        until("the layout is another one", || {
            (client.keymap() != before).then_some(())
        });
        let before = client.keymap();
        let text = "Zyx @{[]}\\ q~ äß€ Привет éèù 0123 <>|\n".repeat(2);
        perform(&mut stage.screen(Pace::FAST), &Action::typing(text.clone()));
        assert_eq!(written(&stage.path("typed"), &text), text, "{layout:?}");
        assert_eq!(client.keymap(), before, "{layout:?}");
    }
}

#[test]
fn the_layout_that_is_chosen_is_used() {
    let (mut stage, client) = terminal();
    let before = client.keymap();
    stage.run("setxkbmap", &["us,gr"]);
    until("there are two layouts", || (client.keymap() != before).then_some(()));
    client.connection.xkb_use_extension(1, 0).unwrap().reply().unwrap();
    let (core, no) = (ID::USE_CORE_KBD.into(), 0u16.into());
    let mut expected = String::new();
    for group in [Group::M2, Group::M1] {
        let chosen = client
            .connection
            .xkb_latch_lock_state(core, no, no, true, group, no, false, 0);
        chosen.unwrap().check().unwrap();
        let text = "abc XYZ αβγ ΩΨ 12;:\n";
        perform(&mut stage.screen(Pace::FAST), &Action::typing(text.to_owned()));
        expected.push_str(text);
        assert_eq!(written(&stage.path("typed"), &expected), expected, "{group:?}");
        let now = client.connection.xkb_get_state(core).unwrap().reply().unwrap();
        assert_eq!(now.locked_group, group);
    }
}

/// An interrupt that is set after this many pauses.
struct After(Cell<u32>);

impl Interrupt for After {
    fn is_set(&self) -> bool {
        self.0.get() == 0
    }

    fn sleep(&self, _: Duration) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.is_set()
    }
}

#[test]
fn interrupted_typing_ends_between_characters() {
    let (stage, client) = terminal();
    let before = client.keymap();
    let mut screen = stage.screen(quick_human());
    let text: String = "漢字 äöü\n".repeat(20);
    let mut expected = String::new();
    for characters in [41, 1, 10, 2] {
        let outcome = screen.perform(
            ActionId { turn: 1, index: 0 },
            &Action::typing(text.clone()),
            &After(Cell::new(characters)),
        );
        assert_eq!(outcome.unwrap(), Outcome::Interrupted);
        assert_eq!(client.keymap(), before);
        assert_eq!(client.down(), (vec![], 0));
        perform(&mut screen, &Action::typing("\nend\n".to_owned()));
        expected.extend(text.chars().take(characters as usize));
        expected.push_str("\nend\n");
        assert_eq!(written(&stage.path("typed"), &expected), expected);
    }
}

/// An interrupt that is set as soon as any key has different symbols.
struct Changed<'a>(&'a Client, Vec<Vec<u32>>);

impl Interrupt for Changed<'_> {
    fn is_set(&self) -> bool {
        self.0.keymap() != self.1
    }

    fn sleep(&self, _: Duration) -> bool {
        self.is_set()
    }
}

#[test]
fn an_action_interrupted_before_its_first_key_presses_none() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let before = witness.client.keymap();
    let mut screen = stage.screen(Pace::FAST);
    for action in [
        Action::typing("漢字 äöü".to_owned()),
        Action::Press("ctrl+ж".parse().unwrap()),
    ] {
        let changed = Changed(&witness.client, before.clone());
        let outcome = screen.perform(ActionId { turn: 1, index: 0 }, &action, &changed);
        assert_eq!(outcome.unwrap(), Outcome::Interrupted, "{action:?}");
        assert_eq!(witness.heard(), [], "{action:?}");
        assert_eq!(witness.client.keymap(), before, "{action:?}");
    }
}

/// Returns a person's pace with shorter pauses between characters.
fn quick_human() -> Pace {
    Pace {
        character: Duration::from_millis(5),
        word: Duration::from_millis(10),
        ..Pace::HUMAN
    }
}

#[test]
fn typing_restores_every_detail_of_the_keyboard() {
    let (stage, _client) = terminal();
    let details = || {
        let dump = stage
            .command("xkbcomp")
            .args(["-xkb", stage.desktop.name(), "-"])
            .output()
            .unwrap();
        assert!(dump.status.success());
        String::from_utf8_lossy(&dump.stdout).into_owned()
    };
    let mut screen = stage.screen(Pace::FAST);
    let before = details();
    perform(&mut screen, &Action::typing("漢字 äöü ÀÉ\n".to_owned()));
    perform(&mut screen, &Action::Press("ctrl+ж".parse().unwrap()));
    let now = details();
    let other: Vec<_> = now
        .lines()
        .zip(before.lines())
        .filter(|(now, before)| now != before)
        .collect();
    assert!(now == before, "{other:?}");
}

#[test]
fn a_text_that_cannot_be_typed_is_not_begun() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let client = &witness.client;
    // Give every spare key a symbol that no keyboard has a key for.
    for (code, symbols) in (8_u8..=u8::MAX).zip(client.keymap()) {
        if symbols.iter().all(|&symbol| symbol == 0) {
            let set = client.connection.change_keyboard_mapping(1, code, 1, &[0xffe0]);
            set.unwrap().check().unwrap();
        }
    }
    let mut screen = stage.screen(Pace::FAST);
    let type_text = |screen: &mut franz_screen::Desktop, text: &str| {
        let at = ActionId { turn: 1, index: 0 };
        screen
            .perform(at, &Action::typing(text.to_owned()), &crate::stage::Never)
            .unwrap()
    };
    witness.heard();
    let outcome = type_text(&mut screen, "äb漢ä\u{7}漢 c");
    let why = "nothing was typed: the keyboard cannot type ä 漢 U+0007; leave that out";
    assert_eq!(outcome, Outcome::NotApplied(why.to_owned()));
    assert_eq!(witness.heard(), []);
    assert_eq!(type_text(&mut screen, "plain\r\n\ttext"), Outcome::DONE);
    assert!(!witness.heard().is_empty());
}
