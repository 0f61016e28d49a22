//! The elements of real programs: found where they are, and nothing told of what cannot be seen.

use franz_action::{Action, Point};
use franz_screen::desktop::Pace;
use franz_screen::elements::ElementReader;
use franz_screen::{Desktop, Screen, ScreenElement, ScreenElements};

use crate::stage::{Stage, drawn, perform, until};

/// A desktop whose programs tell of their elements, and a screen that passes it on.
fn telling() -> (Stage, Desktop) {
    let stage = Stage::telling();
    let mut screen = stage.screen(Pace::FAST);
    let bus = stage.desktop.session_bus().expect("it has a session bus");
    screen.tell_elements(ElementReader::on(&bus).unwrap());
    (stage, screen)
}

fn read(screen: &mut Desktop) -> ScreenElements {
    screen.elements().unwrap().expect("elements are told")
}

/// Waits until there is an element of this name.
fn named(screen: &mut Desktop, role: &str, name: &str) -> ScreenElement {
    until(&format!("there is a {role} {name}"), || {
        let mut list = read(screen).list.into_iter();
        list.find(|element| element.role == role && element.name == name)
    })
}

/// Waits until there is none.
fn goes(screen: &mut Desktop, name: &str) {
    until(&format!("{name} is gone"), || {
        let list = read(screen).list;
        list.iter().all(|element| element.name != name).then_some(())
    });
}

fn middle(element: &ScreenElement) -> Point {
    let (first, last) = element.place;
    Point::nearest(
        f64::midpoint(first.x.get(), last.x.get()),
        f64::midpoint(first.y.get(), last.y.get()),
    )
}

fn click(screen: &mut Desktop, element: &ScreenElement) {
    perform(screen, &Action::left_click(middle(element)));
}

#[test]
fn a_gtk_program_is_worked_by_its_elements() {
    let (mut stage, mut screen) = telling();
    stage.run("galculator", &[]);
    named(&mut screen, "toggle button", "7");
    drawn(&mut screen);
    for key in ["7", "8", "+", "4", "="] {
        let key = named(&mut screen, "toggle button", key);
        click(&mut screen, &key);
    }
    // A menu's items are there only while it is open, and what it covers is not.
    assert!(read(&mut screen).list.iter().all(|element| element.role != "menu item"));
    let view = named(&mut screen, "menu", "View");
    click(&mut screen, &view);
    let scientific = named(&mut screen, "menu item", "Scientific Mode");
    assert!(!scientific.is_checked && named(&mut screen, "menu item", "Basic Mode").is_checked);
    drawn(&mut screen);
    click(&mut screen, &scientific);
    goes(&mut screen, "Scientific Mode");
    named(&mut screen, "toggle button", "sin");
}

#[test]
fn a_qt_program_is_worked_by_its_elements() {
    let (mut stage, mut screen) = telling();
    stage.run("featherpad", &[]);
    named(&mut screen, "button", "Find");
    let undo = named(&mut screen, "button", "Undo");
    assert!(!undo.is_enabled, "there is nothing to undo");
    let file = named(&mut screen, "menu item", "File");
    click(&mut screen, &file);
    let quit = named(&mut screen, "menu item", "Quit");
    click(&mut screen, &quit);
    until("it has ended", || {
        screen.windows().unwrap().unwrap_or_default().is_empty().then_some(())
    });
    goes(&mut screen, "File");
}

#[test]
fn what_another_window_covers_is_not_told_and_a_program_without_elements_is_named() {
    let (mut stage, mut screen) = telling();
    stage.run("galculator", &[]);
    named(&mut screen, "toggle button", "7");
    assert_eq!(read(&mut screen).silent, []);
    stage.run("xterm", &["-T", "over", "-geometry", "400x100+0+0", "-e", "read line"]);
    goes(&mut screen, "7");
    let silent = until("it is known", || {
        Some(read(&mut screen).silent).filter(|silent| !silent.is_empty())
    });
    let windows = screen.windows().unwrap().unwrap();
    let titles = |id| {
        windows
            .iter()
            .find(|window| window.id == id)
            .map(|window| window.title.as_str())
    };
    assert_eq!(silent.into_iter().map(titles).collect::<Vec<_>>(), [Some("over")]);
    assert_eq!(read(&mut screen).list, []);
}

#[test]
fn a_program_that_hangs_holds_nobody_up() {
    let (mut stage, mut screen) = telling();
    stage.run("galculator", &[]);
    named(&mut screen, "toggle button", "7");
    drawn(&mut screen);
    let process = owner(&stage);
    signal(process, "-STOP");
    let elements = read(&mut screen);
    assert!(!elements.is_complete && elements.list.is_empty(), "{elements:?}");
    assert_eq!(elements.silent.len(), 1, "what is silent is not known yet");
    signal(process, "-CONT");
    named(&mut screen, "toggle button", "7");
}

/// The process of the only window.
fn owner(stage: &Stage) -> u32 {
    let layers = stage.display().layers().unwrap().expect("they are known");
    let process = layers
        .iter()
        .find(|layer| layer.window.is_some())
        .and_then(|layer| layer.process);
    process.expect("its window says so")
}

fn signal(process: u32, name: &str) {
    let done = std::process::Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(done.unwrap().success());
}

#[test]
fn without_a_bus_a_desktop_knows_of_no_elements() {
    let stage = Stage::new();
    assert_eq!(stage.desktop.session_bus(), None);
    let names: Vec<_> = stage.desktop.environment().into_iter().map(|(name, _)| name).collect();
    assert!(!names.contains(&"DBUS_SESSION_BUS_ADDRESS"), "{names:?}");
    assert_eq!(stage.screen(Pace::FAST).elements().unwrap(), None);
}
