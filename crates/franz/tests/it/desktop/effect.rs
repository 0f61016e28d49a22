//! The model is told when its actions have changed nothing, and the record says where they changed the screen.

use franz_screen::child::Environment;

use crate::chat;
use crate::desktop::painted::Painted;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::Stage;
use crate::harness::Workplace;
use crate::puppet::Puppet;

const UNCHANGED: &str = "NOTICE: nothing visible changed; it may have worked.";

#[test]
fn the_effect_of_an_action_is_reported() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    // About 500 by 300 pixels, in the upper left part of the screen. Its cursor is hidden, because a busy xterm fills it
    // long after it has the keyboard.
    stage
        .desktop
        .spawn(
            r#"exec xterm -geometry 80x20+20+20 -e sh -c 'printf "\033[?25l"; exec cat'"#,
            &Environment::guest(&[]),
        )
        .unwrap();
    stage.client.focused("xterm");
    let more = ["--set", "loop.executing_delay_s=3", "--set", "screen.move_steps=20"];
    let running = start(&stage, &place, &server.url(), Care::Alone, &more);
    server.asked();
    let chat = server.then("```python\nleft_click(300, 300)\n```");
    assert!(chat::feedback(&chat).contains(UNCHANGED), "{}", chat::feedback(&chat));
    let chat = server.then("```python\ntype('hello')\n```");
    assert!(!chat::feedback(&chat).contains("NOTICE"), "{}", chat::feedback(&chat));
    let chat = server.then("```python\nmove(310, 310)\n```");
    assert!(
        !chat::feedback(&chat).contains("NOTICE"),
        "a movement is not meant to change anything"
    );
    server.reply("done");
    let turns = place.wait_for_turn(4);
    assert_eq!(turns[1].change.unwrap().area, None);
    let [left, top, right, bottom] = turns[2].change.unwrap().area.unwrap();
    assert!(left < 100 && right < 200, "{left} {right}");
    assert!(top < 150 && bottom < 150 && bottom > top, "{top} {bottom}");
    assert_eq!(turns[3].change.unwrap().area, None);
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

/// A window of 800 by 600 pixels: two buttons at the bottom, one of which fills much of the window, and the other one
/// writes a word at the top. A text field takes what is typed to the top.
const EFFECTS: &str = r"
wm geometry . 800x600+100+40
canvas .c -width 800 -height 480 -background white -highlightthickness 0
button .much -text Much -command {.c create rectangle 100 100 700 400 -fill blue}
button .little -text Little -command {.c create text 700 30 -text Added -font {Helvetica 20}}
entry .field -width 10
bind .field <Return> {.c create text 100 30 -text Sent -font {Helvetica 20}; .field delete 0 end}
pack .c -side top
pack .much .little .field -side left -expand 1 -fill both
";

#[test]
fn an_effect_elsewhere_in_the_window_is_told_only_if_it_is_small() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let script = stage.path("effects.tcl");
    std::fs::write(&script, EFFECTS).unwrap();
    stage.run("wish", &[script.to_str().unwrap()]);
    stage.client.focused("effects");
    let more = ["--set", "loop.executing_delay_s=3", "--set", "screen.move_steps=20"];
    let running = start(&stage, &place, &server.url(), Care::Alone, &more);
    server.asked();
    let mut told = |reply: &str| {
        let chat = server.then(&format!("```python\n{reply}\n```"));
        chat::feedback(&chat).to_owned()
    };
    let much = told("left_click(230, 850)");
    assert!(!much.contains("NOTICE"), "{much}");
    let little = told("left_click(500, 850)");
    assert!(
        little.contains("NOTICE: something changed at the top right, at"),
        "{little}"
    );
    assert!(little.contains("but nothing where you acted."), "{little}");
    let typed = told("type('words\\n', 770, 850)");
    assert!(!typed.contains("NOTICE"), "{typed}");
    server.reply("done");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

/// A counter at the top, and a button that does nothing.
const COUNTER: &str = r"
set count 10
.c create text 700 40 -font {Helvetica 20} -text 10 -tags counter
button .dead -text Dead -width 20 -height 3
.c create window 300 400 -window .dead
proc count {} { .c itemconfigure counter -text [incr ::count 7] }
";

#[test]
fn a_counter_hides_neither_a_dead_click_nor_dead_keys() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let window = Painted::open(&mut stage, COUNTER);
    let more = [
        "--set",
        "screen.pace=fast",
        "--set",
        "loop.executing_delay_s=2",
        "--set",
        "image.width=1000",
        "--set",
        "image.height=700",
    ];
    let running = start(&stage, &place, &server.url(), Care::Alone, &more);
    server.asked();
    for reply in ["press('f7')", "type('words')"] {
        window.does("count");
        let chat = server.then(&format!("```python\n{reply}\n```"));
        let told = chat::feedback(&chat);
        assert!(told.contains(UNCHANGED), "{reply}: {told}");
        // Something that changes is told, and so is what does not change after it.
        window.does("bind . <F8> {.c create rectangle 100 100 250 250 -fill blue}; focus -force .");
        let chat = server.then("```python\npress('f8')\n```");
        let told = chat::feedback(&chat);
        assert!(!told.contains("NOTICE"), "{told}");
        window.does(".c delete [.c find closest 150 150]");
        let chat = server.then("```python\nobserve()\n```");
        assert!(!chat::feedback(&chat).contains("NOTICE"), "{}", chat::feedback(&chat));
    }
    window.does("count");
    let chat = server.then("```python\nleft_click(320, 600)\n```");
    let told = chat::feedback(&chat);
    assert!(told.contains(UNCHANGED), "{told}");
    server.reply("done");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

/// A field with selected text.
const FIELD: &str = r"
entry .field -width 30
.field insert 0 {twelve chars}
.c create window 300 300 -window .field
update
focus -force .field
.field selection range 0 end
";

#[test]
fn a_copy_is_told_as_the_length_of_the_clipboard() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    Painted::open(&mut stage, FIELD);
    let running = start(
        &stage,
        &place,
        &server.url(),
        Care::Alone,
        &["--set", "screen.pace=fast", "--set", "loop.executing_delay_s=2"],
    );
    server.asked();
    let chat = server.then("```python\npress('ctrl+c')\n```");
    let told = chat::feedback(&chat);
    assert!(told.contains("NOTICE: the clipboard holds 12 characters."), "{told}");
    assert!(!told.contains(UNCHANGED), "{told}");
    server.reply("done");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn windows_that_come_and_go_are_told_by_title() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let guest = Environment::guest(&[]);
    let terminal = |title: &str| format!("exec xterm -T '{title}' -geometry 40x8 -e cat");
    stage.desktop.spawn(&terminal("First"), &guest).unwrap();
    let first = stage.client.focused("first");
    let running = start(
        &stage,
        &place,
        &server.url(),
        Care::Alone,
        &["--set", "protocol.tools.move=true"],
    );
    let chat = server.chat();
    assert!(!chat::feedback(&chat).contains("NOTICE"), "{}", chat::feedback(&chat));
    stage.desktop.spawn(&terminal("Save \"as\""), &guest).unwrap();
    stage.client.focused("save");
    let chat = server.then("```python\nmove(310, 310)\n```");
    let told = r#"NOTICE: new window: "Save \"as\"""#;
    assert!(chat::feedback(&chat).ends_with(told), "{}", chat::feedback(&chat));
    stage.client.kill(first);
    let chat = server.then("```python\nmove(320, 320)\n```");
    let told = r#"NOTICE: closed: "First""#;
    assert!(chat::feedback(&chat).ends_with(told), "{}", chat::feedback(&chat));
    let chat = server.then("```python\nmove(330, 330)\n```");
    assert!(!chat::feedback(&chat).contains("NOTICE"), "{}", chat::feedback(&chat));
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}
