//! A program on the same machine knows the run's name and its relay, and tries to spoil its verdicts.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::json;

use super::{Dashboard, resume, start, verdicts};
use crate::harness::{Running, Workplace, python, wait_until};

#[test]
fn a_forged_request_spoils_no_verdict_and_the_key_stays_hidden() {
    let replies: Vec<String> = (0..200).map(|n| format!("left_click({n}, {n})")).collect();
    let server = python(&replies.iter().map(String::as_str).collect::<Vec<_>>());
    let place = Workplace::new();
    let mut printed = String::new();
    for (first, begin) in [(1_u64, start as fn(&_, &_, &_) -> Running), (5, resume)] {
        let running = begin(&place, &server, &["--step"]);
        let dashboard = Dashboard::of(&place);
        let relay = relay_of(&running, &dashboard);
        for turn in first..first + 4 {
            dashboard.wait_for_agent("paused");
            for claimed in [turn, turn.saturating_sub(1), turn + 1] {
                forge(relay, claimed, "a story that nobody told");
            }
            dashboard.command("step");
            place.wait_for_turn(turn);
        }
        dashboard.wait_for_agent("paused");
        let pages = [
            "/api/state",
            "/api/turns",
            "/api/turns/2",
            "/metrics",
            "/export/history.html",
            "/export/turns.jsonl",
        ];
        printed.extend(pages.map(|page| dashboard.get(page).1));
        dashboard.command("stop");
        let finished = running.finish();
        assert_eq!(finished.code, Some(130), "{}", finished.stderr);
        printed.push_str(&finished.stdout);
        printed.push_str(&finished.stderr);
    }
    let verdicts = verdicts(&place);
    let (ours, others): (Vec<_>, Vec<_>) = verdicts.iter().partition(|line| line["agent"] == "run");
    let kinds: Vec<_> = ours.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["first", "match", "match", "match", "match", "match", "match", "match"],
        "{ours:?}"
    );
    assert_eq!(others.len(), 24);
    assert!(others.iter().all(|line| line["turn"].is_null()), "{others:?}");

    let keys: std::collections::BTreeSet<String> = server
        .requests()
        .iter()
        .filter_map(|request| Some(request.headers.get("x-franz-key")?.to_str().unwrap().to_owned()))
        .collect();
    assert_eq!(keys.len(), 2, "each panel has its own");
    printed.push_str(&files(&place.file("")));
    for key in keys {
        assert!(key.len() == 32 && !printed.contains(&key), "{printed}");
    }
}

/// Sends a request as if it were the run.
fn forge(relay: u16, turn: u64, story: &str) {
    let body = json!({ "model": "m", "messages": [
        { "role": "system", "content": "s" },
        { "role": "user", "content": story },
        { "role": "user", "content": "f" },
    ]})
    .to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{relay}\r\nX-Franz-Run: run\r\nX-Franz-Turn: {turn}\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", relay)).unwrap();
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Returns the port on which a panel listens in addition to its dashboard's.
fn relay_of(running: &Running, dashboard: &Dashboard) -> u16 {
    let sockets = || -> Option<Vec<String>> {
        let open = std::fs::read_dir(format!("/proc/{}/fd", running.id())).ok()?;
        let names = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        Some(
            names
                .filter_map(|name| Some(name.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
                .collect(),
        )
    };
    wait_until("the relay", || {
        let (table, sockets) = (std::fs::read_to_string("/proc/net/tcp").ok()?, sockets()?);
        let ports = table.lines().skip(1).filter_map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            // State 0A means listening. The inode is in the tenth column.
            let ours = columns.get(3) == Some(&"0A") && sockets.iter().any(|socket| socket == columns[9]);
            let port = ours.then(|| columns[1].rsplit(':').next())??;
            u16::from_str_radix(port, 16).ok()
        });
        ports.into_iter().find(|port| *port != dashboard.port())
    })
}

/// Returns the contents of every file below `directory`, as text.
fn files(directory: &Path) -> String {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| {
        if path.is_dir() {
            files(&path)
        } else {
            String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
        }
    });
    texts.collect()
}
