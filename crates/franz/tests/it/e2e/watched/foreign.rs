//! Third-party agents. They send three messages per request and none of our headers, and open a new connection each
//! time.

use std::process::Command;

use serde_json::json;

use super::{Dashboard, children, lives, post, turn_lines, verdicts_in};
use crate::harness::{Running, Workplace, python, spawn, url, wait_until};

/// The variable that tells the stand-in how many turns to take, with 0 for no limit.
const TURNS: &str = "STAND_IN_TURNS";

/// An agent that is not aware of panels. In the test run itself, this test does nothing. The panel starts it as its
/// agent.
#[test]
fn stand_in() {
    let Ok(turns) = std::env::var(TURNS) else { return };
    let turns: u64 = turns.parse().unwrap();
    let relay = std::env::var("OPENAI_BASE_URL").unwrap();
    assert!(std::env::var_os("FRANZ_RUN_DIR").is_some());
    let relay = relay.strip_suffix("/v1").unwrap();
    let mut story = String::new();
    let mut turn = 0;
    while turns == 0 || turn < turns {
        story = ask(relay, &story);
        turn += 1;
    }
}

fn ask(relay: &str, story: &str) -> String {
    let reply = post(
        relay,
        &json!({ "model": "m", "messages": [
            { "role": "system", "content": "You draw." },
            { "role": "user", "content": story },
            { "role": "user", "content": [{ "type": "text", "text": "done" }] },
        ]}),
    );
    reply["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

/// Returns a command for `franz panel` on free ports.
fn panel(place: &Workplace, server: &franz_demo::DemoHandle, more: &[&str]) -> Command {
    let url = url(server);
    let common = [
        "panel",
        "--upstream",
        &url,
        "--run-dir",
        "run",
        "--relay",
        "127.0.0.1:0",
        "--dashboard",
        "127.0.0.1:0",
    ];
    place.program(&[&common, &["--set", "panel.restart_s=0"][..], more].concat())
}

/// Starts that panel with the stand-in as its agent.
fn with_stand_in(place: &Workplace, server: &franz_demo::DemoHandle, turns: &str) -> Running {
    let itself = std::env::current_exe().unwrap();
    let (_, module) = module_path!().split_once("::").expect("a module of this binary");
    let stand_in = format!("{module}::stand_in");
    let mut command = panel(place, server, &["--"]);
    command.arg(itself).args(["--exact", &stand_in, "--nocapture"]);
    command.env(TURNS, turns);
    spawn(command)
}

/// Returns the processes that a panel has started for an agent.
fn guard_and_agent(panel: &Running) -> (u32, u32) {
    let guard = children(panel.id())[0];
    (guard, children(guard)[0])
}

#[test]
fn a_foreign_agent_is_verified_and_recorded_and_ends_the_panel() {
    let server = python(&["drag(1, 2, 3, 4)", "left_click(5, 6)", "left_click(7, 8)"]);
    let place = Workplace::new();
    let finished = with_stand_in(&place, &server, "5").finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let conversation = place.file("runs/0001");
    let kinds: Vec<_> = verdicts_in(&conversation)
        .iter()
        .map(|line| line["verdict"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["first", "match", "match", "match", "match"]);
    let turns = turn_lines(&conversation);
    assert_eq!(turns.len(), 5);
    assert_eq!(turns[2].feedback, "done");
    let said = place.franz(&["say", "run/runs/0001", "hurry"]).output().unwrap();
    let told = String::from_utf8_lossy(&said.stderr);
    assert!(
        said.status.code() == Some(2) && told.contains("record of another program's requests"),
        "{told}"
    );
    assert!(!conversation.join("messages.jsonl").exists());
    assert!(turns[0].reply.as_ref().unwrap().raw().contains("drag(1, 2, 3, 4)"));
    for told in [
        "relay   http://127.0.0.1:",
        "look    http://127.0.0.1:",
        "1 passed",
        "ended: the agent exited with code 0; 5 turns are recorded",
    ] {
        assert!(finished.stdout.contains(told), "{}", finished.stdout);
    }
}

#[test]
fn reports_an_agent_that_bypasses_the_relay() {
    let (place, server) = (Workplace::new(), python(&["pass"]));
    let finished = spawn(panel(&place, &server, &["--", "sh", "-c", "exit 3"])).finish();
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let ended = "ended: the agent exited with code 3; no turn went through http://127.0.0.1:";
    assert!(finished.stdout.contains(ended), "{}", finished.stdout);
}

#[test]
fn a_foreign_agent_inherits_the_environment_without_our_settings() {
    let (place, server) = (Workplace::new(), python(&["pass"]));
    let shows = "env; echo \"input:$(cat)\"; ls -l /proc/$$/fd";
    let mut command = panel(&place, &server, &["--", "sh", "-c", shows]);
    command
        .env("FRANZ_API_KEY", "sk-ours-0123456789")
        .env("FRANZ_LOOP__MAX_TURNS", "7")
        .env("OPENAI_API_KEY", "sk-theirs-0123456789")
        .env("OPENAI_BASE_URL", "https://elsewhere.example/v1")
        .env("STRAY_VARIABLE", "stray");
    std::fs::write(place.path("private"), "private").unwrap();
    command.stdin(std::fs::File::open(place.path("private")).unwrap());
    let finished = spawn(command).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let found = |start: &str| finished.stdout.lines().any(|line| line.starts_with(start));
    for there in [
        "STRAY_VARIABLE=stray",
        "OPENAI_API_KEY=sk-theirs",
        "OPENAI_BASE_URL=http://127.0.0.1:",
        "FRANZ_RUN_DIR=/",
        "input:",
    ] {
        assert!(found(there), "{there}: {}", finished.stdout);
    }
    for missing in ["FRANZ_API_KEY", "FRANZ_LOOP", "sk-ours", "elsewhere.example", "private"] {
        assert!(!finished.stdout.contains(missing), "{missing}: {}", finished.stdout);
    }
}

/// `script` provides a terminal, without which no browser is opened.
#[test]
fn the_browser_opener_inherits_no_key_and_no_input() {
    let (place, server) = (Workplace::new(), python(&["pass"]));
    let opener = place.path("bin").join("xdg-open");
    std::fs::create_dir(place.path("bin")).unwrap();
    let told = place.path("told");
    let text = format!(
        "#!/bin/sh\nenv > {0}.part; cat >> {0}.part; mv {0}.part {0}\n",
        told.display()
    );
    std::fs::write(&opener, text).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&opener, mode).unwrap();
    let franz = panel(&place, &server, &[]);
    let arguments = franz.get_args().map(|argument| argument.to_str().unwrap());
    let line: Vec<&str> = std::iter::once(franz.get_program().to_str().unwrap())
        .chain(arguments)
        .collect();
    let mut command = Command::new("script");
    command
        .args(["--quiet", "--return", "--command"])
        .arg(format!("exec {}", shlex::try_join(line).unwrap()))
        .arg("/dev/null")
        .current_dir(place.path("."))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    command.stdin(std::process::Stdio::null());
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    command
        .env("PATH", path)
        .env("HOME", place.path("config"))
        .env("XDG_CONFIG_HOME", place.path("config"))
        .env("DISPLAY", ":nowhere")
        .env("FRANZ_API_KEY", "sk-ours-0123456789")
        .env("OPENAI_API_KEY", "sk-theirs-0123456789")
        .env("STRAY_VARIABLE", "stray");
    let running = spawn(command);
    let told = wait_until("the opener", || std::fs::read_to_string(&told).ok());
    assert!(told.contains("DISPLAY=:nowhere"), "{told}");
    for missing in ["sk-", "STRAY_VARIABLE", "FRANZ_"] {
        assert!(!told.contains(missing), "{missing}: {told}");
    }
    super::kill(children(running.id())[0]);
    running.finish();
}

#[test]
fn a_foreign_agent_is_held_at_the_relay_and_stopped() {
    let (server, place) = (python(&["pass"]), Workplace::new());
    let running = with_stand_in(&place, &server, "0");
    let dashboard = Dashboard::of(&place);
    wait_until("some turns", || (dashboard.last_turn() > 2).then_some(()));
    dashboard.command("pause");
    dashboard.wait_for_agent("paused");
    // A request that has already passed the gate is completed. The one after it is held.
    wait_until("a held request", || {
        (dashboard.json("/api/state")["held"] == 1).then_some(())
    });
    let held = server.requests().len() as u64;
    wait_until("the last reply", || (dashboard.last_turn() == held).then_some(()));
    dashboard.command("step");
    wait_until("one more turn", || (dashboard.last_turn() == held + 1).then_some(()));
    assert_eq!(server.requests().len() as u64, held + 1);
    dashboard.command("resume");
    wait_until("more turns", || (dashboard.last_turn() > held + 3).then_some(()));
    let (guard, agent) = guard_and_agent(&running);
    dashboard.command("stop");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    assert!(!lives(guard) && !lives(agent));
}

#[test]
fn a_foreign_agent_ends_with_its_panel() {
    let (server, place) = (python(&["pass"]), Workplace::new());
    let running = with_stand_in(&place, &server, "0");
    let dashboard = Dashboard::of(&place);
    wait_until("a turn", || (dashboard.last_turn() > 0).then_some(()));
    let (guard, agent) = guard_and_agent(&running);
    running.kill();
    wait_until("the end of the agent", || {
        (!lives(agent) && !lives(guard)).then_some(())
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_foreign_agent_ends_with_its_guard() {
    let (server, place) = (python(&["pass"]), Workplace::new());
    let running = with_stand_in(&place, &server, "0");
    let dashboard = Dashboard::of(&place);
    wait_until("a turn", || (dashboard.last_turn() > 0).then_some(()));
    let (guard, agent) = guard_and_agent(&running);
    super::kill(guard);
    wait_until("the end of the agent", || (!lives(agent)).then_some(()));
    // The panel restarts both, and the run continues.
    wait_until("another guard and its agent", || {
        let again = children(running.id()).into_iter().find(|again| *again != guard)?;
        (children(again).len() == 1).then_some(())
    });
    let before = dashboard.last_turn();
    wait_until("a turn of the next agent", || {
        (dashboard.last_turn() > before + 1).then_some(())
    });
    dashboard.command("stop");
    assert_eq!(running.finish().code, Some(130));
}

#[test]
fn a_panel_alone_is_held_and_stopped_too() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    let running = spawn(panel(&place, &server, &[]));
    let dashboard = Dashboard::of(&place);
    dashboard.wait_for_agent("running");
    dashboard.command("pause");
    dashboard.wait_for_agent("paused");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn no_worker_of_an_agent_survives_and_a_bad_command_fails_at_once() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    let workers = ["--", "sh", "-c", "sleep 1000 & echo worker $!; exit 1"];
    let finished = spawn(panel(&place, &server, &workers)).finish();
    assert_eq!(finished.code, Some(1));
    let workers: Vec<u32> = finished
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("worker ")?.parse().ok())
        .collect();
    assert_eq!(workers.len(), 5, "{}", finished.stdout);
    assert!(workers.iter().all(|worker| !lives(*worker)));

    let place = Workplace::new();
    let slip = spawn(panel(&place, &server, &["--", "/no/such/agent"])).finish();
    assert_eq!(slip.code, Some(2));
    assert!(
        slip.stderr.contains("/no/such/agent cannot be started"),
        "{}",
        slip.stderr
    );
}

#[test]
fn a_taken_port_leaves_nothing_behind() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let url = url(&server);
    for option in ["--relay", "--dashboard"] {
        let common = [
            "panel",
            "--upstream",
            &url,
            "--run-dir",
            "run",
            "--relay",
            "127.0.0.1:0",
        ];
        let mut arguments = common.to_vec();
        if option == "--relay" {
            arguments.truncate(5);
        }
        arguments.extend([option, &address]);
        let finished = spawn(place.program(&arguments)).finish();
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        assert!(finished.stderr.contains(option), "{}", finished.stderr);
        assert!(!place.file("").exists());
    }
}
