//! A page that changes while the model thinks. FRANZ does not click something that has moved, and something that is
//! only animated does not stop the model.
//!
//! `LOOK_CLICKS` is the number of clicks of each kind. `cargo xtask look` makes many.

use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};

use crate::chat;
use crate::desktop::browser::Browser;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::{Stage, until};
use crate::harness::Workplace;
use crate::puppet::Puppet;

const SCREEN: (f64, f64) = (1000.0, 700.0);

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
    </style><div id=mark></div><input id=field><div id=clock>10:00:00</div><canvas id=film width=160 height=90></canvas><div id=spinner></div><ul></ul><dialog>Really?</dialog><script>
    const list = document.querySelector('ul');
    let changes = 0, clicks = 0, clicked = '-', rows = 0, armed = false;
    const add = (at, name) => {
        const row = document.createElement('li'), button = document.createElement('button');
        row.textContent = name; button.textContent = KIND === 'equal' ? 'Delete' : 'Delete ' + rows; button.dataset.name = name.replaceAll(' ', '_');
        row.append(button); list.insertBefore(row, list.children[at] ?? null); rows++;
    };
    for (let n = 0; n < 12; n++) add(n, 'file number ' + 'abcdefghijkl'.repeat(n % 4 + 1) + n);
    const place = thing => {
        const box = thing.getBoundingClientRect();
        const [left, top] = [screenX + outerWidth - innerWidth, screenY + outerHeight - innerHeight];
        return `${Math.round(left + box.x + box.width / 2)},${Math.round(top + box.y + box.height / 2)}`;
    };
    const tell = () => {
        const target = document.querySelectorAll('button')[6];
        say([armed, changes, place(mark), place(target), target.dataset.name, clicks, clicked].join(' '));
    };
    const change = {
        rows: () => add(0, 'new file ' + changes), equal: () => add(0, 'new file ' + 'xyz'.repeat(changes % 5 + 1)),
        scrolled: () => list.style.marginTop = 60 - 17 * (changes % 3 + 1) + 'px',
        dialog: () => { const d = document.querySelector('dialog'); d.open ? d.close() : d.show(); },
        label: () => { const b = document.querySelectorAll('button')[6]; b.textContent = changes % 2 ? 'Keep it' : 'Remove'; },
        clock: () => clock.textContent = `10:${String(changes).padStart(2, '0')}:17`,
        caret: () => field.focus(), badge: () => clock.textContent = changes % 2 ? '● 3 new' : '',
        hover: () => document.querySelectorAll('li')[6].style.background = changes % 2 ? '#e8f0fe' : 'white',
        typing: () => field.value = 'search ' + changes, video: () => {}, spinner: () => {},
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

/// The page's report: how often it has changed, where the target is, the target's name, how often it was clicked, and
/// where the last click was.
struct Said {
    is_armed: bool,
    changes: u32,
    /// The middle of a mark that is repainted in a new colour with each change.
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

/// Clicks the target of a page that changes in this way between picture and reply. Returns how many clicks were held,
/// and how many there were in total.
fn play(kind: &str, count: u32) -> (u32, u32) {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let page = format!("<script>const KIND = '{kind}';</script>{PAGE}");
    let browser = Browser::open(&mut stage, &page);
    let mut said = change(&stage, &browser);
    let more = [
        "--set",
        "screen.pace=fast",
        "--set",
        "image.width=1000",
        "--set",
        "image.height=700",
    ];
    let running = start(&stage, &place, &server.url(), Care::Alone, &more);
    server.asked();
    let mut held = 0;
    for _ in 0..count {
        let aimed = said;
        said = change(&stage, &browser);
        let point = |at: f64, size: f64| (at / (size - 1.0) * 1000.0 * 64.0).round() / 64.0;
        let (x, y) = (point(aimed.middle.0, SCREEN.0), point(aimed.middle.1, SCREEN.1));
        let chat = server.then(&format!("```python\nleft_click({x}, {y})\n```"));
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
fn what_only_looks_alive_holds_no_click() {
    for kind in ["clock", "caret", "badge", "hover", "typing", "spinner", "video"] {
        let (held, count) = play(kind, clicks(2));
        println!("{kind}: held {held} of {count}");
        assert_eq!(held, 0, "{kind}");
    }
}
