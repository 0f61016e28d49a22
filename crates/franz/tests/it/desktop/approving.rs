//! A person approves an action on their own desktop, and switches to another window to do so.

use franz_screen::child::Environment;

use crate::chat;
use crate::dashboard::Dashboard;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::Stage;
use crate::harness::{Workplace, wait_until};
use crate::puppet::Puppet;

#[test]
fn approved_keys_go_to_the_window_that_was_in_front_in_the_picture() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    let (written, guest) = (stage.path("written"), Environment::guest(&[]));
    let page = "exec xterm -T Page -geometry 30x6+700+500 -e cat";
    stage.desktop.spawn(page, &guest).unwrap();
    stage.client.focused("page");
    let editor = format!(
        "exec xterm -T Editor -geometry 40x8+40+40 -e sh -c 'cat > {}'",
        written.display()
    );
    stage.desktop.spawn(&editor, &guest).unwrap();
    stage.client.focused("editor");

    // A busy terminal shows what is typed long after it has received it.
    let more = ["--gate", "ask", "--set", "loop.executing_delay_s=2"];
    let running = start(&stage, &place, &server.url(), Care::Panel, &more);
    let dashboard = Dashboard::of(&place);
    let _page = dashboard.open_page();
    server.asked();
    server.reply("```python\ntype('whisky', enter=True)\n```");
    let (nonce, _) = dashboard.question("");

    stage.person().click(760, 540);
    stage.client.focused("page");
    assert_eq!(dashboard.decide("approve", &nonce, "").0, 200);

    wait_until("the approved text", || {
        let text = std::fs::read_to_string(&written).ok()?;
        (text == "whisky\n").then_some(())
    });
    let told = chat::feedback(&server.chat()).to_owned();
    assert_eq!(told, "OK: 1 action executed.");
    running.kill();
}
