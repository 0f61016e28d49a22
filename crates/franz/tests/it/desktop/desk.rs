//! Tools for windows and programs, and pictures in addition to the one of the whole screen.

use franz_screen::child::Environment;
use serde_json::Value;

use crate::chat;
use crate::desktop::run::{Care, command, start};
use crate::desktop::stage::Stage;
use crate::harness::{Workplace, spawn};
use crate::puppet::Puppet;

const ON: [&str; 10] = [
    "--set",
    "protocol.tools.windows=true",
    "--set",
    "protocol.tools.focus=true",
    "--set",
    "protocol.tools.zoom=true",
    "--set",
    "protocol.tools.watch=true",
    "--set",
    "protocol.tools.open=true",
];

fn terminal(stage: &mut Stage, title: &str) {
    let command = format!("exec xterm -T '{title}' -geometry 40x8 -e cat");
    stage.desktop.spawn(&command, &Environment::guest(&[])).unwrap();
    stage.client.focused(&title.to_lowercase());
}

/// Returns a block of Python with this call.
fn block(call: &str) -> String {
    format!("```python\n{call}\n```")
}

/// Returns the text of each part of the last message; `[picture]` for a picture.
fn parts(chat: &Value) -> Vec<String> {
    let content = chat::messages(chat).last().unwrap()["content"].as_array().unwrap();
    let part = |part: &Value| part["text"].as_str().unwrap_or("[picture]").to_owned();
    content.iter().map(part).collect()
}

#[test]
fn windows_are_listed_and_brought_to_the_front() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    terminal(&mut stage, "First");
    terminal(&mut stage, "Second");
    let running = start(&stage, &place, &server.url(), Care::Alone, &ON);
    server.asked();
    let chat = server.then(&block("windows()"));
    let told = chat::feedback(&chat);
    let listed = r#"NOTICE: windows() -> "1 \"Second\" from ("#;
    assert!(
        told.contains(listed) && told.contains(r#"in front; 2 \"First\" from ("#),
        "{told}"
    );
    let chat = server.then(&block("focus('2')"));
    let told = chat::feedback(&chat);
    assert!(told.contains(r#""First" is in front"#), "{told}");
    stage.client.focused("first");
    let second = server.then(&block("focus('sec')"));
    assert!(chat::feedback(&second).contains(r#""Second" is in front"#));
    let window = stage.client.focused("second");
    stage.client.kill(window);
    for (call, why) in [
        ("focus('1')", "went away"),
        ("focus('Third')", r#"no window has this title; there are "First""#),
        ("open('xterm')", "'open' is not defined"),
    ] {
        let chat = server.then(&block(call));
        assert!(chat::feedback(&chat).contains(why), "{call}: {}", chat::feedback(&chat));
    }
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn parts_and_moments_are_shown_beside_the_screen_once() {
    let (mut stage, place, mut server) = (Stage::new(), Workplace::new(), Puppet::new());
    terminal(&mut stage, "First");
    let running = start(&stage, &place, &server.url(), Care::Alone, &ON);
    server.asked();
    let chat = server.then(&block("zoom(100, 100, 300, 200)"));
    let seen = parts(&chat);
    assert_eq!(seen.len(), 5, "{seen:?}");
    assert!(
        seen[1].starts_with("A part of the screen, enlarged, from (100, 100) to (300, 200)."),
        "{seen:?}"
    );
    assert_eq!(seen[2..], ["[picture]", "The whole screen now:", "[picture]"]);
    let chat = server.then(&block("zoom(500, 500, 500, 500)"));
    assert_eq!(parts(&chat).len(), 2);
    assert!(
        chat::feedback(&chat).contains("as in zoom(400, 300, 600, 500)"),
        "{}",
        chat::feedback(&chat)
    );

    // It keeps changing, because it may come before the watch begins.
    let later = "sleep 1; exec xterm -T Later -geometry 80x20 -e sh -c 'while date +%N; do sleep 0.3; done'";
    stage.desktop.spawn(later, &Environment::guest(&[])).unwrap();
    let chat = server.then(&block("watch(6)"));
    let seen = parts(&chat);
    assert!(seen.len() >= 5 && seen.len() <= 2 * 4 + 3, "{seen:?}");
    assert!(
        seen[1].starts_with("The screen ") && seen[1].ends_with(" s after you began to watch:"),
        "{seen:?}"
    );
    assert_eq!(seen[seen.len() - 2..], ["The whole screen now:", "[picture]"]);
    let chat = server.then(&block("observe()"));
    assert_eq!(parts(&chat).len(), 2);
    server.reply("done");
    let turns = place.wait_for_turn(5);
    let beside: Vec<usize> = turns.iter().map(|turn| turn.beside.len()).collect();
    assert_eq!((beside[1], beside[2], beside[4]), (1, 0, 0));
    let file = &turns[1].beside[0].image.file;
    assert_eq!(file, "turn_0002.beside_1.png");
    assert!(place.file(file).exists());
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn only_listed_programs_are_opened_on_a_private_desktop() {
    for care in [Care::Panel, Care::Alone] {
        let (place, mut server) = (Workplace::new(), Puppet::new());
        let url = server.url();
        let run = ["--run-dir", "run", "--upstream", &url, "--screen", "virtual"];
        let open = [
            "--set",
            "screen.open=xterm -T Opened -e cat",
            "--set",
            "loop.executing_delay_s=2",
        ];
        let running = spawn(command(&place, care, &[&run[..], &ON, &open].concat()));
        server.asked();
        let chat = server.then(&block("open('rm')"));
        let told = chat::feedback(&chat);
        assert!(told.contains("there is no such program; open one of: xterm"), "{told}");
        let mut told = chat::feedback(&server.then(&block("open('xterm')"))).to_owned();
        // On a busy machine, the window takes a while.
        for _ in 0..20 {
            if told.contains("NOTICE: new window") {
                break;
            }
            told = chat::feedback(&server.then(&block("wait(1)"))).to_owned();
        }
        assert!(told.contains(r#"NOTICE: new window: "Opened""#), "{told}");
        running.signal("TERM");
        assert_eq!(running.finish().code, Some(143));
    }
}

#[test]
fn elements_are_told_with_each_picture_and_clicked_by_number() {
    for care in [Care::Panel, Care::Alone] {
        let (place, mut server) = (Workplace::new(), Puppet::new());
        let url = server.url();
        let run = ["--run-dir", "run", "--upstream", &url, "--screen", "virtual"];
        let told = [
            "--set",
            "screen.start=galculator",
            "--set",
            "eyes.elements=true",
            "--set",
            "marks.elements=true",
        ];
        let running = spawn(command(&place, care, &[&run[..], &ON, &told].concat()));
        let mut told = chat::feedback(&server.chat()).to_owned();
        // A program registers its elements after its window has appeared, and perhaps before it is painted. A click is
        // then held.
        loop {
            let seven = told.lines().find(|line| line.contains(r#"] toggle button "7" ("#));
            let number = seven.map(|line| line.split_once(']').unwrap().0.trim_start_matches('['));
            let click = number.map(|number| format!("left_click(element={number})"));
            let chat = server.then(&block(click.as_deref().unwrap_or("wait(1)")));
            told = chat::feedback(&chat).to_owned();
            if click.is_some() && !told.starts_with("Held:") {
                break;
            }
        }
        assert!(told.starts_with("OK: 1 action executed."), "{told}");
        let chat = server.then(&block("left_click(element=99)"));
        let told = chat::feedback(&chat);
        assert!(
            told.contains("there is no element 99, only 1 to ") && told.contains("left_click(element=3)"),
            "{told}"
        );
        server.reply("done");
        let turns = place.turns();
        let clicked = turns
            .iter()
            .flat_map(|turn| &turn.acted)
            .find_map(|acted| acted.found.as_ref());
        assert_eq!(clicked.unwrap().said, r#"toggle button "7""#);
        running.signal("TERM");
        assert_eq!(running.finish().code, Some(143));
    }
}

#[test]
fn a_screen_without_elements_says_so_at_the_start() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let url = server.url();
    let run = [
        "--run-dir",
        "run",
        "--upstream",
        &url,
        "--screen",
        "canvas",
        "--set",
        "eyes.elements=true",
    ];
    let running = spawn(command(&place, Care::Alone, &run));
    let chat = serde_json::from_slice(&server.asked()).unwrap();
    assert!(!chat::feedback(&chat).contains("ELEMENTS"));
    running.signal("TERM");
    let finished = running.finish();
    assert!(
        finished
            .stdout
            .contains("eyes.elements: --screen canvas reports no elements"),
        "{}",
        finished.stdout
    );
}
