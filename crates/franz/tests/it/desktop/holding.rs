//! What FRANZ does with an action whose target keeps changing, that a dialog would catch, or that waited for a restart.

use franz_record::Outcome;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};

use crate::chat;
use crate::dashboard::Dashboard;
use crate::desktop::browser::Browser;
use crate::desktop::painted::Painted;
use crate::desktop::run::{Care, resume, start};
use crate::desktop::stage::{Stage, until};
use crate::harness::Workplace;
use crate::puppet::Puppet;

/// Input at full speed, and pictures at the size of the screen.
const OPTIONS: [&str; 6] = [
    "--set",
    "screen.pace=fast",
    "--set",
    "image.width=1000",
    "--set",
    "image.height=700",
];

/// Rows of text with a button each. Its procedures show a new number in each row, or other rows.
const ROWS: &str = r"
set step 0
for {set row 0} {$row < 12} {incr row} {
    set y [expr {40 + $row * 36}]
    .c create text 40 $y -anchor w -font {Helvetica 15} -text {} -tags name$row
    .c create text 620 $y -anchor w -font {Helvetica 15} -text {} -tags number$row
    .c create rectangle 780 [expr {$y - 12}] 860 [expr {$y + 12}] -fill gray80
}
proc show {shift} {
    for {set row 0} {$row < 12} {incr row} {
        set other [expr {$row + $shift}]
        .c itemconfigure name$row -text [string range [string repeat {file of the report number } 3] $other [expr {$other * 3 % 20 + 40}]]
        .c itemconfigure number$row -text [expr {($::step * 7919 + $row * 104729) % 90000 + 10000}]
    }
    incr ::step
}
show 0
";

/// Returns a reply that clicks the button in the sixth row.
fn click(table: &Painted) -> String {
    let corner = table.value("\"[winfo rootx .c] [winfo rooty .c]\"");
    let (left, top) = corner.split_once(' ').unwrap();
    let (x, y): (f64, f64) = (left.parse().unwrap(), top.parse().unwrap());
    let (x, y) = ((x + 820.0) / 0.999, (y + 220.0) / 0.699);
    format!("```python\nleft_click({x:.2}, {y:.2})\n```")
}

#[test]
fn the_third_click_in_a_table_that_counts_is_done_and_told() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let table = Painted::open(&mut stage, ROWS);
    let click = click(&table);
    let running = start(&stage, &place, &server.url(), Care::Alone, &OPTIONS);
    server.asked();
    for held in 1..=2 {
        table.does("show 0");
        let chat = server.then(&click);
        let told = chat::feedback(&chat);
        assert!(
            told.contains("was held") && told.contains("the screen changed at"),
            "{told}"
        );
        assert_eq!(table.value("$::clicks"), "0", "{held}");
    }
    table.does("show 0");
    let chat = server.then(&click);
    let told = chat::feedback(&chat);
    assert!(
        told.contains("done, although the screen keeps changing beside it"),
        "{told}"
    );
    assert_eq!(table.value("$::clicks"), "1");
    // The next change begins a new row of holds.
    table.does("show 0");
    let chat = server.then(&click);
    assert!(chat::feedback(&chat).contains("was held"), "{}", chat::feedback(&chat));
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn a_third_click_on_rows_that_move_is_held_and_the_person_is_asked() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let table = Painted::open(&mut stage, ROWS);
    let click = click(&table);
    let running = start(&stage, &place, &server.url(), Care::Panel, &OPTIONS);
    let dashboard = Dashboard::of(&place);
    let _page = dashboard.open_page();
    server.asked();
    for shift in 1..=2 {
        table.does(&format!("show {shift}"));
        server.then(&click);
    }
    table.does("show 3");
    server.reply(&click);
    dashboard.wait_for_agent("paused");
    let said = dashboard.json("/api/state").to_string();
    assert!(said.contains("the model cannot click at ("), "{said}");
    dashboard.command("resume");
    let told = chat::feedback(&server.chat()).to_owned();
    assert!(told.contains("wait until it is still, or use the keyboard"), "{told}");
    assert_eq!(table.value("$::clicks"), "0");
    dashboard.command("stop");
    assert_eq!(running.finish().code, Some(130));
}

#[test]
fn with_nobody_there_rows_that_move_are_never_clicked() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let table = Painted::open(&mut stage, ROWS);
    let click = click(&table);
    let running = start(&stage, &place, &server.url(), Care::Alone, &OPTIONS);
    server.asked();
    for shift in 1..=4 {
        table.does(&format!("show {shift}"));
        let chat = server.then(&click);
        let told = chat::feedback(&chat);
        let is_told = told.contains("wait until it is still");
        assert!(told.contains("was held") && is_told == (shift > 2), "{shift}: {told}");
    }
    assert_eq!(table.value("$::clicks"), "0");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

/// A page that opens a dialog when the mouse comes to its left edge. The dialog's field takes the keyboard.
const DIALOG: &str = "<style>dialog { position: fixed; left: 250px; top: 150px; width: 320px; height: 160px; margin: 0; background: rgb(7, 77, 99) }</style>
    <input id=field autofocus><dialog>Your password, please: <input id=password></dialog><script>
    const field = document.getElementById('field'), password = document.getElementById('password');
    const tell = () => say(['open', field.value, password.value, document.activeElement.id].join('|'));
    oninput = tell;
    onmousemove = e => { if (e.clientX < 20) { document.querySelector('dialog').showModal(); password.focus(); tell(); } };
    const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait);
    wait();
    </script>";

#[test]
fn keys_are_held_if_a_dialog_of_the_page_would_catch_them() {
    for keys in ["type('secret')", "press('x')"] {
        let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
        let browser = Browser::open(&mut stage, DIALOG);
        let running = start(&stage, &place, &server.url(), Care::Alone, &OPTIONS);
        server.asked();
        // Only the page moves the keyboard focus; the same window stays in front.
        until("the dialog is open", || {
            stage
                .client
                .warp((if stage.client.pointer().0 == 5 { 6 } else { 5 }, 300));
            browser.said().starts_with("open").then_some(())
        });
        // The page tells of the dialog before it is painted.
        until("the dialog is on the screen", || {
            let (connection, root) = (&stage.client.connection, stage.client.root);
            let image = connection
                .get_image(ImageFormat::Z_PIXMAP, root, 0, 0, 1000, 700, !0)
                .unwrap();
            let data = image.reply().unwrap().data;
            // The dialog's blue, green and red.
            data.chunks_exact(4)
                .any(|pixel| pixel[..3] == [99, 77, 7])
                .then_some(())
        });
        let chat = server.then(&format!("```python\n{keys}\n```"));
        let told = chat::feedback(&chat);
        assert!(
            told.contains("was held") && told.contains("something new appeared on the screen after your picture"),
            "{told}"
        );
        assert_eq!(browser.said(), "open|||password");
        // Now the model has seen the dialog.
        let chat = server.then("```python\ntype('ab')\n```");
        assert!(!chat::feedback(&chat).contains("held"), "{}", chat::feedback(&chat));
        assert_eq!(browser.says("open||ab|password"), "open||ab|password");
        running.signal("TERM");
        assert_eq!(running.finish().code, Some(143));
    }
}

#[test]
fn what_changed_while_franz_was_not_running_is_seen_before_a_click() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let table = Painted::open(&mut stage, ROWS);
    let click = click(&table);
    let more = [&OPTIONS[..], &["--max-turns", "1"]].concat();
    let running = start(&stage, &place, &server.url(), Care::Alone, &more);
    server.asked();
    server.reply(&click);
    assert_eq!(running.finish().code, Some(0));
    assert_eq!(table.value("$::clicks"), "0", "the click has not been performed");
    table.does("show 2");
    let more = [&OPTIONS[..], &["--max-turns", "9"]].concat();
    let running = resume(&stage, &place, &server.url(), Care::Alone, &more);
    let told = chat::feedback(&server.chat()).to_owned();
    assert!(
        told.contains("was held") && told.contains("the screen changed at"),
        "{told}"
    );
    assert_eq!(table.value("$::clicks"), "0");
    // Without a change, the click is performed.
    let chat = server.then(&click);
    assert!(!chat::feedback(&chat).contains("held"), "{}", chat::feedback(&chat));
    assert_eq!(table.value("$::clicks"), "1");
    server.reply("I rest.");
    let turns = place.wait_for_turn(3);
    assert!(
        matches!(turns[1].acted[0].outcome, Outcome::Held(_)),
        "{:?}",
        turns[1].acted
    );
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}
