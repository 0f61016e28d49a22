//! Several runs and conversations under one permanent panel. Each has its own directory, and none overwrites another's
//! files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use franz_record::digest::sha256_hex;
use serde_json::{Value, json};

use super::{Dashboard, post, turn_lines, verdicts_in};
use crate::e2e::settings::SMALL;
use crate::harness::{Running, Workplace, python, spawn, url, wait_until};

const TURNS: &str = "3";

/// A program whose output can be read while it runs.
struct Printing {
    running: Running,
    printed: PathBuf,
}

impl Printing {
    fn start(place: &Workplace, name: &str, arguments: &[&str]) -> Printing {
        let printed = place.path(name);
        let mut command = place.program(arguments);
        command.stdout(std::fs::File::create(&printed).unwrap());
        Printing {
            running: spawn(command),
            printed,
        }
    }

    /// Returns the text after this word, up to the next space.
    fn told(&self, word: &str) -> String {
        wait_until(word, || {
            let printed = std::fs::read_to_string(&self.printed).ok()?;
            let (_, behind) = printed.split_once(word)?;
            let (told, _) = behind.trim_start().split_once([' ', '\n'])?;
            Some(told.to_owned())
        })
    }
}

/// Starts a panel that serves any agent, in front of a model that always draws the same stroke.
fn panel(place: &Workplace, upstream: &str) -> Printing {
    let listening = ["--relay", "127.0.0.1:0", "--dashboard", "127.0.0.1:0", "--no-open"];
    Printing::start(
        place,
        "panel",
        &[&["panel", "--run-dir", "run", "--upstream", upstream], &listening[..]].concat(),
    )
}

/// Starts `franz run` through that relay, with its own panel.
fn run(place: &Workplace, relay: &str, directory: &str) -> Running {
    let common = ["run", "--run-dir", directory, "--upstream", relay, "--max-turns", TURNS];
    let quiet = ["--dashboard", "127.0.0.1:0", "--no-open"];
    spawn(place.program(&[&common, &SMALL[..], &quiet].concat()))
}

fn ends_well(run: Running) {
    let finished = run.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

/// Returns the directories below the panel's own.
fn directories(place: &Workplace) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.file("runs")).unwrap();
    let mut directories: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    directories.sort();
    directories
}

/// Checks that turns are numbered from 1 without a gap, and that every picture is the one named in its line. Returns
/// the number of turns.
fn is_whole(directory: &Path) -> usize {
    let lines = turn_lines(directory);
    let numbers: Vec<_> = lines.iter().map(|line| line.turn).collect();
    assert_eq!(
        numbers,
        (1..=lines.len() as u64).collect::<Vec<_>>(),
        "{}",
        directory.display()
    );
    for image in lines.iter().filter_map(|line| line.image.as_ref()) {
        let bytes = std::fs::read(directory.join(&image.file)).unwrap();
        assert_eq!(
            sha256_hex(&bytes),
            image.sha256,
            "{} in {}",
            image.file,
            directory.display()
        );
    }
    lines.len()
}

/// Acts as an agent that remembers all messages.
fn talks(relay: &str, task: &str, turns: usize) {
    let mut messages = vec![
        json!({"role": "system", "content": "You draw."}),
        json!({"role": "user", "content": task}),
    ];
    for _ in 0..turns {
        let reply = post(relay, &json!({"model": "m", "messages": messages}));
        messages.push(json!({"role": "assistant", "content": reply["choices"][0]["message"]["content"]}));
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
}

/// Acts as an agent that remembers only the last reply.
fn tells(relay: &str, turns: usize) {
    let mut story = Value::from("");
    for _ in 0..turns {
        let messages = json!([
            {"role": "system", "content": "You draw."},
            {"role": "user", "content": story},
            {"role": "user", "content": [{"type": "text", "text": "done"}]},
        ]);
        let reply = post(relay, &json!({"model": "m", "messages": messages}));
        story = reply["choices"][0]["message"]["content"].clone();
    }
}

#[test]
fn successive_and_simultaneous_runs_stay_separate() {
    let place = Workplace::new();
    let panel = panel(&place, "demo");
    let relay = panel.told("relay");
    for number in 1..=5 {
        ends_well(run(&place, &relay, &format!("one{number}")));
    }
    // The runs have the same name, because their directories do.
    let at_once = ["a/run", "b/run", "c/run"].map(|directory| run(&place, &relay, directory));
    at_once.into_iter().for_each(ends_well);
    let dashboard = Dashboard::of(&place);
    wait_until("every turn", || {
        let below = dashboard.json("/api/runs")["below"].clone();
        let turns = below.as_array()?.iter().filter_map(|run| run["turns"].as_u64());
        (turns.sum::<u64>() >= 24).then_some(())
    });
    let found = directories(&place);
    assert_eq!(found.len(), 8, "{found:?}");
    for directory in &found {
        assert_eq!(is_whole(directory), 3, "{}", directory.display());
        assert!(turn_lines(directory).iter().all(|line| line.image.is_some()));
        let kinds: Vec<_> = verdicts_in(directory)
            .iter()
            .map(|line| line["verdict"].clone())
            .collect();
        assert_eq!(kinds, ["first", "match", "match"], "{}", directory.display());
    }
    // The panel saw the same replies as each run recorded.
    let story = |directory: &Path| -> Vec<_> {
        turn_lines(directory)
            .into_iter()
            .map(|line| line.reply.unwrap().raw().to_owned())
            .collect()
    };
    for (number, directory) in (1..=5).zip(&found) {
        assert_eq!(story(directory), story(&place.path(&format!("one{number}"))));
    }
    panel.running.signal("TERM");
    panel.running.finish();
}

#[test]
fn foreign_conversations_stay_separate_and_are_replayed() {
    let server = python(&["drag(1, 2, 3, 4)", "left_click(5, 6)", "left_click(7, 8)"]);
    let place = Workplace::new();
    let panel = panel(&place, &url(&server));
    let relay = panel.told("relay");
    std::thread::scope(|scope| {
        scope.spawn(|| talks(&relay, "Draw a cat.", 4));
        scope.spawn(|| talks(&relay, "Draw a dog.", 3));
        scope.spawn(|| tells(&relay, 5));
    });
    talks(&relay, "Draw a cat.", 2);
    panel.running.signal("TERM");
    panel.running.finish();
    let mut counts = BTreeMap::new();
    for directory in directories(&place) {
        let kept: Value = serde_json::from_slice(&std::fs::read(directory.join("conversation.json")).unwrap()).unwrap();
        let title = kept["about"]["title"].as_str().unwrap().to_owned();
        counts.entry(title).or_insert_with(Vec::new).push(is_whole(&directory));
    }
    assert_eq!(counts["Draw a cat."], [4, 2]);
    assert_eq!(counts["Draw a dog."], [3]);
    assert_eq!(counts["done"], [5]);

    // The panel's directory shows all conversations, and each can also be replayed separately.
    for (named, below) in [("run", 4), ("run/runs/0001", 0)] {
        let looked = Printing::start(
            &place,
            "replay",
            &["replay", named, "--dashboard", "127.0.0.1:0", "--no-open"],
        );
        let dashboard = Dashboard::at(&looked.told("look"));
        let listed = dashboard.json("/api/runs")["below"].as_array().unwrap().clone();
        assert_eq!(listed.len(), below);
        for run in &listed {
            let name = run["name"].as_str().unwrap();
            let state = dashboard.json(&format!("/run/{name}/api/state"));
            assert_eq!(state["turns"]["count"], run["turns"]);
            let (status, exported) = dashboard.get(&format!("/run/{name}/export/turns.jsonl"));
            assert_eq!(
                (status, exported.lines().count() as u64),
                (200, run["turns"].as_u64().unwrap())
            );
        }
        assert!(dashboard.json("/api/state")["turns"]["count"].as_u64() > Some(0));
        looked.running.signal("TERM");
        looked.running.finish();
    }
}
