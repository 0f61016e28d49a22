//! `franz mcp` as a host uses it: JSON-RPC over its stdin and stdout.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use franz_action::Outcome;
use serde_json::{Value, json};

use crate::dashboard::Dashboard;
use crate::harness::{Finished, Running, Workplace, artist, spawn, url, wait_until};

/// Far longer than any answer needs.
const PATIENCE: Duration = Duration::from_mins(2);

/// The command of a server with a canvas, whose run is in the directory `run`.
const ON_CANVAS: [&str; 7] = [
    "mcp",
    "--run-dir",
    "run",
    "--dashboard",
    "127.0.0.1:0",
    "--screen",
    "canvas",
];

/// A host, connected to the server that it has started.
struct Host {
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    server: Running,
    /// Messages that arrived while the host was waiting for something else.
    others: Vec<Value>,
    count: u64,
}

impl Host {
    fn start(place: &Workplace, arguments: &[&str]) -> Host {
        let usual = ["mcp", "--run-dir", "run", "--dashboard", "127.0.0.1:0"];
        Host::started(place, &[&usual, arguments].concat(), |_| {})
    }

    fn on_canvas(place: &Workplace, more: &[&str]) -> Host {
        let mut host = Host::started(place, &[&ON_CANVAS[..], more].concat(), |_| {});
        host.introduce("A Host/1");
        host
    }

    fn started(place: &Workplace, arguments: &[&str], prepare: impl FnOnce(&mut std::process::Command)) -> Host {
        let mut command = place.program(arguments);
        command.stdin(Stdio::piped());
        prepare(&mut command);
        let mut server = spawn_with_pipes(command);
        let output = server.1.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Host {
            input: server.0.take(),
            lines,
            server: server.2,
            others: Vec::new(),
            count: 0,
        }
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    /// Returns the next message for which `is_it` is true. Every line on stdout must be a message.
    fn hear(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.others.iter().position(&is_it) {
            return self.others.remove(index);
        }
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("an answer");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if is_it(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Sends a request. Returns its number.
    fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.count += 1;
        let id = self.count;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    fn answer(&mut self, id: u64) -> Value {
        self.hear(|message| message["id"] == id && message.get("method").is_none())
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    fn introduce(&mut self, name: &str) -> Value {
        let client = json!({"name": name, "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let answer = self.request("initialize", &params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    fn tools(&mut self) -> Vec<Value> {
        let listed = self.request("tools/list", &json!({}));
        listed["result"]["tools"]
            .as_array()
            .unwrap_or_else(|| panic!("{listed}"))
            .clone()
    }

    fn begin(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool. Returns the result.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.begin(tool, arguments);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Closes the connection.
    fn leave(mut self) -> Finished {
        drop(self.input.take());
        self.server.finish()
    }
}

/// Starts a process, and passes its stdin and stdout to the caller.
fn spawn_with_pipes(
    mut command: std::process::Command,
) -> (Option<ChildStdin>, Option<std::process::ChildStdout>, Running) {
    let mut child = command.spawn().unwrap();
    let pipes = (child.stdin.take(), child.stdout.take());
    (pipes.0, pipes.1, Running::of(child))
}

fn words(result: &Value) -> String {
    let texts = result["content"].as_array().unwrap().iter();
    let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}

fn pictures(result: &Value) -> Vec<&str> {
    let parts = result["content"].as_array().unwrap().iter();
    parts.filter_map(|part| part["mimeType"].as_str()).collect()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn a_host_learns_the_tools_and_how_to_use_them() {
    let place = Workplace::new();
    let mut host = Host::start(&place, &["--screen", "canvas"]);
    let info = host.introduce("A Host/1");
    assert_eq!(info["protocolVersion"], "2025-06-18");
    assert_eq!(info["serverInfo"]["name"], "franz");
    assert!(info["instructions"].as_str().unwrap().contains("from 0 to 1000"));
    let tools = host.tools();
    let names = names(&tools);
    for name in [
        "observe_screen",
        "click_element",
        "type_text",
        "press_key",
        "drag",
        "zoom",
    ] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    for name in ["finish", "ask"] {
        assert!(!names.contains(&name), "{name} is in {names:?}");
    }
    for tool in &tools {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        assert_eq!(schema["properties"]["picture"]["type"], "boolean", "{tool}");
        assert!(!schema.to_string().contains("$ref"), "{tool}");
        let only_looks = ["observe_screen", "watch", "zoom"].contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], only_looks, "{tool}");
    }
    let finished = host.leave();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

#[test]
fn each_call_is_a_turn_of_a_recorded_run() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &[]);
    let looked = host.call("observe_screen", &json!({}));
    assert_eq!(
        (pictures(&looked), &looked["isError"]),
        (vec!["image/png"], &json!(false))
    );
    let drawn = host.call("drag", &json!({"from": [100, 100], "to": [900, 900]}));
    assert_eq!(pictures(&drawn), ["image/png"]);
    assert_ne!(
        looked["content"][1]["data"], drawn["content"][1]["data"],
        "the line is in the picture"
    );
    let blind = host.call(
        "click_element",
        &json!({"label": "a dot", "box": [500, 200], "picture": false}),
    );
    assert!(
        pictures(&blind).is_empty() && words(&blind).contains("clicked_at"),
        "{blind}"
    );
    let zoomed = host.call("zoom", &json!({"from": [0, 0], "to": [300, 300]}));
    assert_eq!(pictures(&zoomed).len(), 2, "the part and the whole: {}", words(&zoomed));
    // A turn's actions are recorded with the next turn.
    host.call("observe_screen", &json!({}));
    let finished = host.leave();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(!finished.stderr.contains("failed"), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("the MCP host closed the connection"),
        "{}",
        finished.stderr
    );

    let turns = place.turns();
    let done: Vec<String> = turns
        .iter()
        .flat_map(|turn| &turn.acted)
        .map(|acted| acted.action.clone())
        .collect();
    assert_eq!(
        done,
        [
            "observe()",
            "drag(100, 100, 900, 900)",
            "left_click(500, 200)",
            "zoom(0, 0, 300, 300)"
        ]
    );
    let is_named = |turn: &franz_record::TurnLine| turn.model.as_deref() == Some("A-Host-1");
    assert!(turns.iter().all(is_named), "{:?}", turns[0].model);
}

#[test]
fn a_run_is_recorded_in_a_folder_of_its_own_and_can_be_deleted_wherever_it_is() {
    let place = Workplace::new();
    let arguments = ["mcp", "--dashboard", "127.0.0.1:0", "--screen", "canvas"];
    let mut host = Host::started(&place, &arguments, |_| {});
    host.introduce("A Host/1");
    host.call("observe_screen", &json!({}));
    let finished = host.leave();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let directories = |folder: &str| {
        let entries = std::fs::read_dir(place.path(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    assert!(directories("state/franz/runs").is_empty());
    assert_eq!(directories("state/franz/mcp").len(), 1);

    // A run that an older version recorded among the entries.
    let old = place.path("state/franz/runs/run_20260101_000000");
    std::fs::rename(&directories("state/franz/mcp")[0], &old).unwrap();
    let mut entries = std::fs::read_dir(place.path("state/franz/runs")).unwrap();
    let entry = entries.find_map(|entry| Some(entry.unwrap().path()).filter(|path| path.is_file()));
    let entry = entry.unwrap();
    let text = std::fs::read_to_string(&entry).unwrap();
    let line = text.lines().find(|line| line.starts_with("directory")).unwrap();
    let there = format!("directory = \"{}\"", old.canonicalize().unwrap().display());
    std::fs::write(&entry, text.replace(line, &there)).unwrap();
    let franz = |words: &[&str]| spawn(place.program(words)).finish();
    let listed = franz(&["runs", "--json"]);
    assert!(listed.stdout.contains("run_20260101_000000"), "{}", listed.stdout);
    let deleted = franz(&["runs", "delete", "run_20260101_000000", "--yes"]);
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    assert!(!old.exists() && !entry.exists());
}

/// Its model server was `franz mcp` itself.
#[test]
fn a_run_of_a_host_ends_with_the_host() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &[]);
    host.call("observe_screen", &json!({}));
    let finished = host.leave();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stderr.contains("replay  franz replay "), "{}", finished.stderr);
    assert!(!finished.stderr.contains("--resume"), "{}", finished.stderr);
    let resumed = spawn(place.program(&["run", "--resume", "run", "--upstream", "demo"])).finish();
    assert_eq!(resumed.code, Some(2), "{}{}", resumed.stdout, resumed.stderr);
    assert!(
        resumed.stderr.contains("run belongs to an MCP host"),
        "{}",
        resumed.stderr
    );
}

#[test]
fn bad_calls_say_what_would_be_right_and_do_nothing() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &[]);
    for (tool, arguments, says) in [
        ("click_element", json!({"label": "x"}), "box"),
        ("click_element", json!({"label": "x", "box": [1]}), "box"),
        ("click_element", json!({"label": "x", "box": [4000, 2]}), "1000"),
        ("drag", json!({"from": "here", "to": [1, 2]}), "from"),
        ("type_text", json!({}), "text"),
        ("zoom", json!({"from": [5, 5], "to": [5, 5]}), "zoom"),
        (
            "observe_screen",
            json!({"picture": "no"}),
            "picture must be true or false",
        ),
    ] {
        let result = host.call(tool, &arguments);
        assert_eq!(result["isError"], true, "{tool}({arguments}): {result}");
        assert!(words(&result).contains(says), "{tool}({arguments}): {}", words(&result));
    }
    for tool in ["finish", "screenshot", ""] {
        let answer = host.request("tools/call", &json!({"name": tool, "arguments": {}}));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("call one of observe_screen"), "{answer}");
    }
    host.leave();
    let done = place
        .turns()
        .iter()
        .flat_map(|turn| turn.acted.clone())
        .filter(|acted| acted.performed().is_some())
        .count();
    assert_eq!(done, 0);
}

#[test]
fn calls_at_once_are_done_one_after_the_other() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &[]);
    let dot = |x: u32| json!({"label": "a dot", "box": [x, 500], "picture": false});
    let asked: Vec<u64> = (1..=5).map(|x| host.begin("click_element", &dot(x * 100))).collect();
    for (id, x) in asked.into_iter().zip(1..) {
        let result = host.answer(id)["result"].clone();
        assert!(words(&result).contains(&format!("[{},500]", x * 100)), "{result}");
    }
    host.leave();
}

#[test]
fn a_host_that_may_only_look_cannot_act() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &["--read-only"]);
    let tools = host.tools();
    assert!(
        tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true),
        "{:?}",
        names(&tools)
    );
    assert!(names(&tools).contains(&"zoom"));
    let answer = host.request(
        "tools/call",
        &json!({"name": "click_element", "arguments": {"box": [1, 2]}}),
    );
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("there is no tool"),
        "{answer}"
    );
    host.leave();
}

#[test]
fn the_person_decides_and_stops_in_the_dashboard() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &["--gate", "ask"]);
    let dashboard = Dashboard::of(&place);
    let _page = dashboard.open_page();
    // Meanwhile, the agent hears of the page.
    host.call("observe_screen", &json!({}));
    let dot = json!({"label": "a dot", "box": [500, 500]});
    let mut last = String::new();
    for (decision, reason, failed, says) in [
        ("refuse", "not there", true, "not there"),
        ("approve", "", false, "clicked_at"),
    ] {
        let id = host.begin("click_element", &dot);
        let (nonce, action) = dashboard.question(&last);
        assert_eq!(action, "left_click(500, 500)");
        assert_eq!(dashboard.decide(decision, &nonce, reason).0, 200);
        let result = host.answer(id)["result"].clone();
        assert_eq!(result["isError"], failed, "{decision}: {result}");
        assert!(words(&result).contains(says), "{decision}: {}", words(&result));
        last = nonce;
    }
    let id = host.begin("click_element", &dot);
    dashboard.question(&last);
    dashboard.command("stop");
    for id in [id, host.begin("observe_screen", &json!({}))] {
        let result = host.answer(id)["result"].clone();
        assert_eq!(result["isError"], true);
        assert!(words(&result).contains("the run has ended"), "{result}");
    }
    let finished = host.leave();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    let performed = place
        .turns()
        .iter()
        .flat_map(|turn| turn.acted.clone())
        .filter(|acted| acted.outcome == Outcome::Done(None))
        .count();
    assert!(performed <= 2, "the click that waited is never done");
}

/// The stdout of a host's server is never a terminal.
#[cfg(target_os = "linux")]
#[test]
fn the_dashboard_opens_in_a_browser_if_the_person_asked_for_it() {
    let place = Workplace::new();
    let opened = place.path("opened");
    let script = place.path("bin/xdg-open");
    std::fs::create_dir(place.path("bin")).unwrap();
    let text = format!(
        "#!/bin/sh\necho \"$1\" > '{0}.part'; mv '{0}.part' '{0}'\n",
        opened.display()
    );
    std::fs::write(&script, text).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&script, mode).unwrap();
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    let arguments = [&ON_CANVAS[..], &["--open"]].concat();
    let mut host = Host::started(&place, &arguments, |command| {
        command.env("PATH", &path).env("DISPLAY", ":nowhere");
    });
    host.introduce("A Host/1");
    let link = wait_until("the browser", || std::fs::read_to_string(&opened).ok());
    let address = Dashboard::of(&place).address().to_owned();
    assert!(link.starts_with(&format!("http://{address}/?code=")), "{link}");
    host.leave();
}

#[test]
fn tools_that_the_person_takes_away_are_gone() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &[]);
    assert!(names(&host.tools()).contains(&"drag"));
    let dashboard = Dashboard::of(&place);
    assert_eq!(dashboard.set("protocol.tools.drag", "false"), 200);
    host.call("observe_screen", &json!({}));
    host.hear(|message| message["method"] == "notifications/tools/list_changed");
    assert!(!names(&host.tools()).contains(&"drag"));
    host.leave();
}

#[test]
fn a_host_that_leaves_in_the_middle_of_a_call_leaves_nothing_behind() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &[]);
    host.call("observe_screen", &json!({}));
    host.begin("observe_screen", &json!({"seconds": 50}));
    wait_until("the call", || host.server.has_complained("A-Host-1").then_some(()));
    let finished = host.leave();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

#[test]
fn a_run_that_cannot_start_tells_the_host_why() {
    let place = Workplace::new();
    let empty = place.path("empty");
    std::fs::create_dir(&empty).unwrap();
    let arguments = [
        "mcp",
        "--run-dir",
        "run",
        "--screen",
        "browser",
        "--set",
        "screen.browser=no-such-browser",
    ];
    let mut host = Host::started(&place, &arguments, |command| {
        command.env("PATH", &empty);
    });
    host.introduce("A Host/1");
    let listed = host.request("tools/list", &json!({}));
    let why = listed["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        why.starts_with("FRANZ cannot start: ") && why.contains("no-such-browser"),
        "{why}"
    );
    let result = host.call("observe_screen", &json!({}));
    assert_eq!((&result["isError"], words(&result)), (&json!(true), why));
    let finished = host.leave();
    assert_ne!(finished.code, Some(0));
    assert!(finished.stderr.contains("no-such-browser"), "{}", finished.stderr);
}

#[test]
fn a_host_that_leaves_without_a_word_starts_nothing() {
    let place = Workplace::new();
    let finished = Host::start(&place, &["--screen", "canvas"]).leave();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(!place.file("").exists());
}

#[cfg(unix)]
#[test]
fn a_server_that_no_host_has_spoken_to_can_be_stopped() {
    let place = Workplace::new();
    let host = Host::start(&place, &["--screen", "canvas", "--set", "no.such=1"]);
    assert_ne!(
        host.server.finish().code,
        Some(0),
        "a mistake in the arguments is told at once"
    );
    let mut host = Host::started(&place, &["mcp", "--screen", "canvas", "-v"], |_| {});
    // The server handles signals once it reads its input.
    host.send(&json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}));
    host.hear(|message| message["id"] == "ping");
    host.server.signal("TERM");
    assert_eq!(host.server.finish().code, Some(143));
}

#[test]
fn nobody_but_the_run_gets_an_answer_from_the_stand_in() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &[]);
    host.call("observe_screen", &json!({}));
    let config: toml::Table = std::fs::read_to_string(place.file("config.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let address = config["model"]["upstream"]
        .as_str()
        .unwrap()
        .strip_prefix("http://")
        .unwrap()
        .to_owned();
    for key in ["", "Authorization: Bearer guessed\r\n"] {
        let mut stream = std::net::TcpStream::connect(address.trim_end_matches('/')).unwrap();
        write!(
            stream,
            "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n{key}Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    }
    host.leave();
}

#[test]
fn a_key_for_a_model_server_is_not_given_to_the_stand_in() {
    let place = Workplace::new();
    let mut host = Host::started(&place, &ON_CANVAS, |command| {
        command.env("FRANZ_API_KEY", "sk-of-a-model-server");
    });
    host.introduce("A Host/1");
    // The stand-in answers only requests with the run's own key.
    let result = host.call("observe_screen", &json!({}));
    assert_eq!(result["isError"], false, "{result}");
    host.leave();
}

#[test]
fn a_host_that_asks_for_what_is_not_offered_causes_no_warning() {
    let place = Workplace::new();
    let mut host = Host::on_canvas(&place, &[]);
    let answer = host.request("resources/list", &json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let finished = host.leave();
    assert!(!finished.stderr.contains("resources/list"), "{}", finished.stderr);
}

/// A fallback would get the pictures, and a shorter wait would end the run, while the host is idle.
#[test]
fn what_the_person_set_for_model_servers_does_not_apply_to_the_host() {
    let (place, other) = (Workplace::new(), artist());
    let settings = format!(
        "[model]\nfallback = [\"{}\"]\ntimeout_s = 5\nfamily = \"qwen2-vl\"\nstream = \"on\"\n",
        url(&other)
    );
    std::fs::create_dir_all(place.path("config/franz")).unwrap();
    std::fs::write(place.path("config/franz/franz.toml"), settings).unwrap();
    let mut host = Host::on_canvas(&place, &[]);
    assert!(names(&host.tools()).contains(&"click_element"));
    host.call("observe_screen", &json!({}));
    let config = std::fs::read_to_string(place.file("config.toml")).unwrap();
    let model = config.parse::<toml::Table>().unwrap()["model"].clone();
    let expected = "{ fallback = [], timeout_s = 86400.0, family = 'franz', stream = 'off' }";
    let expected: toml::Value = expected.parse().unwrap();
    for (key, value) in expected.as_table().unwrap() {
        assert_eq!(&model[key], value, "{key}");
    }
    host.leave();
    assert!(other.requests().is_empty());
}
