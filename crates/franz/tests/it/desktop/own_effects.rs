//! A change that a reply has caused does not hold the rest of the reply. Any other change does.

use franz_record::Outcome;
use franz_screen::child::Environment;

use crate::chat;
use crate::desktop::browser::Browser;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::Stage;
use crate::harness::Workplace;
use crate::puppet::Puppet;

const TOOLS: [&str; 10] = [
    "--set",
    "screen.pace=fast",
    "--set",
    "protocol.tools.move=true",
    "--set",
    "protocol.tools.mouse_up=true",
    "--set",
    "protocol.tools.focus=true",
    "--set",
    "protocol.tools.windows=true",
];

/// A box that follows the mouse while its button is down.
const PAGE: &str = "<style>
    body { margin: 0; background: white }
    #box { position: fixed; width: 240px; height: 240px; background: navy; display: none }
    </style><div id=box></div><script>
    const box = document.getElementById('box');
    onmousedown = () => box.style.display = 'block';
    onmousemove = e => { box.style.left = e.clientX - 120 + 'px'; box.style.top = e.clientY - 120 + 'px'; };
    onmouseup = e => say(e.clientX > 500 ? 'dropped on the right' : 'dropped on the left');
    const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait);
    wait();
    </script>";

fn terminal(stage: &mut Stage, title: &str) {
    let command = format!("exec xterm -T '{title}' -geometry 40x8 -e cat");
    stage.desktop.spawn(&command, &Environment::guest(&[])).unwrap();
    stage.client.focused(&title.to_lowercase());
}

#[test]
fn a_drag_in_steps_ends_where_the_model_ends_it() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let browser = Browser::open(&mut stage, PAGE);
    browser.says("ready");
    let running = start(&stage, &place, &server.url(), Care::Alone, &TOOLS);
    server.asked();
    let steps = "mouse_down(300, 500)\nmove(600, 600)\nmove(750, 500)\nmouse_up(750, 500)";
    let chat = server.then(&format!("```python\n{steps}\n```"));
    assert!(!chat::feedback(&chat).contains("held"), "{}", chat::feedback(&chat));
    browser.says("dropped on the right");
    server.reply("I rest.");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn keys_go_to_the_window_that_the_reply_brought_to_the_front() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    terminal(&mut stage, "First");
    terminal(&mut stage, "Second");
    let running = start(&stage, &place, &server.url(), Care::Alone, &TOOLS);
    server.asked();
    let chat = server.then("```python\nfocus('First')\ntype('hello')\n```");
    assert!(!chat::feedback(&chat).contains("held"), "{}", chat::feedback(&chat));
    stage.client.focused("first");
    // The model has not been shown these windows, however often it types.
    for title in ["Third", "Fourth", "Fifth", "Sixth"] {
        terminal(&mut stage, title);
        let chat = server.then("```python\ntype('secret')\n```");
        let told = chat::feedback(&chat);
        assert!(
            told.contains("was held") && told.contains("another window"),
            "{title}: {told}"
        );
    }
    server.reply("I rest.");
    let turns = place.wait_for_turn(6);
    let typed = turns.iter().flat_map(|turn| &turn.acted);
    let done = typed.filter(|acted| acted.action.contains("type") && matches!(acted.outcome, Outcome::Done(_)));
    assert_eq!(done.count(), 1);
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}
