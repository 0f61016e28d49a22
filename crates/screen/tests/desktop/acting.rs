//! Clicks, drags, the wheel and chords arrive as intended.

use franz_action::{Action, Path, Point};
use franz_screen::desktop::Pace;
use franz_screen::{Change, Screen};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::browser::Browser;
use crate::stage::{HEIGHT, Stage, WIDTH, drawn, perform, until, within_patience, written};
use crate::witness::{Heard, Witness};

fn at(x: i64, y: i64) -> Point {
    Point::clamped(x, y)
}

fn call(text: &str) -> Action {
    text.parse().unwrap()
}

/// Returns the pixel at these coordinates.
fn pixel(x: i64, y: i64) -> (i16, i16) {
    let point = at(x, y);
    (point.x.to_pixel(WIDTH) as i16, point.y.to_pixel(HEIGHT) as i16)
}

fn pressed(heard: &[Heard]) -> Vec<Heard> {
    heard
        .iter()
        .copied()
        .filter(|heard| !matches!(heard, Heard::Moved(..)))
        .collect()
}

#[test]
fn clicks_and_drags_hit_their_targets() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    for pace in [Pace::FAST, Pace::HUMAN] {
        let mut screen = stage.screen(pace);
        let ((x, y), (to_x, to_y)) = (pixel(100, 200), pixel(900, 1000));
        for (action, button, times) in [
            (Action::left_click(at(100, 200)), 1, 1),
            (Action::middle_click(at(100, 200)), 2, 1),
            (Action::right_click(at(100, 200)), 3, 1),
            (Action::double_click(at(100, 200)), 1, 2),
            (Action::triple_click(at(100, 200)), 1, 3),
        ] {
            perform(&mut screen, &action);
            let click = [Heard::Button(button, x, y), Heard::Released(button, x, y)];
            assert_eq!(pressed(&witness.heard()), click.repeat(times), "{action:?}");
        }
        perform(&mut screen, &Action::drag(at(100, 200), at(900, 1000)));
        let heard = witness.heard();
        assert_eq!(
            pressed(&heard),
            [Heard::Button(1, x, y), Heard::Released(1, to_x, to_y)]
        );
        let down = heard
            .iter()
            .position(|heard| matches!(heard, Heard::Button(..)))
            .unwrap();
        let moves = heard[down..]
            .iter()
            .filter(|heard| matches!(heard, Heard::Moved(..)))
            .count();
        assert!(moves >= 2, "a drag is seen to move: {heard:?}");
    }
}

#[test]
fn clicks_are_counted_and_hold_keys() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let mut screen = stage.screen(Pace::FAST);
    perform(
        &mut screen,
        &call("left_click(500, 500, count=5, modifiers=\"ctrl+shift\")"),
    );
    let (x, y) = pixel(500, 500);
    let heard = pressed(&witness.heard());
    let clicks = [Heard::Button(1, x, y), Heard::Released(1, x, y)].repeat(5);
    assert_eq!(heard.len(), 2 + 10 + 2, "{heard:?}");
    assert_eq!(heard[2..12], clicks, "between the keys");
    assert!(
        heard[..2].iter().all(|heard| matches!(heard, Heard::Key(..))),
        "{heard:?}"
    );
    assert!(
        heard[12..].iter().all(|heard| matches!(heard, Heard::KeyUp(_))),
        "{heard:?}"
    );
}

#[test]
fn a_drag_goes_along_its_points_in_one_press() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    for pace in [Pace::FAST, Pace::HUMAN] {
        let mut screen = stage.screen(pace);
        perform(
            &mut screen,
            &call("drag(points=[[100, 100], [900, 100], [500, 900], [100, 100]])"),
        );
        let heard = witness.heard();
        let (x, y) = pixel(100, 100);
        assert_eq!(pressed(&heard), [Heard::Button(1, x, y), Heard::Released(1, x, y)]);
        for (x, y) in [pixel(900, 100), pixel(500, 900)] {
            assert!(heard.contains(&Heard::Moved(x, y)), "({x}, {y}) of {heard:?}");
        }
    }
}

#[test]
fn a_button_and_a_key_are_held_as_long_as_they_are_told() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let mut screen = stage.screen(Pace::FAST);
    let ((x, y), (to_x, to_y)) = (pixel(100, 100), pixel(700, 300));
    perform(&mut screen, &call("mouse_down(100, 100, button=\"right\")"));
    assert_eq!(pressed(&witness.heard()), [Heard::Button(3, x, y)]);
    perform(&mut screen, &call("move(700, 300)"));
    perform(&mut screen, &call("mouse_up(button=\"right\")"));
    assert_eq!(pressed(&witness.heard()), [Heard::Released(3, to_x, to_y)]);
    perform(&mut screen, &call("mouse_down()"));
    assert_eq!(screen.let_go().unwrap(), ["the left button"]);
    let click = [Heard::Button(1, to_x, to_y), Heard::Released(1, to_x, to_y)];
    assert_eq!(pressed(&witness.heard()), click);
    perform(&mut screen, &call("hold(\"left button\", 0.05, 100, 100)"));
    assert_eq!(
        pressed(&witness.heard()),
        [Heard::Button(1, x, y), Heard::Released(1, x, y)]
    );
    perform(&mut screen, &call("hold(\"shift\", 0.05)"));
    let heard = pressed(&witness.heard());
    assert!(
        matches!(heard[..], [Heard::Key(down, _), Heard::KeyUp(up)] if down == up),
        "{heard:?}"
    );
}

#[test]
fn keys_are_pressed_one_after_another_and_as_often_as_told() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let mut screen = stage.screen(Pace::FAST);
    perform(&mut screen, &call("press(\"tab enter\", count=3)"));
    let keys = witness.heard().into_iter().filter_map(|heard| match heard {
        Heard::Key(key, _) => Some(key),
        _ => None,
    });
    let keys: Vec<u8> = keys.collect();
    assert_eq!(keys.len(), 6);
    assert_eq!([&keys[..2], &keys[..2], &keys[..2]].concat(), keys);
}

#[test]
fn swapped_mouse_buttons_change_nothing() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let mapping = witness
        .client
        .connection
        .get_pointer_mapping()
        .unwrap()
        .reply()
        .unwrap()
        .map;
    let mut swapped = mapping.clone();
    swapped.swap(0, 2);
    let set = witness
        .client
        .connection
        .set_pointer_mapping(&swapped)
        .unwrap()
        .reply()
        .unwrap();
    assert_eq!(u8::from(set.status), 0);
    let mut screen = stage.screen(Pace::FAST);
    let (x, y) = pixel(500, 500);
    perform(&mut screen, &Action::left_click(at(500, 500)));
    assert_eq!(
        pressed(&witness.heard()),
        [Heard::Button(1, x, y), Heard::Released(1, x, y)]
    );
    witness
        .client
        .connection
        .set_pointer_mapping(&mapping)
        .unwrap()
        .reply()
        .unwrap();
    perform(&mut screen, &Action::right_click(at(500, 500)));
    assert_eq!(
        pressed(&witness.heard()),
        [Heard::Button(3, x, y), Heard::Released(3, x, y)]
    );
}

#[test]
fn the_wheel_turns_as_many_notches_as_it_was_told() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let mut screen = stage.screen(Pace::FAST);
    for (dx, dy) in [(0, 5), (0, -3), (2, 0), (-7, 0), (1, -1), (0, 100)] {
        let scroll = Action::Scroll {
            dy,
            dx,
            at: Some(at(300, 300)),
        };
        perform(&mut screen, &scroll);
        let heard = witness.heard();
        let count = |button| {
            heard
                .iter()
                .filter(|heard| matches!(heard, Heard::Button(b, ..) if *b == button))
                .count() as i32
        };
        assert_eq!((count(7) - count(6), count(5) - count(4)), (dx, dy));
        assert_eq!(pressed(&heard).len() as i32, 2 * (dx.abs() + dy.abs()));
    }
}

#[test]
fn chords_are_pressed_in_order_and_released() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let keymap = witness.client.keymap();
    let mut screen = stage.screen(Pace::FAST);
    for (chord, symbol, state) in [
        ("a", 0x61, 0),
        ("A", 0x61, 1),
        ("ctrl+c", 0x63, 4),
        ("ctrl+T", 0x74, 4),
        ("ctrl+shift+t", 0x74, 5),
        ("shift+A", 0x61, 1),
        ("alt+f9", 0xffc6, 8),
        ("win", 0xffeb, 0),
        ("ctrl+alt+shift+win+right", 0xff53, 0x4d),
        ("enter", 0xff0d, 0),
        ("esc", 0xff1b, 0),
        ("pageup", 0xff55, 0),
        ("f12", 0xffc9, 0),
        ("+", 0x3d, 1),
        ("ctrl++", 0x3d, 5),
        ("space", 0x20, 0),
        ("menu", 0xff67, 0),
    ] {
        perform(&mut screen, &Action::Press(chord.parse().unwrap()));
        let heard = witness.heard();
        let last = heard.iter().rev().find_map(|heard| match heard {
            Heard::Key(code, held) => Some((*code, *held)),
            _ => None,
        });
        let (code, held) = last.unwrap_or_else(|| panic!("{chord}: nothing was heard"));
        assert_eq!((keymap[usize::from(code) - 8][0], held), (symbol, state), "{chord}");
        let (downs, ups): (Vec<Heard>, Vec<Heard>) = heard.iter().partition(|heard| matches!(heard, Heard::Key(..)));
        assert_eq!(downs.len(), ups.len(), "{chord}");
    }
    assert_eq!(witness.client.down(), (vec![], 0));
}

#[test]
fn a_character_missing_from_the_layout_borrows_a_key() {
    let mut stage = Stage::new();
    stage.run("xterm", &["-fa", "DejaVu Sans Mono", "-e", "cat > typed"]);
    let client = stage.client();
    client.focused("xterm");
    let before = client.keymap();
    let mut screen = stage.screen(Pace::FAST);
    for chord in ["é", "ж", "漢", "é", "shift+ж", "enter"] {
        perform(&mut screen, &Action::Press(chord.parse().unwrap()));
        assert_eq!(client.keymap(), before);
    }
    let typed = "éж漢éж\n";
    assert_eq!(written(&stage.path("typed"), typed), typed);
    let witness = Witness::on(&stage);
    perform(&mut screen, &Action::Press("ctrl+ж".parse().unwrap()));
    let heard = witness.heard();
    let spare = |code: u8| before[usize::from(code) - 8].is_empty();
    assert!(
        heard
            .iter()
            .any(|heard| matches!(heard, Heard::Key(code, 4) if spare(*code))),
        "{heard:?}"
    );
    assert_eq!(client.down(), (vec![], 0));
}

#[test]
fn programs_understand_drags_double_clicks_wheel_and_menus() {
    let mut stage = Stage::new();
    let page = Browser::open(
        &mut stage,
        "<p style='font:40px/60px monospace;margin:0'>alpha beta gamma<br>delta epsilon</p><div style='height:9000px'></div><script>\
         onmouseup = e => e.button || setTimeout(() => say('' + getSelection()));\
         oncontextmenu = e => { e.preventDefault(); say('menu ' + e.clientX); };\
         onscroll = () => say('scrolled');\
         onmousemove = e => { if (e.clientX < 220) { say(`at ${e.clientX} ${e.clientY}`); onmousemove = null; } };\
         const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait); wait();</script>",
    );
    let mut screen = stage.screen(Pace::FAST);
    drawn(&mut screen);
    let (width, height) = screen.size();
    let place = |x: u32, y: u32| at(i64::from(x * 1000 / width), i64::from(y * 1000 / height));
    // The page begins somewhere below the window's title. Its first line is 60 pixels high, and a character is 24 wide.
    let offset: u32 = until("the page tells where the mouse is", || {
        perform(&mut screen, &Action::Move(place(300, 400)));
        perform(&mut screen, &Action::Move(place(200, 400)));
        let y = page
            .said()
            .strip_prefix("at ")?
            .split(' ')
            .nth(1)?
            .parse::<u32>()
            .ok()?;
        Some(400 - y)
    });
    let line = offset + 30;
    for pace in [Pace::FAST, Pace::HUMAN] {
        let mut screen = stage.screen(pace);
        perform(&mut screen, &Action::double_click(place(200, line)));
        assert_eq!(page.says("beta"), "beta");
        perform(&mut screen, &Action::triple_click(place(200, line)));
        let selected = page.says("alpha beta gamma\n");
        assert_eq!(selected.trim_end(), "alpha beta gamma");
        // A drag that begins on selected text would move it.
        perform(&mut screen, &Action::left_click(place(700, line)));
        perform(&mut screen, &Action::drag(place(3, line), place(120, line)));
        assert_eq!(page.says("alpha"), "alpha");
        perform(&mut screen, &Action::right_click(place(200, line)));
        until("the menu is asked for", || {
            page.said().starts_with("menu ").then_some(())
        });
        let down = Action::Scroll {
            dy: 3,
            dx: 0,
            at: Some(place(200, line)),
        };
        perform(&mut screen, &down);
        assert_eq!(page.says("scrolled"), "scrolled");
        perform(&mut screen, &Action::Press("ctrl+home".parse().unwrap()));
    }
}

#[test]
fn an_entry_of_a_menu_is_chosen() {
    let mut stage = Stage::new();
    let page = Browser::open(
        &mut stage,
        "<select style='width:800px;height:400px;font-size:40px'><option>one<option>two<option>three</select><script>\
         document.querySelector('select').onchange = e => say(e.target.value);\
         const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait); wait();</script>",
    );
    let mut screen = stage.screen(Pace::FAST);
    drawn(&mut screen);
    perform(&mut screen, &Action::left_click(at(400, 400)));
    until("the menu is open", || {
        screen.capture().unwrap();
        matches!(screen.change(), Change::Within(..)).then_some(())
    });
    for key in ["down", "down", "enter"] {
        perform(&mut screen, &Action::Press(key.parse().unwrap()));
    }
    assert_eq!(page.says("three"), "three");
}

#[test]
fn a_terminal_selects_words_and_lines() {
    let mut stage = Stage::new();
    let terminal = [
        "-fa",
        "DejaVu Sans Mono",
        "-fs",
        "20",
        "-geometry",
        "40x5+0+0",
        "-e",
        "echo one two three; touch shown; cat",
    ];
    stage.run("xterm", &terminal);
    stage.client().focused("xterm");
    // An empty window would rest, too.
    until("the words are written", || stage.path("shown").exists().then_some(()));
    let mut screen = stage.screen(Pace::FAST);
    drawn(&mut screen);
    let selected = |expected: &str| {
        let mut last = String::new();
        within_patience(|| {
            let asked = stage
                .command("xclip")
                .args(["-selection", "primary", "-o"])
                .output()
                .unwrap();
            last = String::from_utf8(asked.stdout).unwrap();
            last == expected
        });
        last
    };
    for pace in [Pace::FAST, Pace::HUMAN] {
        let mut screen = stage.screen(pace);
        // Wait until the clicks of the previous screen can no longer count towards a double click.
        drawn(&mut screen);
        // The first line is below the title, and the second word begins some 70 pixels to the right.
        let second = at(90, 50);
        perform(&mut screen, &Action::double_click(second));
        assert_eq!(selected("two"), "two");
        perform(&mut screen, &Action::triple_click(second));
        assert_eq!(selected("one two three\n"), "one two three\n");
    }
}

/// A page with nine positions on the screen. It reports which of them the mouse passed while the button was down. It
/// only knows for certain where its window is once the mouse is over it.
const PLACES: &str = "<script>
    let joined = [];
    const join = event => {
        for (let n = 0; n < 9; n++) {
            const [x, y] = [200 + 120 * (n % 3), 200 + 120 * Math.floor(n / 3)];
            const near = Math.abs(event.screenX - x) <= 20 && Math.abs(event.screenY - y) <= 20;
            if (near && !joined.includes(n)) joined.push(n);
        }
    };
    onmousedown = event => { joined = []; join(event); event.preventDefault(); };
    onmousemove = event => { if (event.buttons) join(event); };
    onmouseup = event => { join(event); say(joined.join('')); };
    const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait); wait();
    </script>";

/// A browser reports only one movement per frame to its page.
#[test]
fn a_path_in_a_browser_cuts_no_corner() {
    let mut stage = Stage::new();
    let page = Browser::open(&mut stage, PLACES);
    let mut screen = stage.screen(Pace::FAST);
    drawn(&mut screen);
    let (width, height) = screen.size();
    let dot = |n: i64| {
        let (x, y) = (200 + 120 * (n % 3), 200 + 120 * (n / 3));
        at(x * 1000 / i64::from(width), y * 1000 / i64::from(height))
    };
    let dots = [0, 1, 2, 5, 4, 3, 6, 7, 8].map(dot).to_vec();
    perform(&mut screen, &Action::Drag(Path::along(dots).unwrap()));
    assert_eq!(page.says("012543678"), "012543678");
}
