//! Tests of `verdicts.jsonl` and `exchange.log`.

use std::fs;
use std::path::Path;

use franz_panel::Verdict;
use franz_panel::VerdictKind::{First, Match, Violation};
use franz_panel::observer::ObserverOptions;
use franz_relay::{Copied, Ended};
use franz_secret::Secret;
use serde_json::Value;

use crate::observer::{observe, observe_copies, options, read, sent};
use crate::wire::{Ask, quote};

fn verdicts(directory: &Path) -> Vec<Verdict> {
    let text = read(directory, "verdicts.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn two() -> Vec<Ask> {
    vec![
        Ask::new("\"\"").run("r", 1).reply(r#""one\ud800""#),
        Ask::new(r#""one\ud801""#).run("r", 2),
    ]
}

#[test]
fn verdicts_are_written_and_read_back() {
    let directory = tempfile::tempdir().unwrap();
    observe(options(directory.path()), two());
    let written = verdicts(directory.path());
    let kinds: Vec<_> = written.iter().map(|verdict| verdict.verdict).collect();
    assert_eq!(kinds, [First, Violation]);
    let difference = written[1].difference.as_ref().unwrap();
    assert_eq!(
        (difference.position, difference.received.get(), difference.sent.get()),
        (3, r#""one\ud800""#, r#""one\ud801""#)
    );
    for verdict in &written {
        let line = serde_json::to_string(verdict).unwrap();
        assert_eq!(serde_json::from_str::<Verdict>(&line).unwrap(), *verdict);
        // A later version might write additional members.
        let more = line.replacen('{', r#"{"more":{"\ud800":["\udc00"]},"#, 1);
        assert_eq!(serde_json::from_str::<Verdict>(&more).unwrap(), *verdict);
    }
    let least: Verdict = serde_json::from_str(r#"{"verdict":"match"}"#).unwrap();
    assert_eq!((least.verdict, least.turn), (Match, None));
}

#[test]
fn a_later_observer_continues_the_verdicts() {
    let directory = tempfile::tempdir().unwrap();
    observe(options(directory.path()), two()[..1].to_vec());
    let path = directory.path().join("verdicts.jsonl");
    let cut = fs::read_to_string(&path).unwrap() + "{\"v\":1,\"verd";
    fs::write(&path, cut).unwrap();
    observe(options(directory.path()), vec![Ask::new(r#""one\ud800""#).run("r", 2)]);
    let kinds: Vec<_> = verdicts(directory.path())
        .iter()
        .map(|verdict| verdict.verdict)
        .collect();
    assert_eq!(kinds, [First, Match]);
    assert_eq!(read(directory.path(), "verdicts.jsonl.cut"), "{\"v\":1,\"verd\n");
}

#[test]
fn one_unwritable_file_does_not_affect_the_others() {
    for broken in ["verdicts.jsonl", "verifier.json", "exchange.log"] {
        let directory = tempfile::tempdir().unwrap();
        let options = options(directory.path());
        // Create a directory with the file's name. Nobody, not even root, can open or replace that as a file.
        fs::create_dir(directory.path().join(broken)).unwrap();
        fs::write(directory.path().join(broken).join("x"), "").unwrap();
        observe(options, two());
        if broken != "verdicts.jsonl" {
            let kinds: Vec<_> = verdicts(directory.path())
                .iter()
                .map(|verdict| verdict.verdict)
                .collect();
            assert_eq!(kinds, [First, Violation], "{broken}");
        }
        if broken != "exchange.log" {
            let log = read(directory.path(), "exchange.log");
            assert_eq!(log.matches("\"request\":").count(), 2, "{broken}");
        }
    }
    // Even the run's directory can disappear.
    let directory = tempfile::tempdir().unwrap();
    let options = options(directory.path());
    fs::remove_dir_all(directory.path()).unwrap();
    observe(options, two());
}

#[test]
fn a_request_is_in_the_log_before_its_response_and_once() {
    let directory = tempfile::tempdir().unwrap();
    let ask = Ask::new("\"\"").run("r", 7).reply("\"one\"");
    let exchange = ask.exchange(1, 1_000);
    let options = || ObserverOptions {
        key: Some("run-key".to_owned()),
        ..options(directory.path())
    };
    let of_stranger = Ask::new("\"\"").run("r", 8).exchange(2, 2_000);
    let of_run = Ask::new("\"\"")
        .run("r", 7)
        .key("run-key")
        .reply("\"two\"")
        .exchange(3, 3_000);
    // The panel ends before any request has been answered.
    observe_copies(
        options(),
        [&exchange, &of_stranger].map(|one| Copied::Request(sent(one))),
    );
    let log = || -> Vec<Value> {
        let log = read(directory.path(), "exchange.log");
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let waiting = log();
    assert_eq!(waiting.len(), 2);
    assert!(
        waiting.iter().all(|line| line["request"]["model"] == "m"),
        "{waiting:?}"
    );
    // Nobody but the run itself can say which turn a request belongs to.
    assert!(waiting.iter().all(|line| line["turn"].is_null()), "{waiting:?}");
    let copies = [
        Copied::Request(sent(&of_run)),
        Copied::Exchange(of_run),
        Copied::Exchange(exchange),
    ];
    observe_copies(options(), copies);
    let lines = log()[2..].to_vec();
    let [request, response, late, answer] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!((&request["turn"], &request["id"]), (&7.into(), &response["id"]));
    assert_eq!((&response["status"], &response["request"]), (&200.into(), &Value::Null));
    assert_eq!(&response["response"]["choices"][0]["message"]["content"], "two");
    // If this panel has not logged an exchange's request, it logs both lines.
    assert_eq!(
        (&late["id"], late["request"]["model"].as_str()),
        (&answer["id"], Some("m"))
    );
}

/// Our own agent rejects such a response, so no part of it is kept.
#[test]
fn a_reply_that_repeats_the_key_is_discarded_and_never_stored() {
    let directory = tempfile::tempdir().unwrap();
    let options = ObserverOptions {
        secret: Secret::new([KEY]),
        key: Some("run-key".to_owned()),
        ..options(directory.path())
    };
    let ours = |ask: Ask, turn| ask.run("r", turn).key("run-key");
    let asks = vec![
        ours(Ask::new("\"\""), 1).reply("\"one\""),
        ours(Ask::new("\"one\""), 2).reply("\"it is c2stMDEyMzQ1Njc4OQ==\""),
        ours(Ask::new("\"one\""), 3).reply("\"three\""),
    ];
    observe(options, asks);
    let found = verdicts(directory.path());
    let kinds: Vec<_> = found.iter().map(|verdict| verdict.verdict).collect();
    assert_eq!(kinds, [First, Match, Match]);
    assert!(!found[1].adopted && found[1].received.is_none());
    let log = read(directory.path(), "exchange.log");
    assert!(
        log.contains("the response repeated the API key; ") && !log.contains("it is"),
        "{log}"
    );
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let text = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!Secret::new([KEY]).is_in(&text), "{}", String::from_utf8_lossy(&text));
    }
}

const KEY: &str = "sk-0123456789";

#[test]
fn the_log_names_pictures_and_hides_the_key() {
    let directory = tempfile::tempdir().unwrap();
    let options = ObserverOptions {
        secret: Secret::new([KEY]),
        ..options(directory.path())
    };
    let hash = &franz_record::digest::sha256_hex(b"x")[..12];
    let asks = vec![
        Ask::new("\"\"")
            .run("r", 1)
            .answer("application/json", r#"{"error":{"message":"bad key sk-0123456789"}}"#),
        Ask::new("\"sk-0123456789\"")
            .run("r", 2)
            .unanswered(Ended::Unreachable("refused".to_owned())),
        Ask::new(&quote("x"))
            .run("r", 3)
            .answer("text/event-stream", "data: [DONE]\n\n"),
    ];
    observe(options, asks);
    let log = read(directory.path(), "exchange.log");
    assert_eq!(
        log.matches(&format!("data:image/png;base64,[b64 sha={hash} len=4]"))
            .count(),
        3,
        "{log}"
    );
    assert!(
        log.contains("data: [DONE]") && log.contains("could not be reached: refused"),
        "{log}"
    );
    assert!(!log.contains(KEY) && !read(directory.path(), "verdicts.jsonl").contains(KEY));
}
