//! A run in a private browser.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::chat;
use crate::desktop::process::{children, command_line, lives, signal};
use crate::desktop::run::{Care, actor, command};
use crate::harness::{Running, Workplace, spawn, wait_until};
use crate::puppet::Puppet;

const PAGE: &str = "<!doctype html><meta charset=utf-8><title>Shop</title><style>html{height:100%}</style>\
    <button style='position:absolute;left:0;top:0;width:400px;height:200px' \
    onclick=\"document.title = confirm('Buy it?') ? 'Bought' : 'Left'\">Buy</button>\
    <a href=more.html target=_blank style='position:absolute;left:0;top:300px;width:400px;height:200px'>More</a>";

fn block(call: &str) -> String {
    format!("```python\n{call}\n```")
}

/// Writes the pages. Returns the screen's address for a run that starts with the first page.
fn page(place: &Workplace) -> String {
    std::fs::write(place.path("page.html"), PAGE).unwrap();
    std::fs::write(place.path("more.html"), "<title>More</title>more").unwrap();
    format!("browser:file://{}", place.path("page.html").display())
}

/// Returns all descendants of a process.
fn descendants(process: u32) -> Vec<u32> {
    let mut all = children(process);
    let mut at = 0;
    while let Some(&parent) = all.get(at) {
        all.extend(children(parent));
        at += 1;
    }
    all
}

/// Returns the directory of a run's browser.
fn folder(running: &Running, care: Care) -> std::path::PathBuf {
    let lines = descendants(actor(running, care)).into_iter().map(command_line);
    let folder = lines.filter_map(|line| {
        let (_, rest) = line.split_once("--user-data-dir=")?;
        Some(rest.split("/profile").next()?.to_owned())
    });
    folder.into_iter().next().expect("the browser runs").into()
}

#[test]
fn a_page_is_seen_acted_on_and_its_dialogs_and_popups_are_told() {
    for care in [Care::Panel, Care::Alone] {
        let (place, mut server) = (Workplace::new(), Puppet::new());
        let (url, screen) = (server.url(), page(&place));
        let run = ["--run-dir", "run", "--upstream", &url, "--screen", &screen];
        let more = [
            "--set",
            "eyes.elements=true",
            "--set",
            "protocol.tools.windows=true",
            "--set",
            "protocol.tools.open=true",
            "--set",
            "screen.open=about:blank#*",
            "--set",
            "loop.executing_delay_s=1",
        ];
        let running = spawn(command(&place, care, &[&run[..], &more].concat()));
        let mut chat: Value = serde_json::from_slice(&server.asked()).unwrap();
        // A busy browser takes longer than the first turn waits for its elements.
        while !chat::feedback(&chat).contains("] button \"Buy\" (") {
            chat = server.then(&block("wait(1)"));
        }
        let told = chat::feedback(&chat).to_owned();
        assert!(told.contains("[1] button \"Buy\" ("), "{told}");
        let chat = server.then(&block("left_click(element=1)"));
        let told = chat::feedback(&chat).to_owned();
        assert!(told.contains(r#"NOTICE: new window: "confirm: Buy it?""#), "{told}");
        assert!(
            told.contains("[1] button \"Cancel\" (") && told.contains("[2] button \"OK\" ("),
            "{told}"
        );
        let chat = server.then(&block("left_click(element=2)"));
        let told = chat::feedback(&chat).to_owned();
        assert!(told.contains(r#"closed: "confirm: Buy it?""#), "{told}");
        let chat = server.then(&block("windows()"));
        let told = chat::feedback(&chat).to_owned();
        assert!(told.contains(r#"1 \"Bought\" from ("#), "{told}");
        let chat = server.then(&block("left_click(element=2)"));
        let told = chat::feedback(&chat).to_owned();
        assert!(told.contains(r#"NOTICE: new window: "More""#), "{told}");
        let chat = server.then(&block("open('https://example.org')"));
        let told = chat::feedback(&chat).to_owned();
        assert!(told.contains("may not be opened; these may: about:blank#*"), "{told}");
        let chat = server.then(&block("open('about:blank#new')"));
        let told = chat::feedback(&chat).to_owned();
        assert!(told.contains(r#"NOTICE: new window: "about:blank#new""#), "{told}");
        let folder = folder(&running, care);
        assert!(folder.exists());
        running.signal("TERM");
        let finished = running.finish();
        assert_eq!(finished.code, Some(143));
        assert!(!folder.exists(), "{}", folder.display());
        let said = format!("{}{}", finished.stdout, finished.stderr);
        assert!(said.contains("a private browser, Chrome"), "{said}");
    }
}

#[test]
fn a_run_ends_with_its_browser_and_goes_on_with_another() {
    for care in [Care::Panel, Care::Alone] {
        let (place, mut server) = (Workplace::new(), Puppet::new());
        let (url, screen) = (server.url(), page(&place));
        let run = ["--run-dir", "run", "--upstream", &url, "--screen", &screen];
        let running = spawn(command(&place, care, &run));
        server.asked();
        for process in descendants(actor(&running, care)) {
            if command_line(process).contains("--remote-debugging-pipe") {
                // It may have gone with another one.
                let _ = kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::KILL);
            }
        }
        server.reply(&block("left_click(500, 500)"));
        let finished = running.finish();
        let said = format!("{}{}", finished.stdout, finished.stderr);
        assert_eq!(finished.code, Some(4), "{care:?}: {said}");
        assert!(
            said.contains("the browser has ended; continue the run on a new one with --resume"),
            "{said}"
        );
        let running = spawn(command(&place, care, &["--resume", "run", "--upstream", &url]));
        server.asked();
        server.reply(&block("pass"));
        server.asked();
        running.signal("TERM");
        assert_eq!(running.finish().code, Some(143));
    }
}

#[test]
fn nothing_of_a_browser_outlives_a_killed_agent() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let (url, screen) = (server.url(), page(&place));
    let run = ["--run-dir", "run", "--upstream", &url, "--screen", &screen];
    let running = spawn(command(&place, Care::Alone, &run));
    server.asked();
    let folder = folder(&running, Care::Alone);
    let started = descendants(running.id());
    assert!(started.len() > 3, "{started:?}");
    signal(running.id(), Signal::KILL);
    running.finish();
    wait_until("the end of everything that belongs to the browser", || {
        (!folder.exists() && !started.iter().any(|id| lives(*id))).then_some(())
    });
}

#[test]
fn a_missing_browser_is_named_before_anything_is_made() {
    let place = Workplace::new();
    for care in [Care::Panel, Care::Alone] {
        let run = [
            "--upstream",
            "demo",
            "--screen",
            "browser",
            "--set",
            "screen.browser=/no/browser",
        ];
        let finished = spawn(command(&place, care, &run)).finish();
        assert_eq!(finished.code, Some(4), "{}", finished.stderr);
        assert!(
            finished.stderr.contains("screen.browser names /no/browser"),
            "{}",
            finished.stderr
        );
        assert!(!place.path("runs").exists());
    }
}
