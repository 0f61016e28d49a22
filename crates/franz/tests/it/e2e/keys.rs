//! The API key goes only where the person allows, and FRANZ refuses answers that repeat it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use franz_record::Status;
use franz_secret::Secret;

use crate::e2e::settings::SMALL;
use crate::harness::{Finished, Workplace, python, reply, scripted, spawn, url};

const KEY: &str = "sk-0123456789-abc";

/// A model server that records the head of every request, including those for its list of models.
struct Capture {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Capture {
    fn start() -> Capture {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&heads);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || while answer(&stream, &noted).is_some() {});
            }
        });
        Capture { address, heads }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the keys that arrived, without duplicates.
    fn keys(&self) -> Vec<String> {
        let heads = self.heads.lock().unwrap();
        let lines = heads.iter().flat_map(|head| head.lines());
        let mut keys: Vec<String> = lines
            .filter(|line| line.to_ascii_lowercase().starts_with("authorization:"))
            .map(|line| line.rsplit(' ').next().unwrap().to_owned())
            .collect();
        keys.sort();
        keys.dedup();
        keys
    }

    fn asked(&self) -> usize {
        self.heads.lock().unwrap().len()
    }
}

fn answer(mut stream: &TcpStream, noted: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("content-length:")
            .map(str::to_owned)
    });
    let length = length.map_or(0, |length| length.trim().parse().unwrap());
    reader.take(length).read_to_end(&mut Vec::new()).ok()?;
    let body = if head.starts_with("POST") {
        r#"{"choices":[{"message":{"content":"nothing to do"}}]}"#
    } else {
        r#"{"data":[{"id":"m"}]}"#
    };
    noted.lock().unwrap().push(head);
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).ok()
}

fn with_key(mut command: Command) -> Finished {
    command.env("FRANZ_API_KEY", KEY);
    spawn(command).finish()
}

/// Returns a run of one turn without a panel.
fn run(place: &Workplace, more: &[&str]) -> Command {
    let common = ["run", "--no-panel", "--max-turns", "1", "--screen", "canvas"];
    place.program(&[&common, &SMALL[..], more].concat())
}

fn names(server: &Capture) -> String {
    format!("[model]\nupstream = \"{}\"\n", server.url())
}

fn own(place: &Workplace, text: &str) {
    std::fs::create_dir_all(place.path("config/franz")).unwrap();
    std::fs::write(place.path("config/franz/franz.toml"), text).unwrap();
}

#[test]
fn a_server_that_the_person_names_gets_the_key() {
    let server = Capture::start();
    let place = Workplace::new();
    let finished = with_key(run(&place, &["--upstream", &server.url()]));
    assert_eq!(
        (finished.code, server.keys()),
        (Some(0), vec![KEY.to_owned()]),
        "{}",
        finished.stderr
    );
    assert!(!finished.stderr.contains("not sent"), "{}", finished.stderr);

    let server = Capture::start();
    own(&place, &names(&server));
    with_key(run(&place, &[]));
    assert_eq!(server.keys(), [KEY]);

    let (server, place) = (Capture::start(), Workplace::new());
    let mut command = run(&place, &[]);
    command.env("FRANZ_MODEL__UPSTREAM", server.url());
    with_key(command);
    assert_eq!(server.keys(), [KEY]);
}

#[test]
fn no_profile_or_local_settings_file_gets_the_key() {
    let server = Capture::start();
    let place = Workplace::new();
    let profile = format!("base = \"draw\"\n{}", names(&server));
    std::fs::write(place.path("mine.toml"), profile).unwrap();
    with_key(run(&place, &["--profile", "mine.toml"]));
    let place = Workplace::new();
    std::fs::write(place.path("franz.toml"), names(&server)).unwrap();
    with_key(run(&place, &[]));
    assert_eq!(server.keys(), Vec::<String>::new());
}

#[test]
fn a_resumed_directory_does_not_get_the_key() {
    let (server, place) = (Capture::start(), Workplace::new());
    let first = python(&["pass"]);
    place.run(&first, &["--max-turns", "1"]);
    let config = std::fs::read_to_string(place.file("config.toml")).unwrap();
    std::fs::write(place.file("config.toml"), config.replace(&url(&first), &server.url())).unwrap();
    with_key(place.program(&["run", "--no-panel", "--resume", "run", "--max-turns", "1"]));
    assert_eq!(server.keys(), Vec::<String>::new());
    with_key(place.program(&[
        "run",
        "--no-panel",
        "--resume",
        "run",
        "--max-turns",
        "1",
        "--upstream",
        &server.url(),
    ]));
    assert_eq!(server.keys(), [KEY]);
}

#[test]
fn a_fallback_server_gets_the_key_only_when_allowed() {
    let (server, place) = (Capture::start(), Workplace::new());
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let fallback = format!("model.fallback=[\"{}\"]", server.url());
    let down = format!("http://{closed}");
    let arguments = ["--upstream", &down, "--set", &fallback];
    let finished = with_key(run(&place, &arguments));
    assert!(server.asked() > 0 && server.keys().is_empty(), "{}", finished.stderr);
    let told = format!(
        "the API key is not sent to {0}: it is for the model server that you name; to allow that: --key-for {0}",
        server.url()
    );
    assert!(finished.stderr.contains(&told), "{}", finished.stderr);

    let elsewhere = format!("http://127.0.0.1:{}", closed.port());
    with_key(run(&place, &[&arguments[..], &["--key-for", &elsewhere]].concat()));
    assert_eq!(server.keys(), Vec::<String>::new());
    with_key(run(&place, &[&arguments[..], &["--key-for", &server.url()]].concat()));
    assert_eq!(server.keys(), [KEY]);
    let finished = with_key(run(&place, &[&arguments[..], &["--key-for", "127.0.0.1:1"]].concat()));
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
}

#[test]
fn the_grounder_gets_the_key_only_when_allowed() {
    let (server, grounder) = (Capture::start(), Capture::start());
    let setting = format!("grounder.upstream={}", grounder.url());
    let ran = |more: &[&str]| {
        let place = Workplace::new();
        let arguments = ["--upstream", &server.url(), "--set", &setting];
        with_key(run(&place, &[&arguments[..], more].concat()))
    };
    let finished = ran(&[]);
    assert_eq!(server.keys(), [KEY]);
    assert!(
        grounder.asked() > 0 && grounder.keys().is_empty(),
        "{}",
        finished.stderr
    );
    let told = format!("the API key is not sent to {}", grounder.url());
    assert!(finished.stderr.contains(&told), "{}", finished.stderr);
    ran(&["--key-for", &grounder.url()]);
    assert_eq!(grounder.keys(), [KEY]);
}

#[test]
fn a_key_entry_serves_only_its_own_server() {
    let (server, other, place) = (Capture::start(), Capture::start(), Workplace::new());
    own(
        &place,
        &format!("{}[keys]\n\"{}\" = \"ENTRY_KEY\"\n", names(&other), server.url()),
    );
    let mut command = run(&place, &["--upstream", &server.url()]);
    command.env("ENTRY_KEY", "sk-entry-0123456789");
    with_key(command);
    assert_eq!(server.keys(), ["sk-entry-0123456789"]);
    let mut command = run(&place, &[]);
    command.env("ENTRY_KEY", "sk-entry-0123456789");
    spawn(command).finish();
    assert_eq!(other.keys(), Vec::<String>::new());

    std::fs::write(
        place.path("franz.toml"),
        format!("[keys]\n\"{}\" = \"HOME\"\n", other.url()),
    )
    .unwrap();
    let finished = with_key(run(&place, &[]));
    assert_eq!(finished.code, Some(2));
    assert!(
        finished.stderr.contains("franz.toml:1:2: [keys] has an effect only in"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_key_may_come_from_a_private_file() {
    let (server, place) = (Capture::start(), Workplace::new());
    let file = place.path("key");
    std::fs::write(&file, format!("{KEY}\n")).unwrap();
    let started = |mode: u32| {
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        let mut command = run(&place, &["--upstream", &server.url()]);
        command.env("FRANZ_API_KEY_FILE", &file);
        spawn(command).finish()
    };
    let finished = started(0o644);
    assert_eq!((finished.code, server.asked()), (Some(2), 0));
    assert!(
        finished.stderr.contains("chmod 600") && !finished.stderr.contains(KEY),
        "{}",
        finished.stderr
    );
    assert_eq!(started(0o600).code, Some(0));
    assert_eq!(server.keys(), [KEY]);
}

#[test]
fn the_openai_variables_apply_on_this_machine() {
    let (server, place) = (Capture::start(), Workplace::new());
    let mut command = run(&place, &[]);
    command
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url()))
        .env("OPENAI_API_KEY", "sk-cloud-0123456789");
    assert_eq!(spawn(command).finish().code, Some(0));
    assert_eq!(server.keys(), ["sk-cloud-0123456789"]);
    let place = Workplace::new();
    let mut command = run(&place, &["--upstream", &server.url()]);
    command.env("OPENAI_BASE_URL", "https://models.invalid/v1?key=sk-cloud-0123456789");
    let named = spawn(command).finish();
    assert!(!named.stderr.contains("OPENAI_BASE_URL"), "{}", named.stderr);
}

#[test]
fn an_invalid_openai_key_stops_nothing() {
    let (server, place) = (Capture::start(), Workplace::new());
    let mut command = run(&place, &["--upstream", &server.url()]);
    command.env("OPENAI_API_KEY", "<your key>");
    let finished = spawn(command).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let told = "ignoring OPENAI_API_KEY: the API key contains characters";
    assert_eq!(finished.stderr.matches(told).count(), 1, "{}", finished.stderr);
    assert!(!finished.stderr.contains("<your"), "{}", finished.stderr);
    assert!(server.keys().is_empty());
}

/// FRANZ reports that it does not use the address, without repeating anything else that the address contains.
#[test]
fn a_remote_openai_base_url_is_ignored_with_a_message() {
    let place = Workplace::new();
    let mut command = run(&place, &[]);
    command.env("OPENAI_BASE_URL", "https://models.invalid/v1?key=sk-cloud-0123456789");
    let finished = spawn(command).finish();
    let told = "OPENAI_BASE_URL does not name a server on this machine, so FRANZ ignores it";
    assert!(
        finished.stderr.contains(told) && !finished.stderr.contains("sk-cloud"),
        "{}",
        finished.stderr
    );
}

#[test]
fn doctor_sends_the_key_to_the_same_servers_as_a_run() {
    let (server, place) = (Capture::start(), Workplace::new());
    let profile = format!("base = \"draw\"\n{}", names(&server));
    std::fs::write(place.path("mine.toml"), profile).unwrap();
    with_key(place.program(&["doctor", "--profile", "mine.toml", "--screen", "canvas"]));
    std::fs::write(place.path("franz.toml"), names(&server)).unwrap();
    with_key(place.program(&["doctor", "--screen", "canvas"]));
    std::fs::remove_file(place.path("franz.toml")).unwrap();
    assert_eq!(server.keys(), Vec::<String>::new());
    with_key(place.program(&["doctor", "--screen", "canvas", "--upstream", &server.url()]));
    assert_eq!(server.keys(), [KEY]);
}

#[test]
fn the_server_behind_the_relay_decides_who_gets_the_key() {
    for is_named in [true, false] {
        let (server, place) = (Capture::start(), Workplace::new());
        std::fs::write(place.path("mine.toml"), format!("base = \"draw\"\n{}", names(&server))).unwrap();
        let url = server.url();
        let named = if is_named {
            ["--upstream", &url]
        } else {
            ["--profile", "mine.toml"]
        };
        let common = [
            "run",
            "--max-turns",
            "1",
            "--screen",
            "canvas",
            "--dashboard",
            "127.0.0.1:0",
        ];
        with_key(place.program(&[&common, &SMALL[..], &named].concat()));
        let expected: &[&str] = if is_named { &[KEY] } else { &[] };
        assert_eq!(server.keys(), expected);
    }
}

#[test]
fn a_short_key_is_sent_but_not_treated_as_secret() {
    for key in ["x", "EMPTY", "ollama"] {
        let (server, place) = (Capture::start(), Workplace::new());
        let mut command = run(&place, &["--upstream", &server.url()]);
        command.env("FRANZ_API_KEY", key);
        let finished = spawn(command).finish();
        assert_eq!((finished.code, server.keys()), (Some(0), vec![key.to_owned()]));
        assert_eq!(
            finished.stderr.matches("not treated as a secret").count(),
            1,
            "{}",
            finished.stderr
        );
    }
}

/// Returns everything that was written to any file in the workplace.
fn written(directory: &Path) -> Vec<u8> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        if path.is_dir() {
            written(&path)
        } else {
            std::fs::read(path).unwrap()
        }
    };
    entries.flat_map(read).collect()
}

#[test]
fn answers_that_repeat_the_key_leave_no_trace_and_two_end_the_run() {
    let echo = |form: &str| reply(&format!("```python\nwrite(\"{form}\")\n```"));
    let lines = [
        reply("a"),
        echo("c2stMDEyMzQ1Njc4OS1hYmM="),
        reply("b"),
        echo("sk%2d0123456789%2dabc"),
        echo("736b2d303132333435363738392d616263"),
    ];
    for panel in [true, false] {
        let (place, server) = (Workplace::new(), scripted(&lines.each_ref().map(String::as_str)));
        let address = url(&server);
        let how: &[&str] = if panel {
            &["--dashboard", "127.0.0.1:0"]
        } else {
            &["--no-panel", "--json"]
        };
        let common = [
            "run",
            "--run-dir",
            "run",
            "--upstream",
            &address,
            "--screen",
            "canvas",
            "-v",
        ];
        let mut command = place.program(&[&common, &SMALL[..], how].concat());
        command.env("RUST_LOG", "trace");
        let finished = with_key(command);
        assert_eq!(finished.code, Some(3), "{}", finished.stderr);
        assert_eq!(server.requests().len(), 5, "none was asked again");
        let statuses: Vec<_> = place.turns().iter().map(|turn| turn.status).collect();
        let (ok, failed) = (Status::Ok, Status::Failed);
        assert_eq!(statuses, [ok, failed, ok, failed, failed]);
        for turn in place.turns().iter().filter(|turn| turn.status == failed) {
            let why = turn.errors.join(" ");
            assert!(
                turn.reply.is_none() && why.contains("the response repeated the API key ("),
                "{why}"
            );
        }
        let secret = Secret::new([KEY]);
        let everything = [
            written(&place.file("")),
            finished.stdout.into_bytes(),
            finished.stderr.into_bytes(),
        ]
        .concat();
        assert!(
            !secret.is_in(&everything),
            "{}",
            String::from_utf8_lossy(&secret.bytes(&everything))
        );
        let log = std::fs::read_to_string(place.file("exchange.log")).unwrap();
        assert_eq!(log.matches("the response repeated the API key").count(), 3, "{log}");
    }
}
