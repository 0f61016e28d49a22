//! A whole task on a private desktop: an editor is opened, and a note is written and saved with the editor's dialog.

use crate::chat;
use crate::desktop::client::Client;
use crate::desktop::process::{agent_of, variable};
use crate::desktop::run::{Care, command};
use crate::harness::{Workplace, spawn, wait_until};
use crate::puppet::Puppet;

const NOTE: &str = "For Franz:\n\t- 2 kg Äpfel, “sweet” ones\n\t- 漢字 & Ωμέγα\n\nThank you!\n";

#[test]
fn a_note_is_written_and_saved() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let file = place.path("note.txt");
    let url = server.url();
    let run = ["--run-dir", "run", "--upstream", &url, "--screen", "virtual"];
    let settings = [
        r#"screen.start=["exec dbus-run-session mousepad --disable-server"]"#,
        "screen.width=1000",
        "screen.height=700",
        "screen.move_steps=20",
        "image.width=1000",
        "image.height=700",
        "screen.type_char_s=0.01",
        "screen.type_word_s=0.01",
        "loop.executing_delay_s=0.5",
    ];
    let settings: Vec<_> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    let mut franz = command(&place, Care::Panel, &[&run, &settings[..]].concat());
    // The run has no desktop but its own.
    franz.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let running = spawn(franz);
    let agent = agent_of(&running);
    server.asked();
    let client = Client::at(
        &variable(agent, "DISPLAY").unwrap(),
        &variable(agent, "XAUTHORITY").unwrap(),
    );
    client.focused("mousepad");

    let mut python = |code: &str| {
        let reply = format!("```python\n{code}\n```");
        let mut feedback = chat::feedback(&server.then(&reply)).to_owned();
        // The dialog appeared after the picture was taken. Now the model has seen it, and sends the same call again.
        while feedback.starts_with("Held:") {
            feedback = chat::feedback(&server.then(&reply)).to_owned();
        }
        assert!(feedback.starts_with("OK:"), "{feedback}");
    };
    let literal = serde_json::Value::from(NOTE);
    python(&format!("left_click(500, 500)\ntype({literal})"));
    python("press('ctrl+s')");
    client.focused("save as");
    python(&format!("type({:?})", file.to_str().unwrap()));
    // The dialog needs a moment to accept a name, so pressing Enter right after it would be too early.
    python("press('enter')");
    let is_saved = || std::fs::read(&file).is_ok_and(|text| text == NOTE.as_bytes());
    // On a busy machine, it is too early even after a turn.
    while client.is_focused("save as") && !is_saved() {
        python("press('enter')");
    }
    wait_until("the file", || is_saved().then_some(()));
    assert_eq!(client.down(), (Vec::new(), 0));
    let turns = place.wait_for_turn(4);
    assert!(turns[1].change.unwrap().area.is_some(), "{:?}", turns[1].change);
    running.signal("INT");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    assert_eq!(std::fs::read(&file).unwrap(), NOTE.as_bytes());
}
