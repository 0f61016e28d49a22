//! The model is told when its actions have changed nothing, and the record says where they changed the screen.

use franz_screen::child::Environment;

use crate::chat;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::Stage;
use crate::harness::Workplace;
use crate::puppet::Puppet;

const UNCHANGED: &str = "NOTICE: nothing visible changed; it may have worked.";

#[test]
fn the_effect_of_an_action_is_reported() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    // About 500 by 300 pixels, in the upper left part of the screen.
    stage
        .desktop
        .spawn("exec xterm -geometry 80x20+20+20 -e cat", &Environment::guest(&[]))
        .unwrap();
    stage.client.focused("xterm");
    let more = ["--set", "loop.executing_delay_s=1", "--set", "screen.move_steps=20"];
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
    assert!(!chat::feedback(&chat).contains("window"), "{}", chat::feedback(&chat));
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
