//! `franz runs show RUN --exchange N`.

use std::fs::{self, File};
use std::io;

use flate2::read::GzDecoder;
use serde_json::json;

use crate::harness::{Finished, Workplace, reply, scripted, spawn};

fn show(place: &Workplace, run: &str, exchange: &str) -> Finished {
    spawn(place.program(&["runs", "show", run, "--exchange", exchange])).finish()
}

/// Returns the heading lines of the output.
fn heads(shown: &str) -> Vec<&str> {
    let heads = ["REQUEST TO MODEL: ", "RESPONSE FROM MODEL: "];
    shown
        .lines()
        .filter(|line| heads.iter().any(|head| line.starts_with(head)))
        .collect()
}

#[test]
fn every_attempt_of_a_turn_is_shown_and_no_terminal_obeys_it() {
    let hostile = "\u{1b}]0;owned\u{7} \u{9b}31m \u{202e}over";
    let lines = [
        reply("first"),
        json!({ "status": 503, "raw": format!("loading {hostile}\r\n") }).to_string(),
        reply(hostile),
    ];
    let (place, server) = (Workplace::new(), scripted(&lines.each_ref().map(String::as_str)));
    let finished = place.run(&server, &["--max-turns", "2"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);

    let shown = show(&place, "run", "2");
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    let heads = heads(&shown.stdout);
    assert_eq!(heads.len(), 4, "{}", shown.stdout);
    assert!(heads[0].starts_with("REQUEST TO MODEL: turn 2, 20"), "{heads:?}");
    assert!(heads[1].contains(" 503, ") && heads[3].contains(" 200, "), "{heads:?}");
    assert!(
        !shown.stdout.chars().any(franz_record::output::acts),
        "{:?}",
        shown.stdout
    );
    assert!(
        shown
            .stdout
            .contains("loading \u{fffd}]0;owned\u{fffd} \u{fffd}31m \u{fffd}over\n")
    );
    assert!(
        shown.stdout.contains("      \"role\": \"system\",\n"),
        "{}",
        shown.stdout
    );

    // An ID selects one of them.
    let id = heads[2].rsplit(", ").next().unwrap();
    let one = show(&place, "run", id);
    assert!(
        shown.stdout.ends_with(&one.stdout) && one.stdout.len() < shown.stdout.len(),
        "{}",
        one.stdout
    );
}

#[test]
fn an_exchange_that_cannot_be_shown_is_reported_in_one_line() {
    let (place, server) = (Workplace::new(), scripted(&[&reply("here")]));
    let said = |run: &str, exchange: &str, words: &str| {
        let finished = show(&place, run, exchange);
        assert_eq!(
            (finished.code, finished.stdout.as_str()),
            (Some(2), ""),
            "{}",
            finished.stderr
        );
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    };
    said("nowhere", "1", "there is no run nowhere");
    let finished = place.run(&server, &["--max-turns", "2", "--set", "record.exchange_log=false"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    said(
        "run",
        "1",
        "has no exchange.log: no request was sent, or record.exchange_log was none",
    );
    let resumed = place.resume(&server, &["--max-turns", "2", "--set", "record.exchange_log=true"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    said("run", "1", "no exchange of turn 1 in the log; it holds turns 3 to 4");
    said("run", "req_1", "no exchange req_1 in the log");
    said("run", "two", "give a turn number");
    fs::rename(place.file("exchange.log"), place.file("exchange.1.log")).unwrap();
    said("run", "2", "no longer in the log");
}

#[test]
fn resuming_keeps_an_old_text_log() {
    let (place, server) = (Workplace::new(), scripted(&[&reply("here")]));
    assert_eq!(place.run(&server, &["--max-turns", "1"]).code, Some(0));
    let rule = "=".repeat(80);
    let text = format!("{rule}\nREQUEST TO MODEL:\n{rule}\n{{\n  \"model\": \"m\"\n}}\n\n");
    fs::write(place.file("exchange.log"), &text).unwrap();
    let shown = show(&place, "run", "1");
    assert!(
        shown.stderr.contains("an older version wrote the exchange.log of"),
        "{}",
        shown.stderr
    );
    let resumed = place.resume(&server, &["--max-turns", "1"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let kept = GzDecoder::new(File::open(place.file("exchange.1.log.gz")).unwrap());
    assert_eq!(io::read_to_string(kept).unwrap(), text);
    assert_eq!(heads(&show(&place, "run", "2").stdout).len(), 2);
}
