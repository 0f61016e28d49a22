//! Masks in a whole run. No file, request or message contains pixels or text from under a mask.

use franz_record::Outcome;
use franz_screen::child::Environment;
use serde_json::Value;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};

use crate::chat;
use crate::desktop::leaks::{files, holds, pictures, showing};
use crate::desktop::run::{Care, start};
use crate::desktop::stage::{Stage, until};
use crate::harness::Workplace;
use crate::puppet::Puppet;

/// The title of the window with the secret. No mask contains the whole title.
const TITLE: &str = "Vault-7f3a91";

const SETTINGS: [&str; 22] = [
    "--set",
    "image.width=1000",
    "--set",
    "image.height=700",
    "--set",
    "screen.move_steps=20",
    "--set",
    "record.exchange_log=true",
    "--set",
    "loop.executing_delay_s=0.3",
    "--set",
    "protocol.tools.windows=true",
    "--set",
    "protocol.tools.focus=true",
    "--set",
    "protocol.tools.zoom=true",
    "--set",
    "protocol.tools.watch=true",
    "--set",
    "marks.cursor=true",
    "--set",
    "loop.look=off",
];

/// Opens a magenta window that prints the lines that a test appends to a file, and a window without secrets.
fn secrets(stage: &mut Stage) {
    std::fs::write(stage.path("more"), "").unwrap();
    let guest = Environment::guest(&[]);
    let notes = "exec xterm -T Notes -geometry 40x8+600+450 -e cat";
    stage.desktop.spawn(notes, &guest).unwrap();
    stage.client.focused("notes");
    let vault = format!(
        "exec xterm -T {TITLE} -bg '#ff00ff' -fg '#00ffff' -geometry 40x12+60+60 -e tail -f {}",
        stage.path("more").display()
    );
    stage.desktop.spawn(&vault, &guest).unwrap();
    stage.client.focused("vault");
}

fn block(call: &str) -> String {
    format!("```python\n{call}\n```")
}

/// Returns the pixels of the secret.
fn secret(stage: &Stage) -> Vec<u8> {
    let (connection, root) = (&stage.client.connection, stage.client.root);
    let image = connection
        .get_image(ImageFormat::Z_PIXMAP, root, 60, 60, 240, 150, !0)
        .unwrap();
    image.reply().unwrap().data
}

/// The data that a run stored and sent.
struct Found {
    /// All files of the run and next to it, the run's output, and all requests.
    bytes: Vec<Vec<u8>>,
    /// The feedback for each call.
    told: Vec<String>,
    outcomes: Vec<Outcome>,
    /// For each turn, whether anything on the screen changed.
    changed: Vec<bool>,
}

/// Runs with these masks. Tries every way of looking at the secret, and acts on it.
fn run(masks: &str) -> Found {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    secrets(&mut stage);
    let masks = format!("screen.mask={masks}");
    let more = [&SETTINGS[..], &["--set", &masks]].concat();
    let running = start(&stage, &place, &server.url(), Care::Panel, &more);
    let mut requests = vec![server.asked()];
    let mut told = Vec::new();
    let mut say = |call: &str| {
        server.reply(&block(call));
        let request = server.asked();
        let chat: Value = serde_json::from_slice(&request).unwrap();
        told.push(chat::feedback(&chat).to_owned());
        requests.push(request);
    };
    // The window with the secret is in front.
    say("type('a')");
    say("left_click(150, 200)");
    say("drag(10, 10, 500, 400)");
    say("left_click(700, 700)");
    stage.client.focused("notes");
    say("type('b')");
    say("windows()");
    say("focus('2')");
    say("zoom(50, 50, 400, 300)");
    // The secret changes while the model thinks.
    let before = secret(&stage);
    std::fs::write(stage.path("more"), "changed\n\n\n\n\n\n\n").unwrap();
    until("the change is on the screen", || {
        (secret(&stage) != before).then_some(())
    });
    say("watch(1)");
    server.reply("done");
    let turns = place.wait_for_turn(10);
    running.signal("TERM");
    let finished = running.finish();
    assert_eq!(finished.code, Some(143), "{}", finished.stderr);
    let mut bytes = files(&place.path(""));
    bytes.extend(requests);
    bytes.extend([finished.stdout.into_bytes(), finished.stderr.into_bytes()]);
    let outcomes = turns.iter().flat_map(|turn| &turn.acted);
    let outcomes = outcomes.map(|acted| acted.outcome.clone()).collect();
    let has_changed = |turn: &franz_record::TurnLine| turn.change.is_some_and(|change| change.area.is_some());
    Found {
        bytes,
        told,
        outcomes,
        changed: turns.iter().map(has_changed).collect(),
    }
}

#[test]
fn a_masked_window_is_nowhere_in_a_run() {
    let bare = run("[]");
    let masked = run("[{ window = 'vault*', name = 'secrets' }]");

    // Without a mask, the same search finds the secret everywhere.
    for (found, is_bare) in [(&bare, true), (&masked, false)] {
        let pictures: Vec<_> = found.bytes.iter().flat_map(|bytes| pictures(bytes)).collect();
        assert!(pictures.len() > 20, "{}", pictures.len());
        let showing = showing(&pictures);
        assert_eq!(showing > 0, is_bare, "{showing} of {} pictures", pictures.len());
        let texts = found.bytes.iter().filter(|bytes| holds(bytes, TITLE)).count();
        assert_eq!(texts > 0, is_bare, "{texts} texts");
    }

    let is_blocked = |found: &Found| -> Vec<bool> {
        let blocked = |outcome: &Outcome| matches!(outcome, Outcome::Blocked(Some(_)));
        found.outcomes.iter().map(blocked).collect()
    };
    assert!(!is_blocked(&bare).contains(&true), "{:?}", bare.outcomes);
    let [t, f] = [true, false];
    assert_eq!(
        is_blocked(&masked),
        [t, t, t, f, f, f, t, f, f],
        "{:?}",
        masked.outcomes
    );
    for (at, words) in [
        (
            0,
            "the person has masked a window in front, which would receive the keys",
        ),
        (1, "the person has masked that place"),
        (2, "the person has masked that place"),
        (5, r#"2 \"(masked)\" from ("#),
        (6, "the person has masked that window"),
        (8, "nothing changed in 1"),
    ] {
        assert!(masked.told[at].contains(words), "{at}: {}", masked.told[at]);
    }
    assert!(bare.told[5].contains(TITLE), "{}", bare.told[5]);
    // The part that changed while the model was thinking.
    assert_eq!((bare.changed[9], masked.changed[9]), (true, false));
}

#[test]
fn an_area_is_masked_from_the_next_picture_on_when_the_file_of_the_run_says_so() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    secrets(&mut stage);
    let more = [&SETTINGS[..], &["--set", "marks.cursor=false"]].concat();
    let running = start(&stage, &place, &server.url(), Care::Alone, &more);
    assert_eq!(showing(&pictures(&server.asked())), 1);
    let config = std::fs::read_to_string(place.file("config.toml")).unwrap();
    assert!(config.contains("\nmask = []\n"), "{config}");
    let with = |masks: &str| {
        let edited = config.replace("\nmask = []\n", &format!("\nmask = {masks}\n"));
        std::fs::write(place.file("config.toml.new"), edited).unwrap();
        std::fs::rename(place.file("config.toml.new"), place.file("config.toml")).unwrap();
    };
    with("[{ area = [0, 0, 500, 500] }]");
    server.reply(&block("left_click(100, 100)"));
    let request = server.asked();
    assert_eq!(showing(&pictures(&request)), 0);
    let chat: Value = serde_json::from_slice(&request).unwrap();
    assert!(
        chat::feedback(&chat).contains("the person has masked that place"),
        "{}",
        chat::feedback(&chat)
    );
    let picture = &pictures(&request)[0];
    let hidden = picture.part(franz_frame::Area::whole(500, 350)).unwrap();
    let is_grey = |x: u32, y: u32| {
        let color = hidden.color(x, y).unwrap();
        color.red == color.green && color.green == color.blue && (0x20..=0xe0).contains(&color.red)
    };
    assert!((0..500).all(|x| (0..350).all(|y| is_grey(x, y))));
    // The file can remove masks that it added.
    with("[]");
    server.reply(&block("wait(0)"));
    assert_eq!(showing(&pictures(&server.asked())), 1);
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn masks_of_the_command_stay_whatever_the_file_of_the_run_says() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    secrets(&mut stage);
    let more = [&SETTINGS[..], &["--set", "screen.mask=[{window='vault*'}]"]].concat();
    let running = start(&stage, &place, &server.url(), Care::Alone, &more);
    assert_eq!(showing(&pictures(&server.asked())), 0);
    let config = std::fs::read_to_string(place.file("config.toml")).unwrap();
    let table = "[[screen.mask]]\nwindow = \"vault*\"\n";
    assert!(config.contains(table), "{config}");
    let edited = config.replace(table, "[[screen.mask]]\narea = [800, 0, 1000, 100]\n");
    std::fs::write(place.file("config.toml"), edited).unwrap();
    server.reply(&block("left_click(900, 50)"));
    let request = server.asked();
    assert_eq!(showing(&pictures(&request)), 0);
    let chat: Value = serde_json::from_slice(&request).unwrap();
    assert!(
        chat::feedback(&chat).contains("masked that place"),
        "what it adds counts"
    );
    running.signal("TERM");
    let finished = running.finish();
    let said = "only you can change screen.mask";
    until("the person is told", || finished.stdout.contains(said).then_some(()));
}
