//! The elements of real programs are found where they are, and nothing is reported that cannot be seen.

use franz_action::{Action, Point};
use franz_screen::desktop::{Display, Pace};
use franz_screen::elements::{DesktopLayer, ElementReader};
use franz_screen::{Desktop, Screen, ScreenElement, ScreenElements};

use crate::private::runs;
use crate::stage::{HEIGHT, Stage, WIDTH, drawn, perform, until, within_patience};

/// Returns a desktop whose programs report their elements, and a screen that passes them on.
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

/// Waits until there is an element with this role and name.
fn named(screen: &mut Desktop, role: &str, name: &str) -> ScreenElement {
    until(&format!("there is a {role} {name}"), || {
        let mut list = read(screen).list.into_iter();
        list.find(|element| element.role == role && element.name == name)
    })
}

/// Waits until there is no element with this name.
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
    // The items of a menu are reported only while it is open, and what the menu covers is not.
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

fn layers(display: &mut dyn Display) -> Vec<DesktopLayer> {
    let windows = display.windows().unwrap().unwrap_or_default();
    display.layers(&windows).unwrap().expect("they are known")
}

/// Returns the process that owns the only window.
fn owner(stage: &Stage) -> u32 {
    let layers = layers(&mut *stage.display());
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

/// Returns the processes that name this directory on their command line or in their environment.
pub(crate) fn processes_of(directory: &str) -> Vec<u32> {
    let mentions = |process: &u32| {
        ["cmdline", "environ"].iter().any(|file| {
            let read = std::fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
            String::from_utf8_lossy(&read).contains(directory)
        })
    };
    let all = std::fs::read_dir("/proc").unwrap();
    let numbers = all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    numbers.filter(mentions).filter(|process| runs(*process)).collect()
}

/// Returns the directory that a bus's address names.
pub(crate) fn directory_of(bus: &str) -> String {
    let path = bus.strip_prefix("unix:path=").unwrap();
    path.split_once("/socket").unwrap().0.to_owned()
}

#[test]
fn the_bus_is_the_desktops_own_and_ends_with_it() {
    let (mut stage, mut screen) = telling();
    let bus = stage.desktop.session_bus().unwrap();
    let directory = directory_of(&bus);
    let environment: std::collections::BTreeMap<_, _> = stage.desktop.environment().into_iter().collect();
    assert_eq!(environment["DBUS_SESSION_BUS_ADDRESS"], bus);
    // The directory is next to the cookie, where nobody else can look.
    let beside = std::path::Path::new(&environment["XAUTHORITY"]).parent().unwrap();
    assert!(std::path::Path::new(&directory).starts_with(beside), "{bus}");
    stage.run("galculator", &[]);
    named(&mut screen, "toggle button", "7");
    // The only bus that a program knows about is this one.
    let program = std::fs::read(format!("/proc/{}/environ", owner(&stage))).unwrap();
    let program = String::from_utf8_lossy(&program).into_owned();
    let known: Vec<&str> = program
        .split('\0')
        .filter(|one| one.starts_with("DBUS_SESSION_BUS_ADDRESS="))
        .collect();
    assert_eq!(known, [format!("DBUS_SESSION_BUS_ADDRESS={bus}")]);
    assert!(
        processes_of(&directory).len() >= 2,
        "the bus, and that of accessibility"
    );
    drop(screen);
    drop(stage);
    assert_eq!(processes_of(&directory), [0; 0]);
}

#[test]
fn without_a_bus_a_desktop_knows_of_no_elements() {
    let stage = Stage::new();
    assert_eq!(stage.desktop.session_bus(), None);
    let names: Vec<_> = stage.desktop.environment().into_iter().map(|(name, _)| name).collect();
    assert!(!names.contains(&"DBUS_SESSION_BUS_ADDRESS"), "{names:?}");
    assert_eq!(stage.screen(Pace::FAST).elements().unwrap(), None);
}

/// Programs with some of their elements by role and name, listed by hand from their windows.
const PROGRAMS: [(&str, &[&str], &str, &[&str]); 7] = [
    (
        "galculator",
        &[],
        "menu",
        &["File", "Edit", "View", "Calculator", "Help"],
    ),
    (
        "galculator",
        &[],
        "toggle button",
        &[
            "7", "8", "9", "4", "5", "6", "1", "2", "3", "0", "/", "*", "-", "+", "=", "sqrt", "%", "MS",
        ],
    ),
    (
        "featherpad",
        &[],
        "menu item",
        &["File", "Edit", "Options", "Search", "Help"],
    ),
    (
        "featherpad",
        &[],
        "button",
        &["New", "Open", "Find", "Replace", "Jump to", "Side-Pane"],
    ),
    (
        "mousepad",
        &["--disable-server"],
        "menu",
        &["File", "Edit", "Search", "View", "Document", "Help"],
    ),
    ("l3afpad", &[], "menu", &["File", "Edit", "Search", "Options", "Help"]),
    (
        "speedcrunch",
        &[],
        "menu item",
        &["Session", "Edit", "View", "Settings", "Help"],
    ),
];

/// Each listed element is reported, and proves that it is at the reported position.
///
/// `ELEMENTS_OF` names programs from the list, separated by commas; `cargo xtask elements` tests all of them.
#[test]
fn things_that_are_seen_are_told_where_they_are() {
    let wanted = std::env::var("ELEMENTS_OF").unwrap_or_else(|_| "galculator,featherpad".to_owned());
    for program in wanted.split(',') {
        let (mut stage, mut screen) = telling();
        let of_it = || PROGRAMS.iter().filter(|(name, ..)| *name == program);
        let (_, arguments, role, names) = of_it().next().expect("it is listed");
        stage.run(program, arguments);
        named(&mut screen, role, names[0]);
        let (mut right, mut all, mut blind, mut by_number) = (0, 0, 0.0, 0);
        for (_, _, role, names) in of_it() {
            for name in *names {
                all += 1;
                // If the mouse stayed on the last element, it would open a tooltip over the next one.
                perform(&mut screen, &Action::Move(Point::clamped(999, 999)));
                // On a busy machine, a program does not report everything within the time of one look.
                let mut alike = Vec::new();
                within_patience(|| {
                    let list = read(&mut screen).list.into_iter();
                    alike = list.filter(|one| one.role == *role && one.name == *name).collect();
                    !alike.is_empty()
                });
                let Some(element) = alike.first() else {
                    eprintln!("{program} does not tell of the {role} {name}");
                    continue;
                };
                blind += hits_with_noise(element);
                if shows_its_place(&stage, &mut screen, element) {
                    right += 1;
                    // If several elements share a name, a model that picks by name might choose any of them.
                    by_number += u32::from(alike.len() == 1);
                } else {
                    eprintln!("{program}: the {role} {name} is not at {:?}", element.place);
                }
            }
        }
        let percent = |hits: f64| 100.0 * hits / f64::from(all);
        let (blind, by_number) = (percent(blind), percent(f64::from(by_number)));
        eprintln!(
            "{program}: {right} of {all} things told with the right box; aimed at with 40 pixels of noise: {blind:.0} % hit, by number: {by_number:.0} %"
        );
        assert!(right * 10 >= all * 9, "{program}: {right} of {all}");
        assert!(by_number >= 90.0, "{program}: {by_number} % by number");
    }
}

/// Returns whether an element proves its position: a menu opens below its corner, and most other elements light up when
/// the mouse reaches their middle.
fn shows_its_place(stage: &Stage, screen: &mut Desktop, element: &ScreenElement) -> bool {
    let (width, height) = screen.size();
    let (first, last) = element.place;
    let (left, top) = (first.x.to_pixel(width), first.y.to_pixel(height));
    let (right, bottom) = (last.x.to_pixel(width), last.y.to_pixel(height));
    if element.role.starts_with("menu") {
        let near = |one: i32, other: u32| one.abs_diff(other.cast_signed()) <= 12;
        let mut display = stage.display();
        click(screen, element);
        let opens = within_patience(|| {
            layers(&mut *display)
                .iter()
                .any(|layer| layer.window.is_none() && near(layer.area.x, left) && near(layer.area.y, bottom))
        });
        perform(screen, &Action::Press("escape escape".parse().unwrap()));
        return opens;
    }
    perform(screen, &Action::Move(Point::clamped(999, 999)));
    let colors = |screen: &mut Desktop| -> Vec<_> {
        let frame = screen.capture().unwrap();
        let points = (1..8).flat_map(|x| (1..4).map(move |y| (x, y)));
        points
            .map(|(x, y)| frame.color(left + (right - left) * x / 8, top + (bottom - top) * y / 4))
            .collect()
    };
    let before = colors(screen);
    perform(screen, &Action::Move(middle(element)));
    within_patience(|| {
        let now = colors(screen);
        let same = now.iter().zip(&before).filter(|(one, other)| one == other).count();
        same * 2 < before.len()
    })
}

/// Returns the share of clicks that hit an element when aimed at its middle with 40 pixels of noise.
fn hits_with_noise(element: &ScreenElement) -> f64 {
    let (first, last) = element.place;
    let width = (last.x.get() - first.x.get()) * f64::from(WIDTH) / 1000.0;
    let height = (last.y.get() - first.y.get()) * f64::from(HEIGHT) / 1000.0;
    let mut random = fastrand::Rng::with_seed(7);
    let mut noise = || 40.0 * (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (std::f64::consts::TAU * random.f64()).cos();
    let hits = (0..1000).filter(|_| noise().abs() <= width / 2.0 && noise().abs() <= height / 2.0);
    hits.count() as f64 / 1000.0
}
