//! A person takes over a private desktop, and gives it back.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::chat;
use crate::dashboard::Dashboard;
use crate::desktop::client::Client;
use crate::desktop::leaks::{files, holds, pictures, showing};
use crate::desktop::process::{agent_of, signal, variable};
use crate::desktop::run::{Care, command};
use crate::harness::{Running, Workplace, spawn, wait_until};
use crate::puppet::Puppet;

const PASSWORD: &str = "Grüße-7f3a91 日本€";
const KEY: &str = "a-page";

/// A terminal that reads a password, turns magenta, and is cleared after a second line.
const VAULT: &str = r#"exec xterm -T Vault -geometry 60x20+100+100 -e sh -c 'read a; printf "\033]11;#ff00ff\007"; read b; printf "\033]11;#000000\007\033c"; echo "$a" > secret.txt; exec cat'"#;

fn private(place: &Workplace, server: &Puppet, more: &[&str]) -> Command {
    let url = server.url();
    let start = format!("screen.start=[{}]", json!(VAULT));
    let settings = [
        start.as_str(),
        "screen.width=1000",
        "screen.height=700",
        "image.width=1000",
        "image.height=700",
        "record.exchange_log=true",
    ];
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let run = ["--run-dir", "run", "--upstream", &url, "--screen", "virtual"];
    let all: Vec<_> = run.into_iter().chain(settings).chain(more.iter().copied()).collect();
    let mut franz = command(place, Care::Panel, &all);
    franz.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    franz
}

fn client(running: &Running) -> Client {
    let agent = agent_of(running);
    Client::at(
        &variable(agent, "DISPLAY").unwrap(),
        &variable(agent, "XAUTHORITY").unwrap(),
    )
}

/// Sends input to the screen that the page with this key has taken over. Returns the status of the answer.
fn input(dashboard: &Dashboard, key: &str, inputs: &Value) -> u16 {
    let body = json!({ "do": "input", "key": key, "inputs": inputs });
    dashboard.post(&body, "").0
}

/// Returns the live pictures after this one.
fn live(dashboard: &Dashboard, after: u64, key: &str) -> Vec<Value> {
    let pictures = dashboard.json(&format!("/api/live?after={after}&key={key}"));
    pictures.as_array().unwrap().clone()
}

/// A page that has taken over the screen. It asks for pictures until it is dropped, as a real page does: one that does
/// not ask is lost after half a second.
struct OpenPage {
    is_gone: Arc<AtomicBool>,
    asking: Option<JoinHandle<()>>,
}

impl OpenPage {
    fn of(dashboard: &Dashboard) -> OpenPage {
        let (dashboard, is_gone) = (dashboard.clone(), Arc::new(AtomicBool::new(false)));
        let gone = Arc::clone(&is_gone);
        let asking = std::thread::spawn(move || {
            let mut after = 0;
            while !gone.load(Ordering::Relaxed) {
                // The run may end first.
                let Some((200, pictures)) = dashboard.try_get(&format!("/api/live?after={after}&key={KEY}")) else {
                    return;
                };
                let pictures: Vec<Value> = serde_json::from_str(&pictures).unwrap();
                after = pictures.last().map_or(after, |last| last["number"].as_u64().unwrap());
            }
        });
        OpenPage {
            is_gone,
            asking: Some(asking),
        }
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        self.is_gone.store(true, Ordering::Relaxed);
        let _ = self.asking.take().map(JoinHandle::join);
    }
}

/// Waits until the screen has been taken over or given back.
fn wait_for_takeover(dashboard: &Dashboard, is_taken: bool) {
    wait_until("a takeover", || {
        (dashboard.json("/api/state")["taken_over"] == is_taken).then_some(())
    });
}

#[test]
fn a_password_that_a_person_types_is_known_to_the_program_alone() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let running = spawn(private(&place, &server, &[]));
    let mut requests = vec![server.asked()];
    let client = client(&running);
    client.focused("vault");
    let dashboard = Dashboard::of(&place);
    let _page = dashboard.open_page();

    // The request is aborted while the model is thinking.
    assert_eq!(dashboard.decide("input", KEY, "").0, 409);
    assert_eq!(dashboard.decide("take_over", "", "").0, 400);
    assert_eq!(dashboard.decide("take_over", KEY, "").0, 200);
    let _open = OpenPage::of(&dashboard);
    wait_for_takeover(&dashboard, true);
    assert_eq!(dashboard.decide("take_over", "another", "").0, 409);
    assert_eq!(input(&dashboard, "another", &json!([])), 409);

    let at = json!([0.3, 0.3]);
    let typed = json!([
        {"do": "move", "at": at},
        {"do": "down", "button": "left", "at": at},
        {"do": "up", "button": "left", "at": at},
        {"do": "type", "text": PASSWORD},
        {"do": "press", "keys": "Enter"},
    ]);
    assert_eq!(input(&dashboard, KEY, &typed), 200);
    let mut after = 0;
    let mut seen = Vec::new();
    wait_until("the secret in a live picture", || {
        for picture in live(&dashboard, after, KEY) {
            after = picture["number"].as_u64().unwrap();
            seen.extend(pictures(picture["png"].as_str().unwrap().as_bytes()));
        }
        (showing(&seen) > 0).then_some(())
    });
    assert!(live(&dashboard, 0, "")[0]["whole"] == true, "others see it, too");
    assert_eq!(input(&dashboard, KEY, &json!([{"do": "press", "keys": "Return"}])), 200);
    let secret = place.path("secret.txt");
    wait_until("the program has it", || {
        let text = std::fs::read_to_string(&secret).ok()?;
        (text == format!("{PASSWORD}\n")).then_some(())
    });
    std::fs::remove_file(&secret).unwrap();
    wait_until("the magenta is gone", || {
        after = live(&dashboard, after, KEY).last()?["number"].as_u64()?;
        let whole = live(&dashboard, 0, KEY);
        let last = whole.last()?;
        (showing(&pictures(last["png"].as_str()?.as_bytes())) == 0).then_some(())
    });
    assert_eq!(dashboard.decide("give_back", "", "").0, 200);
    wait_for_takeover(&dashboard, false);
    assert_eq!(live(&dashboard, 0, ""), Vec::<Value>::new());

    // The request is sent again, with a new picture.
    let request = server.asked();
    let chat: Value = serde_json::from_slice(&request).unwrap();
    let told = chat::feedback(&chat).to_owned();
    let characters = PASSWORD.chars().count();
    let wanted = format!("1 click, {characters} characters typed, 2 key presses. Look at the new picture.");
    assert!(
        told.contains("NOTICE: the person used mouse and keyboard for"),
        "{told}"
    );
    assert!(told.ends_with(&wanted), "{told}");
    requests.push(request);
    server.reply("done");
    place.wait_for_turn(1);
    running.signal("TERM");
    let finished = running.finish();
    let mut bytes = files(&place.path(""));
    bytes.extend(requests);
    bytes.extend([finished.stdout.into_bytes(), finished.stderr.into_bytes()]);
    for bytes in &bytes {
        for part in [PASSWORD, "7f3a91", "\\u65e5"] {
            assert!(!holds(bytes, part), "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(showing(&pictures(bytes)), 0);
    }
}

/// Starts a run whose model is thinking. A page has taken it over and pressed a button.
fn taken_over(place: &Workplace, server: &mut Puppet) -> (Running, Dashboard, Client, OpenPage) {
    let running = spawn(private(place, server, &[]));
    server.asked();
    let client = client(&running);
    client.focused("vault");
    let dashboard = Dashboard::of(place);
    assert_eq!(dashboard.decide("take_over", KEY, "").0, 200);
    let page = OpenPage::of(&dashboard);
    wait_for_takeover(&dashboard, true);
    let press = json!([{"do": "down", "button": "left", "at": [0.5, 0.5]}]);
    assert_eq!(input(&dashboard, KEY, &press), 200);
    wait_until("the button is down", || (client.down().1 != 0).then_some(()));
    (running, dashboard, client, page)
}

#[test]
fn what_a_lost_page_held_is_let_go_and_the_run_pauses() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let (running, dashboard, client, page) = taken_over(&place, &mut server);
    // The page stops asking for pictures.
    drop(page);
    wait_until("the button is up", || (client.down().1 == 0).then_some(()));
    assert_eq!(dashboard.json("/api/state")["taken_over"], true);
    wait_for_takeover(&dashboard, false);
    dashboard.wait_for_agent("paused");
    dashboard.command("resume");
    let told = chat::feedback(&server.chat()).to_owned();
    assert!(
        told.contains("NOTICE: the person used mouse and keyboard for"),
        "{told}"
    );
    running.kill();
}

#[test]
fn nothing_is_held_after_a_kill_of_the_agent_or_a_stop() {
    for is_killed in [true, false] {
        let (place, mut server) = (Workplace::new(), Puppet::new());
        let (running, dashboard, client, _page) = taken_over(&place, &mut server);
        if is_killed {
            signal(agent_of(&running), Signal::KILL);
            wait_until("the button is up", || (client.down().1 == 0).then_some(()));
            wait_for_takeover(&dashboard, false);
            dashboard.wait_for_agent("paused");
            dashboard.command("resume");
            let told = chat::feedback(&server.chat()).to_owned();
            let wanted = "NOTICE: the person used mouse and keyboard, and FRANZ was interrupted meanwhile. Look at the new picture.";
            assert!(told.ends_with(wanted), "{told}");
            running.kill();
        } else {
            dashboard.command("stop");
            assert_eq!(running.finish().code, Some(130));
        }
    }
}

#[test]
fn what_waits_for_the_person_or_is_being_done_ends_with_a_takeover() {
    const DRAG: &str = "```python\ndrag(100, 100, 900, 900)\nleft_click(5, 5)\n```";
    for gate in ["free", "ask"] {
        let (place, mut server) = (Workplace::new(), Puppet::new());
        let running = spawn(private(&place, &server, &["--gate", gate]));
        let dashboard = Dashboard::of(&place);
        let _page = dashboard.open_page();
        server.asked();
        client(&running).focused("vault");
        server.reply(DRAG);
        let client = client(&running);
        if gate == "ask" {
            dashboard.question("");
        } else {
            wait_until("the drag has begun", || (client.down().1 != 0).then_some(()));
        }
        assert_eq!(dashboard.decide("take_over", KEY, "").0, 200);
        let _open = OpenPage::of(&dashboard);
        wait_for_takeover(&dashboard, true);
        assert_eq!(client.down().1, 0);
        assert_eq!(dashboard.decide("give_back", "", "").0, 200);
        server.asked();
        server.reply("done");
        let acted = place.wait_for_turn(2)[1].acted.clone();
        running.kill();
        let first = if gate == "ask" { "withdrawn" } else { "interrupted" };
        assert_eq!(acted[0].outcome.name(), first, "{acted:?}");
        assert!(!acted[1].outcome.is_done(), "{acted:?}");
    }
}

#[test]
fn an_input_reaches_the_screen() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let (running, dashboard, client, _page) = taken_over(&place, &mut server);
    let mut took = Vec::new();
    for round in 0..20_u8 {
        let part = f64::from(round) / 25.0;
        let x = (part * 999.0).round() as i16;
        let began = Instant::now();
        assert_eq!(input(&dashboard, KEY, &json!([{"do": "move", "at": [part, 0.5]}])), 200);
        wait_until("the pointer is there", || {
            ((client.pointer().0 - x).abs() <= 1).then_some(())
        });
        took.push(began.elapsed());
    }
    took.sort();
    println!(
        "an input reaches the X server after {:?}, at most {:?} of 20",
        took[10], took[19]
    );
    running.kill();
}

#[test]
fn only_a_private_screen_can_be_taken_over() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let url = server.url();
    let running = spawn(command(&place, Care::Panel, &["--run-dir", "run", "--upstream", &url]));
    server.asked();
    let (status, body) = Dashboard::of(&place).decide("take_over", KEY, "");
    assert!(
        status == 404 && body.contains("only a private screen"),
        "{status} {body}"
    );
    running.kill();
}

#[test]
fn a_private_browser_is_taken_over_too() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let page = "<!doctype html><meta charset=utf-8><title>Sign in</title><input autofocus \
                style='position:absolute;left:0;top:0;width:600px;height:300px' \
                oninput='document.title = this.value.length'>";
    std::fs::write(place.path("page.html"), page).unwrap();
    let screen = format!("browser:file://{}", place.path("page.html").display());
    let url = server.url();
    let run = ["--run-dir", "run", "--upstream", &url, "--screen", &screen];
    let windows = ["--set", "protocol.tools.windows=true"];
    let running = spawn(command(&place, Care::Panel, &[&run[..], &windows].concat()));
    server.asked();
    let dashboard = Dashboard::of(&place);
    let _page = dashboard.open_page();
    assert_eq!(dashboard.decide("take_over", KEY, "").0, 200);
    let _open = OpenPage::of(&dashboard);
    wait_for_takeover(&dashboard, true);
    let typed = json!([
        {"do": "down", "button": "left", "at": [0.1, 0.1]},
        {"do": "up", "button": "left", "at": [0.1, 0.1]},
        {"do": "type", "text": PASSWORD},
    ]);
    assert_eq!(input(&dashboard, KEY, &typed), 200);
    wait_until("a live picture", || {
        (!live(&dashboard, 0, KEY).is_empty()).then_some(())
    });
    assert_eq!(dashboard.decide("give_back", "", "").0, 200);
    let told = chat::feedback(&server.chat()).to_owned();
    let characters = PASSWORD.chars().count();
    assert!(
        told.contains(&format!("1 click, {characters} characters typed")),
        "{told}"
    );
    // The page receives the text in its own time: its title shows the number of characters.
    wait_until("the title", || {
        let told = chat::feedback(&server.then("```python\nwindows()\n```")).to_owned();
        assert!(!told.contains("7f3a91"), "{told}");
        told.contains(&format!("\\\"{characters}\\\"")).then_some(())
    });
    running.kill();
}
