//! A page that changes while the model thinks. FRANZ does not click something that has moved, and something that is
//! only animated does not stop the model.
//!
//! `LOOK_CLICKS` is the number of clicks of each kind. `cargo xtask look` makes many.

use franz_screen::child::Environment;
use x11rb::protocol::xproto::{ConfigureWindowAux, ConnectionExt as _, ImageFormat, Window};

use crate::chat;
use crate::desktop::browser::Browser;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::{Stage, until};
use crate::harness::Workplace;
use crate::puppet::Puppet;

const SCREEN: (f64, f64) = (1000.0, 700.0);

/// Input at full speed, and pictures at the size of the screen.
const OPTIONS: [&str; 6] = [
    "--set",
    "screen.pace=fast",
    "--set",
    "image.width=1000",
    "--set",
    "image.height=700",
];

/// A page that changes in one particular way each time the mouse goes to its right edge and then to its left edge.
const PAGE: &str = "<style>
    body { font: 16px sans-serif; background: white }
    li { height: 32px; line-height: 32px; border-bottom: 1px solid #ccc; list-style: none }
    ul { width: 700px; margin: 60px 40px; padding: 0 }
    button { float: right; height: 26px; width: 90px }
    #clock, #badge { position: fixed; top: 4px; right: 10px; font-size: 20px }
    #field { position: fixed; left: 40px; top: 16px; width: 300px; font-size: 20px }
    #film, #spinner { position: fixed; left: 780px; top: 230px; display: none }
    #spinner { width: 50px; height: 50px; border: 6px solid #ccc; border-top-color: navy; border-radius: 50%; animation: turn 1s linear infinite }
    @keyframes turn { to { transform: rotate(360deg) } }
    #mark { position: fixed; left: 0; top: 0; width: 24px; height: 24px; background: rgb(0, 0, 0) }
    dialog { position: fixed; left: 300px; top: 150px; width: 320px; height: 160px; border: 2px solid black; margin: 0 }
    .dark { background: #333; color: #777 }
    .dark button { background: #333; color: #777; border: 1px solid #555 }
    input.target { float: right; width: 22px; height: 22px; margin: 5px 34px }
    #drop { position: fixed; display: none; background: #fffbe0; border: 1px solid #888; font-size: 14px; left: 560px; width: 240px; height: 66px }
    </style><div id=drop>Rename<br>Duplicate<br>Move to the trash</div><div id=mark></div><input id=field><div id=clock>10:00:00</div><canvas id=film width=160 height=90></canvas><div id=spinner></div><ul></ul><dialog>Really?</dialog><script>
    const list = document.querySelector('ul');
    let changes = 0, clicks = 0, clicked = '-', rows = 0, armed = false;
    const add = (at, name) => {
        const row = document.createElement('li');
        const button = document.createElement({ radio: 'input', switch: 'input' }[KIND] ?? 'button');
        button.type = { radio: 'radio', switch: 'checkbox' }[KIND] ?? 'button';
        button.className = 'target';
        row.textContent = name; button.textContent = ['equal', 'digits'].includes(KIND) ? 'Delete' : 'Delete ' + rows; button.dataset.name = name.replaceAll(' ', '_');
        row.append(button); list.insertBefore(row, list.children[at] ?? null); rows++;
    };
    if (KIND === 'dark') document.body.className = 'dark';
    const names = n => KIND === 'digits' ? `invoice of the month 2${String(n).padStart(2, '0')}` : 'file number ' + 'abcdefghijkl'.repeat(n % 4 + 1) + n;
    for (let n = 0; n < 12; n++) add(n, names(n));
    const targets = document.getElementsByClassName('target');
    const place = thing => {
        const box = thing.getBoundingClientRect();
        const [left, top] = [screenX + outerWidth - innerWidth, screenY + outerHeight - innerHeight];
        return `${Math.round(left + box.x + box.width / 2)},${Math.round(top + box.y + box.height / 2)}`;
    };
    const tell = () => {
        const target = targets[6];
        say([armed, changes, place(mark), place(target), target.dataset.name, clicks, clicked].join(' '));
    };
    const change = {
        rows: () => add(0, 'new file ' + changes), equal: () => add(0, 'new file ' + 'xyz'.repeat(changes % 5 + 1)),
        scrolled: () => list.style.marginTop = 60 - 17 * (changes % 3 + 1) + 'px',
        dialog: () => { const d = document.querySelector('dialog'); d.open ? d.close() : d.show(); },
        label: () => { const b = targets[6]; b.textContent = changes % 2 ? 'Keep it' : 'Remove'; },
        clock: () => clock.textContent = `10:${String(changes).padStart(2, '0')}:17`,
        caret: () => field.focus(), badge: () => clock.textContent = changes % 2 ? '● 3 new' : '',
        dark: () => add(0, 'new file ' + changes), digits: () => { list.replaceChildren(); for (let n = 0; n < 12; n++) add(n, names(n + changes)); },
        radio: () => add(0, 'new file ' + changes), switch: () => targets[6].checked = !targets[6].checked,
        pushed: () => list.style.marginTop = 60 + changes % 2 * 58 + 'px', pushed_far: () => list.style.marginTop = 60 + changes % 2 * 100 + 'px',
        dropdown: () => { drop.style.display = changes % 2 ? 'block' : 'none'; drop.style.top = targets[6].getBoundingClientRect().y - 20 + 'px'; },
        hover: () => document.querySelectorAll('li')[6].style.background = changes % 2 ? '#e8f0fe' : 'white',
        typing: () => field.value = 'search ' + changes, video: () => {}, spinner: () => {},
        table: () => { for (const [n, row] of [...list.children].entries()) if (n !== 6) row.firstChild.data = `${names(n)} ${(changes * 37 + n * 11) % 100}.${changes % 10}0`; },
        ring: () => { for (const n of [2, 9]) targets[n].style.outline = changes % 2 ? '3px solid orange' : ''; },
        tooltip: () => { drop.style = changes % 2 ? 'display: block; left: 60px; top: 560px' : ''; },
        progress: () => { drop.style = `display: block; left: 40px; top: 620px; height: 8px; background: green; width: ${changes % 60 * 10}px`; },
        removed: () => list.firstElementChild.remove() ?? add(list.children.length, 'late file ' + 'xyz'.repeat(changes % 5 + 1)),
        swapped: () => list.insertBefore(list.children[6], list.children[5]),
        backdrop: () => { drop.style = changes % 2 ? 'display: block; left: 0; top: 0; width: 100%; height: 100%; background: #0008' : ''; },
        banner: () => { drop.style = changes % 2 ? 'display: block; left: 0; top: 250px; width: 100%; height: 300px' : ''; },
        tabs: () => { list.replaceChildren(); for (let n = 0; n < 12; n++) add(n, (changes % 2 ? 'message ' : 'file ') + 'abcdefghijkl'.repeat(n % 4 + 1) + n); },
    };
    if (KIND === 'spinner') spinner.style.display = 'block';
    if (KIND === 'video') {
        film.style.display = 'block';
        const paint = film.getContext('2d');
        setInterval(() => { for (let n = 0; n < 90; n += 10) { paint.fillStyle = `hsl(${Math.random() * 360} 80% 50%)`; paint.fillRect(0, n, 160, 10); } }, 40);
    }
    onmousemove = e => {
        if (e.clientX > 840 && !armed) { armed = true; tell(); }
        if (e.clientX > 20 || !armed) return;
        armed = false; changes++; change[KIND](); mark.style.background = `rgb(${changes}, 77, 99)`; tell();
    };
    onclick = e => { if (e.clientX > 30 && e.clientX < 840) { clicks++; clicked = e.target.dataset.name ?? 'beside'; tell(); } };
    const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait);
    wait();
    </script>";

/// The page's report: how many times it has changed, where the target is, the target's name, how many times it was
/// clicked, and where the last click was.
struct Said {
    is_armed: bool,
    changes: u32,
    /// The centre of a mark that is repainted in a new colour with each change.
    mark: (f64, f64),
    middle: (f64, f64),
    target: String,
    clicks: u32,
    clicked: String,
}

fn heard(browser: &Browser) -> Option<Said> {
    let said = browser.said();
    let mut words = said.split(' ');
    let [armed, changes, mark, middle, target, clicks, clicked] = [(); 7].map(|()| words.next());
    let place = |words: &str| {
        let (x, y) = words.split_once(',')?;
        Some((x.parse().ok()?, y.parse().ok()?))
    };
    Some(Said {
        is_armed: armed? == "true",
        changes: changes?.parse().ok()?,
        mark: place(mark?)?,
        middle: place(middle?)?,
        target: target?.to_owned(),
        clicks: clicks?.parse().ok()?,
        clicked: clicked?.to_owned(),
    })
}

/// Makes the page change once, and waits until the change is on the screen.
fn change(stage: &Stage, browser: &Browser) -> Said {
    let (connection, root) = (&stage.client.connection, stage.client.root);
    let move_to = |x: i16| {
        let moved = connection.warp_pointer(x11rb::NONE, root, 0, 0, 0, 0, x, 500);
        moved.unwrap().check().unwrap();
    };
    // A page that has only just appeared misses mouse movements.
    until("the page waits for the mouse", || {
        move_to(870);
        move_to(871);
        heard(browser).filter(|said| said.is_armed)
    });
    let said = until("the page has changed", || {
        move_to(6);
        move_to(5);
        heard(browser).filter(|said| !said.is_armed)
    });
    until("the change is on the screen", || {
        let (x, y) = (said.mark.0 as i16, said.mark.1 as i16);
        let image = connection
            .get_image(ImageFormat::Z_PIXMAP, root, x, y, 1, 1, !0)
            .unwrap();
        let [blue, green, red, _] = image.reply().unwrap().data[..] else {
            return None;
        };
        ([red, green, blue] == [said.changes as u8, 77, 99]).then_some(())
    });
    said
}

fn clicks(least: u32) -> u32 {
    std::env::var("LOOK_CLICKS").map_or(least, |clicks| clicks.parse().unwrap())
}

/// Writes a reply that clicks at a pixel of the screen.
fn click(at: (f64, f64)) -> String {
    let point = |at: f64, size: f64| (at / (size - 1.0) * 1000.0 * 64.0).round() / 64.0;
    let (x, y) = (point(at.0, SCREEN.0), point(at.1, SCREEN.1));
    format!("```python\nleft_click({x}, {y})\n```")
}

/// Clicks the target of a page that changes in this way between picture and reply. Returns the number of clicks that
/// were held, and the total.
fn play(kind: &str, count: u32) -> (u32, u32) {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let page = format!("<script>const KIND = '{kind}';</script>{PAGE}");
    let browser = Browser::open(&mut stage, &page);
    let mut said = change(&stage, &browser);
    let running = start(&stage, &place, &server.url(), Care::Alone, &OPTIONS);
    server.asked();
    let mut held = 0;
    for _ in 0..count {
        let aimed = said;
        said = change(&stage, &browser);
        let chat = server.then(&click(aimed.middle));
        let feedback = chat::feedback(&chat).to_owned();
        if feedback.contains("was held") {
            held += 1;
        } else {
            said = until("the page tells what was clicked", || {
                heard(&browser).filter(|now| now.clicks > said.clicks)
            });
            assert_eq!(said.clicked, aimed.target, "{kind}: another target was hit: {feedback}");
        }
    }
    server.reply("I rest.");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
    let clicks = heard(&browser).unwrap().clicks;
    assert_eq!(clicks, count - held, "{kind}: a held click was done");
    (held, count)
}

#[test]
fn no_click_lands_on_what_has_moved() {
    for kind in ["rows", "equal", "scrolled", "dialog", "label", "tabs"] {
        let (held, count) = play(kind, clicks(2));
        println!("{kind}: held {held} of {count}");
        assert_eq!(held, count, "{kind}");
    }
}

#[test]
fn no_click_lands_on_what_has_moved_or_changed_in_another_way() {
    for kind in [
        "dark",
        "digits",
        "pushed",
        "pushed_far",
        "radio",
        "switch",
        "dropdown",
        "removed",
        "swapped",
        "backdrop",
        "banner",
    ] {
        let (held, count) = play(kind, clicks(1));
        println!("{kind}: held {held} of {count}");
        assert_eq!(held, count, "{kind}");
    }
}

#[test]
fn what_only_looks_alive_holds_no_click() {
    for kind in [
        "clock", "caret", "badge", "hover", "typing", "spinner", "video", "table", "ring", "tooltip", "progress",
    ] {
        let (held, count) = play(kind, clicks(2));
        println!("{kind}: held {held} of {count}");
        assert_eq!(held, 0, "{kind}");
    }
}

/// Starts a program and waits until its window, whose title or class contains `name`, is in front.
fn program(stage: &mut Stage, command: &str, name: &str) -> Window {
    stage.desktop.spawn(command, &Environment::guest(&[])).unwrap();
    stage.client.focused(name)
}

/// Moves a window, and waits until the window manager has done so.
fn move_to(stage: &Stage, window: Window, at: (i32, i32)) {
    let (connection, root) = (&stage.client.connection, stage.client.root);
    let place = ConfigureWindowAux::new().x(at.0).y(at.1);
    connection.configure_window(window, &place).unwrap().check().unwrap();
    until("the window has moved", || {
        let now = connection.translate_coordinates(window, root, 0, 0).unwrap();
        let now = now.reply().unwrap();
        let is_near = |now: i16, wanted: i32| (i32::from(now) - wanted).abs() < 40;
        (is_near(now.dst_x, at.0) && is_near(now.dst_y, at.1)).then_some(())
    });
}

/// Changes the screen before each reply, which clicks where the target was in its picture. Returns how many clicks were
/// held.
fn held(stage: &mut Stage, mut change: impl FnMut(&mut Stage, bool), targets: [(f64, f64); 2], count: u32) -> u32 {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let running = start(stage, &place, &server.url(), Care::Alone, &OPTIONS);
    server.asked();
    let mut held = 0;
    for is_first in (0..count).map(|number| number % 2 == 0) {
        change(stage, is_first);
        let chat = server.then(&click(targets[usize::from(!is_first)]));
        held += u32::from(chat::feedback(&chat).contains("was held"));
    }
    server.reply("I rest.");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
    held
}

#[test]
fn a_program_that_was_moved_or_covered_is_not_clicked() {
    const TERMINAL: &str = "exec xterm -T Target -geometry 60x12+40+40 -e cat";
    let count = clicks(2);
    for (kind, command, name) in [
        ("terminal", TERMINAL, "target"),
        ("galculator", "exec galculator", "galculator"),
    ] {
        let mut stage = Stage::new();
        let window = program(&mut stage, command, name);
        move_to(&stage, window, (40, 40));
        let change = |stage: &mut Stage, is_first: bool| move_to(stage, window, (40, if is_first { 340 } else { 40 }));
        let held = held(&mut stage, change, [(150.0, 120.0), (150.0, 420.0)], count);
        println!("moved {kind}: held {held} of {count}");
        assert_eq!(held, count, "{kind}");
    }
    let mut stage = Stage::new();
    program(&mut stage, TERMINAL, "target");
    let mut cover = None;
    let change = |stage: &mut Stage, _| match cover.take() {
        Some(window) => stage.client.kill(window),
        None => {
            cover = Some(program(
                stage,
                "exec xterm -T Cover -geometry 50x20+20+20 -e cat",
                "cover",
            ));
        }
    };
    let held = held(&mut stage, change, [(150.0, 120.0); 2], count);
    println!("covered terminal: held {held} of {count}");
    assert_eq!(held, count);
}

#[test]
fn a_program_next_to_the_target_holds_no_click() {
    let (mut stage, count) = (Stage::new(), clicks(2));
    let log = "while :; do date +%N; sleep 0.1; done";
    program(
        &mut stage,
        &format!("exec xterm -T Log -geometry 30x20+600+40 -e sh -c '{log}'"),
        "log",
    );
    program(
        &mut stage,
        "exec xterm -T Target -geometry 60x12+40+40 -e cat",
        "target",
    );
    let held = held(&mut stage, |_, _| {}, [(150.0, 120.0); 2], count);
    println!("terminal beside a log: held {held} of {count}");
    assert_eq!(held, 0);
}
