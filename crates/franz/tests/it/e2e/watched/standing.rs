//! A standing panel, whose page shows and controls the runs of other processes.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use franz_demo::DemoHandle;
use serde_json::{Value, json};

use super::{Dashboard, start};
use crate::e2e::settings::SMALL;
use crate::harness::{Running, Workplace, artist, spawn, url, wait_until};
use crate::routes::Routes;

/// Starts `franz panel` on free ports, in front of the built-in model.
pub(super) fn panel(place: &Workplace, name: &str) -> Running {
    panel_before(place, "demo", name)
}

/// Starts `franz panel` on free ports, in front of this model server.
fn panel_before(place: &Workplace, upstream: &str, name: &str) -> Running {
    let panel = ["panel", "--upstream", upstream, "--run-dir", name, "--no-open"];
    let ports = ["--relay", "127.0.0.1:0", "--dashboard", "127.0.0.1:0"];
    let running = spawn(place.program(&[&panel[..], &ports].concat()));
    wait_until("the panel", || running.has_printed("stop    Ctrl+C").then_some(()));
    running
}

/// Returns the link in the line that begins with `look`.
pub(super) fn link(running: &Running) -> String {
    wait_until("a link", || {
        let printed = running.printed();
        let line = printed.lines().find_map(|line| line.strip_prefix("look    "))?;
        Some(line.to_owned())
    })
}

/// Starts `franz run` in this directory.
fn start_in(place: &Workplace, server: &DemoHandle, name: &str) -> Running {
    spawn(starting(place, server, name))
}

/// Returns the command that starts `franz run` in this directory.
fn starting(place: &Workplace, server: &DemoHandle, name: &str) -> Command {
    let url = url(server);
    let run = [
        "run",
        "--run-dir",
        name,
        "--upstream",
        &url,
        "--dashboard",
        "127.0.0.1:0",
        "--no-open",
    ];
    place.program(&[&run[..], &SMALL].concat())
}

/// Returns what the panel says about its runs.
fn runs(panel: &Dashboard) -> Vec<Value> {
    panel.json("/api/panel")["runs"].as_array().unwrap().clone()
}

#[test]
fn a_run_is_shown_and_stopped_on_the_page_of_the_standing_panel() {
    let (place, server) = (Workplace::new(), artist());
    let standing = panel(&place, "panel");
    let run = start(&place, &server, &["--step"]);
    let (panel, path) = Dashboard::of_page(&link(&run));
    assert_eq!(path, "/run/run");
    assert_eq!(
        format!("http://{}", panel.address()),
        link(&standing).split("/?").next().unwrap()
    );
    wait_until("the paused run", || {
        let state = panel.json(&format!("{path}/api/state"));
        (state["agent"]["state"] == "paused" && state["live"] == true).then_some(())
    });
    let listed = runs(&panel);
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["name"], &listed[0]["live"]), (&"run".into(), &true.into()));
    // The page is the panel's; the run answers only with its data.
    assert!(panel.get(&format!("{path}/")).1.contains("<html"));
    assert_eq!(panel.command_to(&path, "step"), 200);
    place.wait_for_turn(1);
    wait_until("the first turn in the list", || {
        (runs(&panel)[0]["turn"] == 1).then_some(())
    });
    assert_eq!(panel.command_to(&path, "stop"), 200);
    assert_eq!(run.finish().code, Some(130));
    // What remains is its record.
    wait_until("the end in the list", || {
        (runs(&panel)[0]["live"] == false).then_some(())
    });
    let state = panel.json(&format!("{path}/api/state"));
    assert_eq!((&state["live"], &state["turns"]["last"]), (&false.into(), &1.into()));
    assert_eq!(panel.command_to(&path, "pause"), 404);
    standing.signal("INT");
    let ended = standing.finish();
    for line in [
        "run  is on this page, from turn 1",
        "run  turn 1",
        "run  ended: stopped",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {}", ended.stdout);
    }
}

#[test]
fn a_run_goes_on_without_its_standing_panel_and_returns_to_the_next_one() {
    let (place, server) = (Workplace::new(), artist());
    let first = panel(&place, "first");
    let run = start(&place, &server, &[]);
    let (page, _) = Dashboard::of_page(&link(&run));
    wait_until("the run in the list", || (runs(&page).len() == 1).then_some(()));
    first.kill();
    wait_until("what the terminal says", || {
        run.has_complained("the standing panel is gone; the run continues")
            .then_some(())
    });
    let before = place.turns().len() as u64;
    place.wait_for_turn(before + 2);
    let second = panel(&place, "second");
    let again = Dashboard::at(&link(&second));
    wait_until("the run in the new list", || {
        runs(&again)
            .first()
            .is_some_and(|run| run["live"] == true)
            .then_some(())
    });
    assert_eq!(again.command_to("/run/run", "stop"), 200);
    assert_eq!(run.finish().code, Some(130));
}

#[test]
fn a_run_returns_to_the_next_panel_even_if_nobody_reads_its_errors() {
    let (place, server) = (Workplace::new(), artist());
    let first = panel(&place, "first");
    let (_unread, mut full) = std::io::pipe().unwrap();
    full.write_all(&vec![b'\n'; 64 << 10]).unwrap();
    let mut program = starting(&place, &server, "run");
    program.stderr(full);
    let run = spawn(program);
    let page = Dashboard::at(&link(&first));
    wait_until("the run in the list", || (runs(&page).len() == 1).then_some(()));
    first.kill();
    let second = panel(&place, "second");
    let again = Dashboard::at(&link(&second));
    wait_until("the run in the new list", || (runs(&again).len() == 1).then_some(()));
    run.kill();
}

/// Registers a run with the panel at this link, as a FRANZ of this version would. Returns the connection and the first
/// bytes of the response.
fn register(link: &str, protocol: u32, version: &str) -> (TcpStream, String) {
    let (address, token) = link.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
    let status =
        json!({ "state": "running", "detail": "", "waits": false, "turn": 0, "goal": "", "profile": "", "model": "" });
    let body = json!({
        "protocol": protocol, "version": version, "name": "other", "directory": "/nowhere",
        "dashboard": "127.0.0.1:1", "token": "t", "status": status, "added_later": true,
    });
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("POST /api/register HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n");
    let length = format!("Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{length}{body}").as_bytes()).unwrap();
    let read = read_to_brace(&mut stream);
    (stream, read)
}

/// Reads until the end of an object.
fn read_to_brace(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    while !read.ends_with(b"}") && !read.ends_with(b"}\n") {
        let mut piece = [0; 1024];
        let length = stream.read(&mut piece).unwrap();
        assert_ne!(length, 0, "{}", String::from_utf8_lossy(&read));
        read.extend_from_slice(&piece[..length]);
    }
    String::from_utf8(read).unwrap()
}

#[test]
fn another_version_may_register_but_another_protocol_is_refused_and_said_once() {
    use franz_panel::registered_runs::PROTOCOL;
    let place = Workplace::new();
    let standing = panel(&place, "panel");
    let link = link(&standing);
    let (open, accepted) = register(&link, PROTOCOL, "99.0.0");
    assert!(
        accepted.contains(" 200 ") && accepted.contains("\"name\":\"other\""),
        "{accepted}"
    );
    assert_eq!(runs(&Dashboard::at(&link)).len(), 1);
    for _ in 0..2 {
        let (_, refused) = register(&link, PROTOCOL + 1, "99.1.0");
        assert!(refused.contains(" 409 "), "{refused}");
        assert!(refused.contains("restart the panel with FRANZ 99.1.0"), "{refused}");
    }
    let (_, refused) = register(&link, PROTOCOL - 1, "0.0.1\u{1b}[2J");
    assert!(refused.contains("start the run with FRANZ "), "{refused}");
    wait_until("the last line", || {
        standing.has_printed("refused a run of FRANZ 0.0.1").then_some(())
    });
    drop(open);
    standing.signal("INT");
    let ended = standing.finish();
    assert_eq!(
        ended.stdout.matches("refused a run of FRANZ 99.1.0").count(),
        1,
        "{}",
        ended.stdout
    );
    assert!(!ended.stdout.contains('\u{1b}'), "{:?}", ended.stdout);
}

#[test]
fn each_turn_of_another_program_is_a_line_in_the_panels_terminal() {
    let refused = json!({ "error": { "message": "out of memory\u{1b}[2J" } }).to_string();
    let reply = json!({ "choices": [{ "message": { "content": "I look." }, "finish_reason": "stop" }] }).to_string();
    let chat = |status, body| ("/v1/chat/completions", status, body);
    let server = Routes::serve(vec![chat(500, refused), chat(200, reply)]);
    let place = Workplace::new();
    let standing = panel_before(&place, &server.url, "panel");
    let printed = standing.printed();
    let relay = printed.lines().find_map(|line| line.strip_prefix("relay   http://"));
    let (relay, _) = relay.unwrap().split_once(' ').unwrap();
    for (turn, story) in [(1, ""), (2, ""), (3, "I looked.")] {
        let system = json!({ "role": "system", "content": "You look." });
        let messages = json!([system, { "role": "user", "content": story }, { "role": "user", "content": "done" }]);
        let body = json!({ "model": "m", "messages": messages }).to_string();
        let run = format!(
            "X-Franz-Run: other\r\nX-Franz-Turn: {turn}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let head = format!("POST /v1/chat/completions HTTP/1.1\r\nHost: {relay}\r\n{run}");
        let mut connection = TcpStream::connect(relay).unwrap();
        connection.write_all(format!("{head}{body}").as_bytes()).unwrap();
        read_to_brace(&mut connection);
    }
    wait_until("three lines", || standing.has_printed("turn 3").then_some(()));
    standing.signal("INT");
    let ended = standing.finish().stdout;
    let turns: Vec<_> = ended
        .lines()
        .filter(|line| line.starts_with("0001-other  turn "))
        .collect();
    assert_eq!(turns.len(), 3, "{ended}");
    assert!(turns[0].contains("no reply: status 500: out of memory"), "{turns:?}");
    assert!(turns[1].starts_with("0001-other  turn 2  answered"), "{turns:?}");
    assert!(turns[2].contains("the story was changed at character 7"), "{turns:?}");
    assert!(!ended.contains('\u{1b}'), "{ended:?}");
}

#[test]
fn the_panel_records_what_passes_its_relay_even_if_it_names_a_run_on_the_page() {
    let (place, server) = (Workplace::new(), artist());
    let standing = panel_before(&place, &url(&server), "panel");
    let page = Dashboard::at(&link(&standing));
    let printed = standing.printed();
    let relay = printed.lines().find_map(|line| line.strip_prefix("relay   "));
    let (relay, _) = relay.unwrap().split_once(' ').unwrap();
    let run = [
        "run",
        "--run-dir",
        "run",
        "--dashboard",
        "127.0.0.1:0",
        "--max-turns",
        "2",
    ];
    let mut program = place.program(&[&run[..], &SMALL].concat());
    program.env("OPENAI_BASE_URL", format!("{relay}/v1"));
    let finished = spawn(program).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains(relay), "it asks there: {}", finished.stdout);
    wait_until("the end in the list", || {
        let listed = runs(&page);
        (listed.first()?["live"] == false).then_some(())
    });
    assert_eq!(runs(&page).len(), 1);
    let recorded = || (page.json("/api/runs")["below"][0]["turns"] == 2).then_some(());
    wait_until("both turns in the panel's record", recorded);
    standing.kill();
}

#[test]
fn only_programs_with_the_token_register() {
    let (place, server) = (Workplace::new(), artist());
    let standing = panel(&place, "panel");
    let link = link(&standing);
    for (wrong, why) in [
        (link.replace("token=", "token=0"), "the token is missing or wrong"),
        (
            "http://127.0.0.1:1/?token=0".to_owned(),
            "cannot use the panel at http://127.0.0.1:1",
        ),
        ("elsewhere".to_owned(), "write own, or the link"),
    ] {
        let refused = start(&place, &server, &["--panel", &wrong]).finish();
        assert_eq!(refused.code, Some(2), "{wrong}: {}", refused.stdout);
        assert!(refused.stderr.contains(why), "{wrong}: {}", refused.stderr);
        assert!(!place.file("").exists(), "nothing was made");
    }
    let alone = start(&place, &server, &["--panel", "own", "--max-turns", "1"]).finish();
    assert_eq!(alone.code, Some(0), "{}", alone.stderr);
    assert_eq!(runs(&Dashboard::at(&link)), Vec::<Value>::new());
}

#[test]
fn a_second_panel_says_where_the_first_one_is() {
    let place = Workplace::new();
    let first = panel(&place, "panel");
    let second = spawn(place.program(&["panel", "--run-dir", "other", "--no-open"])).finish();
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    let told = format!("a panel is already running: {}", link(&first));
    assert!(second.stdout.contains(&told), "{}", second.stdout);
    assert!(!place.path("other").exists());
    first.kill();
}

#[test]
fn a_panel_that_cannot_say_where_it_is_works_for_those_who_have_its_link() {
    let (place, server) = (Workplace::new(), artist());
    let blocked = place.path("blocked");
    std::fs::write(&blocked, "a file, not a directory").unwrap();
    let arguments = ["panel", "--upstream", "demo", "--run-dir", "panel", "--no-open"];
    let ports = ["--relay", "127.0.0.1:0", "--dashboard", "127.0.0.1:0"];
    let mut command = place.program(&[&arguments[..], &ports].concat());
    command.env("XDG_STATE_HOME", &blocked);
    let panel = spawn(command);
    wait_until("the warning", || {
        panel
            .has_complained("runs cannot find this panel by themselves")
            .then_some(())
    });
    let run = start(&place, &server, &["--max-turns", "1", "--panel", &link(&panel)]).finish();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("/run/run/?token="), "{}", run.stdout);
    panel.kill();
}

#[test]
fn a_run_that_is_killed_is_reported_and_spoils_nothing() {
    let (place, server) = (Workplace::new(), artist());
    let standing = panel(&place, "panel");
    let panel = Dashboard::at(&link(&standing));
    let run = start(&place, &server, &[]);
    place.wait_for_turn(1);
    wait_until("the run in the list", || (runs(&panel).len() == 1).then_some(()));
    run.kill();
    wait_until("its end in the list", || {
        (runs(&panel)[0]["live"] == false).then_some(())
    });
    assert_eq!(runs(&panel)[0]["detail"], "its process is gone");
    let state = panel.json("/run/run/api/state");
    assert_eq!(
        (&state["live"], &state["agent"]["state"]),
        (&false.into(), &"stopped".into())
    );
    // Its record is removed, too, and the page says that there is nothing.
    std::fs::rename(place.file(""), place.path("moved")).unwrap();
    let other = start_in(&place, &server, "other");
    wait_until("the next run", || (runs(&panel).len() == 2).then_some(()));
    assert_eq!(panel.command_to("/run/other", "stop"), 200);
    assert_eq!(other.finish().code, Some(130));
    standing.kill();
}
