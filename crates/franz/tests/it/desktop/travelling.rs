//! The desktop changes while the pointer travels to its target. FRANZ looks once more before the pointer arrives.

use crate::chat;
use crate::desktop::browser::Browser;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::{Stage, until};
use crate::harness::Workplace;
use crate::puppet::Puppet;

/// The pointer takes ten seconds, so that the page has the time to change, however busy the machine is.
const OPTIONS: [&str; 6] = [
    "--set",
    "screen.move_steps=1000",
    "--set",
    "image.width=1000",
    "--set",
    "image.height=700",
];

/// Rows that light up under the pointer, each with a button at the right. With `CHANGES`, a row is added when the
/// pointer comes from the left and has reached the middle.
const PAGE: &str = "<style>
    body { font: 16px sans-serif; background: white }
    ul { width: 800px; margin: 20px; padding: 0 }
    li { height: 30px; line-height: 30px; list-style: none }
    li:hover { background: #1a5fb4; color: white }
    button { float: right; width: 160px; height: 26px; background: #eee; border: 1px solid #888 }
    button:hover { background: black; color: white }
    </style><ul></ul><script>
    const list = document.querySelector('ul');
    let clicks = 0, changes = 0;
    const add = name => {
        const row = document.createElement('li'), button = document.createElement('button');
        row.textContent = name; button.textContent = 'Delete ' + name;
        row.append(button); list.prepend(row);
    };
    for (let n = 0; n < 11; n++) add('file ' + 'abcdefghijkl'.repeat(n % 3 + 1) + n);
    const place = () => {
        const box = document.querySelectorAll('button')[5].getBoundingClientRect();
        const [left, top] = [screenX + outerWidth - innerWidth, screenY + outerHeight - innerHeight];
        return [Math.round(left + box.x + box.width / 2), Math.round(top + box.y + box.height / 2)].join(',');
    };
    let at = '';
    const tell = () => say([at, clicks, changes].join(' '));
    onmousemove = e => {
        if (CHANGES && !changes && e.clientX > 300) { changes++; add('new'); tell(); }
        if (!at && e.clientX < 20) { at = place(); tell(); }
    };
    onclick = () => { clicks++; tell(); };
    const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait);
    wait();
    </script>";

/// Clicks a button of the page, coming from the left. Returns the feedback, the page's last report, and the distance of
/// the pointer from its target.
fn clicked(changes: bool) -> (String, String, i32) {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let browser = Browser::open(
        &mut stage,
        &format!("<script>const CHANGES = {changes};</script>{PAGE}"),
    );
    let said = until("the page tells where its button is", || {
        // A page that has only just appeared misses mouse movements.
        stage
            .client
            .warp((if stage.client.pointer().0 == 5 { 6 } else { 5 }, 500));
        Some(browser.said()).filter(|said| said.contains(','))
    });
    let (x, y) = said.split(' ').next().and_then(|at| at.split_once(',')).unwrap();
    let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
    let running = start(&stage, &place, &server.url(), Care::Alone, &OPTIONS);
    server.asked();
    let (x, y) = (x / 999.0 * 1000.0, y / 699.0 * 1000.0);
    let chat = server.then(&format!("```python\nleft_click({x:.2}, {y:.2})\n```"));
    let feedback = chat::feedback(&chat).to_owned();
    if !feedback.contains("held") {
        until("the page has got the click", || {
            browser.said().contains(" 1 ").then_some(())
        });
    }
    let pointer = stage.client.pointer();
    let distance = (x / 1000.0 * 999.0) as i32 - i32::from(pointer.0);
    server.reply("I rest.");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
    assert!(stage.is_at_rest());
    (feedback, browser.said(), distance)
}

#[test]
fn a_click_is_held_if_the_page_changes_while_the_pointer_travels() {
    let (feedback, said, distance) = clicked(true);
    assert!(feedback.contains("was held"), "{feedback}");
    assert!(said.ends_with(" 0 1"), "{said}");
    assert!((10..60).contains(&distance), "{distance}");
}

#[test]
fn what_lights_up_under_the_pointer_holds_no_click() {
    let (feedback, said, distance) = clicked(false);
    assert!(!feedback.contains("held"), "{feedback}");
    assert!(said.ends_with(" 1 0"), "{said}");
    assert!(distance.abs() <= 1, "{distance}");
}
