//! Masks over real windows: no picture ever shows any part of a masked window.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use franz_action::{Action, Outcome};
use franz_frame::Frame;
use franz_screen::desktop::Pace;
use franz_screen::elements::ElementReader;
use franz_screen::masked::MASKED;
use franz_screen::{ActionId, Change, Glob, Mask, MaskTarget, Masked, Screen};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, PropMode, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use crate::client::Client;
use crate::stage::{Never, Stage, area, until};

/// The colour of everything secret. Masks have no colour.
const SECRET: u32 = 0x00ff_00ff;

/// A part of a screen: left, top, width, height.
type Place = (i16, i16, u16, u16);

fn of_windows(pattern: &str) -> Vec<Mask> {
    vec![Mask {
        target: MaskTarget::Window(Glob::new(pattern)),
        name: None,
    }]
}

fn masked(stage: &Stage, pattern: &str) -> Masked {
    Masked::new(Box::new(stage.screen(Pace::FAST)), of_windows(pattern))
}

/// Opens a window in the colour of the secret. With a class, the window is managed; without one, it is a menu.
fn open(client: &Client, (x, y, width, height): Place, class: Option<&str>) -> Window {
    let connection = &client.connection;
    let window = connection.generate_id().unwrap();
    let aux = CreateWindowAux::new()
        .override_redirect(u32::from(class.is_none()))
        .background_pixel(SECRET);
    let input_output = WindowClass::INPUT_OUTPUT;
    connection
        .create_window(0, window, client.root, x, y, width, height, 0, input_output, 0, &aux)
        .unwrap();
    if let Some(class) = class {
        let text = format!("{class}\0{class}\0");
        let set = |name: AtomEnum, text: &str| {
            let kind = AtomEnum::STRING;
            connection
                .change_property8(PropMode::REPLACE, window, name, kind, text.as_bytes())
                .unwrap();
        };
        set(AtomEnum::WM_CLASS, &text);
        set(AtomEnum::WM_NAME, "of no interest");
        // The hints say that the user chose the position, so the window manager does not move the window.
        let mut hints = [0_u32; 18];
        hints[0] = 1;
        let (of, kind) = (AtomEnum::WM_NORMAL_HINTS, AtomEnum::WM_SIZE_HINTS);
        connection
            .change_property32(PropMode::REPLACE, window, of, kind, &hints)
            .unwrap();
    }
    connection.map_window(window).unwrap().check().unwrap();
    window
}

fn is_secret(frame: &Frame) -> bool {
    let is = |pixel: &[u8]| pixel[0] > 0xc0 && pixel[1] < 0x40 && pixel[2] > 0xc0;
    frame.data().chunks_exact(4).any(is)
}

/// Waits until a screen without masks shows the secret where it is expected.
fn shown(stage: &Stage, part: franz_frame::Area) {
    let mut bare = stage.screen(Pace::FAST);
    until("the secret is shown", || {
        let frame = bare.capture().unwrap().part(part)?;
        (frame.is_plain() && is_secret(&frame)).then_some(())
    });
}

fn perform(screen: &mut Masked, action: &Action) -> Outcome {
    screen.perform(ActionId { turn: 1, index: 0 }, action, &Never).unwrap()
}

#[test]
fn a_window_is_masked_with_its_menus() {
    let stage = Stage::new();
    let client = stage.client();
    open(&client, (100, 100, 200, 100), Some("Vault"));
    open(&client, (250, 250, 300, 80), None);
    shown(&stage, area(260, 260, 200, 60));
    shown(&stage, area(110, 130, 150, 50));
    let mut bare = Masked::new(Box::new(stage.screen(Pace::FAST)), Vec::new());
    assert!(is_secret(bare.capture().unwrap()), "the search finds it");
    let mut screen = masked(&stage, "vault");
    assert!(!is_secret(screen.capture().unwrap()));
    // A popup of another program is not masked.
    let other = stage.client();
    open(&other, (600, 500, 50, 50), None);
    shown(&stage, area(600, 500, 50, 50));
    assert!(is_secret(screen.capture().unwrap()));
    bare.set_masks(of_windows("vault"));
    assert!(is_secret(bare.frame()) != is_secret(screen.frame()));
}

/// A window manager can show a window in its frame before it has listed the window.
#[test]
fn a_window_that_no_list_names_is_masked_with_its_frame() {
    let stage = Stage::new();
    let client = stage.client();
    let frame = open(&client, (100, 100, 200, 100), None);
    let inner = client.connection.generate_id().unwrap();
    let (aux, class) = (CreateWindowAux::new(), WindowClass::INPUT_OUTPUT);
    let made = client
        .connection
        .create_window(0, inner, frame, 5, 20, 50, 50, 0, class, 0, &aux);
    made.unwrap().check().unwrap();
    shown(&stage, area(200, 110, 90, 80));
    let mut screen = masked(&stage, "vault");
    assert!(is_secret(screen.capture().unwrap()), "it is no vault yet");
    let named = client.connection.change_property8(
        PropMode::REPLACE,
        inner,
        AtomEnum::WM_CLASS,
        AtomEnum::STRING,
        b"a\0Vault\0",
    );
    named.unwrap().check().unwrap();
    assert!(!is_secret(screen.capture().unwrap()));
}

#[test]
fn a_window_that_is_dragged_about_never_shows() {
    let stage = Stage::new();
    let client = stage.client();
    let window = open(&client, (100, 100, 120, 90), Some("Vault"));
    shown(&stage, area(110, 130, 90, 40));
    let mut screen = masked(&stage, "vault");
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let thread = std::thread::spawn(move || {
        let (mut steps, mut x, mut way) = (0, 100, 4);
        while !over.load(Ordering::Relaxed) {
            steps += 1;
            x += way;
            if !(100..600).contains(&x) {
                way = -way;
            }
            let aux = ConfigureWindowAux::new().x(x).y(100 + x / 4);
            client.connection.configure_window(window, &aux).unwrap();
            // Move as fast as a person would: these requests make each step take about a millisecond.
            for _ in 0..20 {
                client.connection.get_input_focus().unwrap().reply().unwrap();
            }
        }
        steps
    });
    let mut moved = 0;
    for picture in 0..150 {
        let frame = screen.capture().unwrap();
        assert!(!is_secret(frame), "picture {picture}");
        moved += u32::from(screen.change() != Change::Nothing);
    }
    is_over.store(true, Ordering::Relaxed);
    let steps = thread.join().unwrap();
    assert!(moved > 5 && steps > 5, "it did not move: {moved} {steps}");
}

/// A picture taken in the meantime can show the window anywhere on its way.
#[test]
fn a_window_that_went_away_and_came_back_has_its_way_in_its_path() {
    let stage = Stage::new();
    let client = stage.client();
    let window = open(&client, (100, 100, 120, 90), Some("Vault"));
    shown(&stage, area(110, 130, 90, 40));
    let mut screen = stage.screen(Pace::FAST);
    let mut layer = || {
        let layers = screen.stacking().unwrap().unwrap().layers.unwrap();
        layers.into_iter().find(|layer| layer.area.contains(110, 130))
    };
    let before = layer().unwrap();
    assert_eq!(before.path, before.area);
    until("the window's path", || {
        // There is none while the window is elsewhere.
        let after = layer()?;
        if after.path.contains(610, 410) && after.area == before.area {
            return Some(());
        }
        // The window manager moves it in its own time, and may take so long that the way is forgotten.
        for (x, y) in [(600, 100), (600, 400), (100, 100)] {
            let aux = ConfigureWindowAux::new().x(x).y(y);
            let moved = client.connection.configure_window(window, &aux).unwrap();
            moved.check().unwrap();
        }
        None
    });
}

#[test]
fn a_window_that_has_just_come_does_not_show() {
    let stage = Stage::new();
    let mut screen = masked(&stage, "vault");
    for round in 0..20 {
        let client = stage.client();
        let window = open(&client, (100, 100, 300, 200), Some("Vault"));
        for picture in 0..6 {
            assert!(
                !is_secret(screen.capture().unwrap()),
                "round {round}, picture {picture}"
            );
        }
        client.connection.destroy_window(window).unwrap().check().unwrap();
    }
}

#[test]
fn what_is_masked_has_no_title_no_focus_and_no_keys() {
    let mut stage = Stage::new();
    let client = stage.client();
    stage.run("xterm", &["-T", "Notes", "-geometry", "30x8+600+400", "-e", "cat"]);
    client.focused("notes");
    stage.run("xterm", &["-T", "Vault 7f3a", "-geometry", "30x8+40+60", "-e", "cat"]);
    client.focused("vault");
    let mut screen = masked(&stage, "vault*");
    screen.capture().unwrap();
    let titles = |screen: &mut Masked| -> Vec<String> {
        let windows = screen.windows().unwrap().unwrap();
        windows.into_iter().map(|window| window.title).collect()
    };
    assert_eq!(titles(&mut screen), [MASKED, "Notes"]);
    let typed = Action::typing("secret");
    assert!(matches!(perform(&mut screen, &typed), Outcome::Blocked(Some(_))));
    let windows = screen.windows().unwrap().unwrap();
    assert!(screen.focus(windows[0].id).is_err());
    assert!(screen.focus(windows[1].id).unwrap());
    client.focused("notes");
    assert_eq!(perform(&mut screen, &typed), Outcome::DONE);
    let (first, last) = windows[0].place.unwrap();
    for at in [first, last] {
        let click = Action::left_click(at);
        assert!(matches!(perform(&mut screen, &click), Outcome::Blocked(Some(_))));
    }
    client.focused("notes");
}

/// A program that offers text on the clipboard until it is dropped.
struct Offer(Child);

impl Offer {
    fn of(stage: &Stage, text: &str) -> Offer {
        let mut command: Command = stage.command("xclip");
        command.args(["-selection", "clipboard", "-loops", "0", "-quiet"]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, text.as_bytes()).unwrap();
        Offer(child)
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_a_masked_program_has_copied_is_not_read() {
    let stage = Stage::new();
    let mut screen = masked(&stage, "vault");
    let read = Action::ReadClipboard;
    let offer = Offer::of(&stage, "of no interest");
    until("another program's text can be read", || {
        let outcome = perform(&mut screen, &read);
        (outcome.text() == Some("of no interest")).then_some(())
    });
    assert_eq!(screen.clipboard_length(), Some(14));
    // The program's window is hidden, like one that is minimised to the tray.
    let client = stage.client();
    let window = open(&client, (100, 100, 200, 100), Some("Vault"));
    client.connection.unmap_window(window).unwrap().check().unwrap();
    let owner = open(&client, (0, 0, 1, 1), None);
    client.connection.unmap_window(owner).unwrap().check().unwrap();
    let clipboard = client.atom("CLIPBOARD");
    let taken = client
        .connection
        .set_selection_owner(owner, clipboard, x11rb::CURRENT_TIME);
    taken.unwrap().check().unwrap();
    until("the clipboard is withheld", || {
        matches!(perform(&mut screen, &read), Outcome::Blocked(Some(_))).then_some(())
    });
    assert_eq!(screen.clipboard_length(), None);
    drop(offer);
}

#[test]
fn elements_of_a_masked_program_are_not_told() {
    let mut stage = Stage::telling();
    let bus = stage.desktop.session_bus().expect("it has a session bus");
    let telling = || {
        let mut screen = stage.screen(Pace::FAST);
        screen.tell_elements(ElementReader::on(&bus).unwrap());
        screen
    };
    let mut bare = telling();
    let mut screen = Masked::new(Box::new(telling()), of_windows("galculator*"));
    stage.run("galculator", &[]);
    until("its elements are told", || {
        let told = bare.elements().unwrap()?;
        told.list.iter().any(|element| element.name == "7").then_some(())
    });
    screen.capture().unwrap();
    let told = screen.elements().unwrap().expect("elements are told");
    assert_eq!((told.list, told.silent), (Vec::new(), Vec::new()));
}
