//! A model server fails. The run survives, and reports the failure.

use std::net::SocketAddr;

use franz_demo::{Demo, DemoHandle, DemoSettings, Received, Script};
use franz_record::Status;

use crate::harness::{Workplace, reply, scripted, url, wait_until};

#[test]
fn a_turn_waits_until_a_lost_server_is_back() {
    let first = scripted(&[&reply("```python\nleft_click(1, 2)\n```")]);
    let address = first.addr();
    let place = Workplace::new();
    let running = place.start(&first, &["--set", "model.attempts=1"]);
    place.wait_for_turn(3);
    drop(first);
    wait_until("three tries that find nobody", || {
        let log = std::fs::read_to_string(place.file("exchange.log")).ok()?;
        (log.matches("no model server answers at").count() >= 3).then_some(())
    });
    let _second = wait_until("the port to be free", || back_at(address));
    let back = wait_until("a reply after that", || {
        let turns = place.wait_for_turn(1);
        turns.into_iter().find(|turn| turn.attempts > 1)
    });
    assert_eq!(back.status, Status::Ok);
    assert_eq!(back.reply.unwrap().text(), "I am back.");
    running.kill();

    let turns = place.turns();
    assert!(turns.iter().all(|turn| turn.status == Status::Ok), "no turn was lost");
    let refused = |error: &String| error.contains("no model server answers at") && error.ends_with(" times)");
    assert!(back.errors.iter().any(refused), "{:?}", back.errors);
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    let acted = turns.iter().filter(|turn| !turn.acted.is_empty()).count();
    assert_eq!(journal.lines().count(), acted, "each reply's click is drawn once");
}

#[test]
fn a_server_that_is_not_up_yet_is_awaited_with_wait() {
    for watched in [false, true] {
        let address = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let (place, url) = (Workplace::new(), format!("http://{address}"));
        let arguments = [
            "run",
            "--run-dir",
            "run",
            "--upstream",
            &url,
            "--wait",
            "--max-turns",
            "1",
        ];
        let mut command = if watched {
            place.program(&[&arguments[..], &["--dashboard", "127.0.0.1:0", "--no-open"]].concat())
        } else {
            place.franz(&arguments)
        };
        let mut child = command.spawn().unwrap();
        let mut told = String::new();
        let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
        std::io::BufRead::read_line(&mut stderr, &mut told).unwrap();
        assert!(
            told.contains("no model server answers at") && told.contains("waiting for it since"),
            "{told}"
        );
        let _server = wait_until("the port to be free", || back_at(address));
        let finished = child.wait_with_output().unwrap();
        assert_eq!(
            finished.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&finished.stdout)
        );
        assert_eq!(place.turns().len(), 1);
    }
}

/// Starts a server at this address; `None` while the port is not free yet.
fn back_at(address: SocketAddr) -> Option<DemoHandle> {
    let settings = DemoSettings {
        script: Script::parse(&reply("I am back.")).ok(),
        ..DemoSettings::default()
    };
    Demo::bind(address, settings).ok()?.into_thread().ok()
}

#[test]
fn a_server_that_hangs_turn_after_turn_ends_the_run() {
    let server = scripted(&[r#"{"text": "first"}"#, r#"{"text": "too late", "delay_s": 3600}"#]);
    let place = Workplace::new();
    let finished = place.run(&server, &["--max-turns", "50", "--set", "model.timeout_s=5"]);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let statuses: Vec<Status> = place.turns().iter().map(|turn| turn.status).collect();
    assert_eq!(statuses, [Status::Ok, Status::Failed, Status::Failed]);
    assert!(
        finished.stderr.contains("did not complete its response within"),
        "{}",
        finished.stderr
    );
}

#[test]
fn each_server_fault_is_retried_and_recorded_by_name() {
    let lines = [
        r#"{"text": "first"}"#,
        r#"{"status": 503}"#,
        r#"{"raw": "<html><title>Proxy</title></html>"}"#,
        r#"{"json": {"choices": [{"message": {"content": null, "reasoning_content": "hm"}}]}}"#,
        r#"{"text": "second"}"#,
    ];
    let (place, server) = (Workplace::new(), scripted(&lines));
    let finished = place.run(&server, &["--max-turns", "2"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let turn = &place.turns()[1];
    assert_eq!((turn.status, turn.attempts), (Status::Ok, 4));
    for (error, words) in turn.errors.iter().zip(["503", "Proxy", "reasoned"]) {
        assert!(error.to_lowercase().contains(&words.to_lowercase()), "{error}");
    }
    assert!(finished.stdout.contains("attempt 1 failed"), "{}", finished.stdout);
}

#[test]
fn a_permanent_refusal_ends_the_run_with_the_servers_words() {
    let refusal = r#"{"status": 400, "json": {"error": {"message": "the flux capacitor is missing"}}}"#;
    let (place, server) = (Workplace::new(), scripted(&[r#"{"text": "a"}"#, refusal]));
    let finished = place.run(&server, &["--max-turns", "9"]);
    assert_eq!(finished.code, Some(3));
    assert!(
        finished.stderr.contains("the flux capacitor is missing"),
        "{}",
        finished.stderr
    );
    assert_eq!(place.turns().len(), 3, "twice running");
    // Before the first reply, one refusal is enough.
    let (place, server) = (Workplace::new(), scripted(&[refusal]));
    let finished = place.run(&server, &["--max-turns", "9"]);
    assert_eq!((finished.code, place.turns().len()), (Some(3), 1));
}

#[test]
fn a_cut_reply_is_recorded_and_its_open_block_runs_nothing() {
    let cut =
        serde_json::json!({ "text": "```python\nleft_click(1, 2)\nleft_cl", "finish_reason": "length" }).to_string();
    let (place, server) = (Workplace::new(), scripted(&[&cut]));
    place.run(&server, &["--max-turns", "2"]);
    let turn = &place.turns()[1];
    assert!(turn.acted.is_empty());
    assert!(turn.errors[0].starts_with("cut: "), "{:?}", turn.errors);
    assert_eq!(turn.finish.as_deref(), Some("length"));
}

#[test]
fn a_key_reaches_a_named_server_but_no_file() {
    let (place, server) = (Workplace::new(), scripted(&[r#"{"text": "no key here"}"#]));
    let url = url(&server);
    let mut command = place.franz(&["run", "--run-dir", "run", "--upstream", &url, "--max-turns", "1"]);
    command.env("FRANZ_API_KEY", "sk-secret-0123456");
    assert_eq!(crate::harness::spawn(command).finish().code, Some(0));
    let header = |request: &Received| {
        request
            .headers
            .get("authorization")
            .is_some_and(|value| value == "Bearer sk-secret-0123456")
    };
    assert!(server.requests().iter().all(header));
    for name in ["config.toml", "exchange.log"] {
        let text = std::fs::read_to_string(place.file(name)).unwrap();
        assert!(!text.contains("sk-secret-0123456"), "{name}");
    }
}
