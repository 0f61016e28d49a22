//! Tests of recorded runs, including very long ones, damaged ones and ones that somebody has changed.

use std::fs;
use std::num::NonZeroU64;
use std::path::Path;

use franz_panel::VerdictKind;
use franz_panel::history::{Extent, History, Tally};
use franz_record::RunOptions;

use crate::web::site::{Recorder, append};

fn run(files: &[(&str, &str)]) -> (tempfile::TempDir, History) {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(directory.path().join(name), content).unwrap();
    }
    let history = History::open(directory.path()).unwrap();
    (directory, history)
}

fn turns(history: &History) -> Vec<u64> {
    history
        .page(None, 100_000)
        .unwrap()
        .iter()
        .map(|summary| summary.turn)
        .collect()
}

fn tally_of(history: &History) -> Tally {
    history.overview().verdicts_or(&Tally::default())
}

#[test]
fn ten_thousand_turns_are_found_by_number() {
    let options = RunOptions {
        batch: NonZeroU64::new(1000).unwrap(),
        ..RunOptions::default()
    };
    let mut recorder = Recorder::with(options);
    for turn in 1..=10_000 {
        recorder.turn(turn, &format!("\"reply {turn}\""));
    }
    let history = History::open(&recorder.directory()).unwrap();
    let extent = Extent {
        first: 1,
        last: 10_000,
        count: 10_000,
    };
    assert_eq!(history.extent(), extent);
    assert_eq!(history.bad_lines(), 0);
    for turn in [1, 2, 999, 1000, 1001, 5555, 9999, 10_000] {
        let detail = history.turn(turn).unwrap().unwrap();
        assert!(detail.line.get().contains(&format!("\"reply\":\"reply {turn}\"")));
        assert_eq!(detail.previous, (turn > 1).then(|| turn - 1));
        assert_eq!(detail.next, (turn < 10_000).then(|| turn + 1));
    }
    assert_eq!(
        history
            .page(Some(5001), 3)
            .unwrap()
            .iter()
            .map(|turn| turn.turn)
            .collect::<Vec<_>>(),
        [5000, 4999, 4998]
    );
}

#[test]
fn a_cut_last_line_is_ignored_until_complete() {
    let (directory, history) = run(&[("turns_0001_1000.jsonl", "{\"turn\":1}\n{\"turn\":2,\"feed")]);
    let path = directory.path().join("turns_0001_1000.jsonl");
    assert_eq!(turns(&history), [1]);
    append(&path, b"back\":\"x\"}\n{");
    assert_eq!(turns(&history), [2, 1]);
    assert_eq!(history.bad_lines(), 0);
    // When it opens the run again, the agent moves the cut line aside and continues.
    fs::write(&path, "{\"turn\":1}\n{\"turn\":2,\"feedback\":\"x\"}\n").unwrap();
    assert_eq!(turns(&history), [2, 1]);
    append(&path, b"{\"turn\":3}\n");
    assert_eq!(turns(&history), [3, 2, 1]);
}

#[test]
fn bad_lines_are_passed_over_and_counted() {
    let bad = [
        "",
        "{",
        "null",
        "[]",
        "{\"turn\":-1}",
        "{\"turn\":\"1\"}",
        "{\"turn\":1.5}",
        "\u{0}",
        "{\"turn\":9}{",
    ];
    let content = bad.join("\n") + "\n";
    let content = format!("{{\"turn\":1}}\n{content}{{\"turn\":2}}\n");
    let (directory, history) = run(&[
        ("turns_0001_1000.jsonl", &content),
        ("verdicts.jsonl", "x\n{\"verdict\":\"odd\"}\n"),
    ]);
    assert_eq!(turns(&history), [2, 1]);
    assert_eq!(history.bad_lines(), bad.len() as u64 + 2);
    append(
        &directory.path().join("turns_0001_1000.jsonl"),
        b"{\"turn\":3,\"story\":\"\xff\"}\n{\"turn\":4}\n",
    );
    assert_eq!(turns(&history), [4, 2, 1]);
}

#[test]
fn the_later_of_two_lines_for_a_turn_wins() {
    let image = |digit: &str| {
        format!(
            "\"image\":{{\"file\":\"turn_0001.png\",\"sha256\":\"{}\"}}",
            digit.repeat(64)
        )
    };
    let lines = format!(
        "{{\"turn\":1,\"reply\":\"old\",{}}}\n{{\"turn\":2}}\n{{\"turn\":1,\"reply\":\"new\",{}}}\n",
        image("a"),
        image("b")
    );
    let (directory, history) = run(&[("turns_0001_1000.jsonl", &lines)]);
    fs::write(directory.path().join("turn_0001.png"), "new").unwrap();
    assert_eq!(turns(&history), [2, 1]);
    let detail = history.turn(1).unwrap().unwrap();
    assert!(detail.line.get().contains("\"new\""));
    assert_eq!(history.picture(&"a".repeat(64)), None);
    assert_eq!(history.picture(&"b".repeat(64)).as_deref(), Some(&b"new"[..]));
}

#[test]
fn a_story_is_found_before_a_failed_turn() {
    let hash = franz_record::digest::sha256_hex(b"\"told\"");
    let lines = format!(
        "{{\"turn\":1,\"reply\":\"told\"}}\n{{\"turn\":2,\"status\":\"failed\"}}\n{{\"turn\":3,\"story\":{{\"sha256\":\"{hash}\"}}}}\n"
    );
    let (_directory, history) = run(&[("turns_0001_1000.jsonl", &lines)]);
    assert_eq!(history.turn(3).unwrap().unwrap().story.unwrap().raw(), "\"told\"");
}

#[test]
fn turns_may_come_in_any_order_and_have_any_number() {
    let lines = format!(
        "{{\"turn\":5}}\n{{\"turn\":{}}}\n{{\"turn\":0}}\n{{\"turn\":3}}\n",
        u64::MAX
    );
    let (_directory, history) = run(&[("turns_0001_1000.jsonl", &lines)]);
    assert_eq!(turns(&history), [u64::MAX, 5, 3, 0]);
    let detail = history.turn(u64::MAX).unwrap().unwrap();
    assert_eq!((detail.previous, detail.next), (Some(5), None));
}

#[test]
fn verdicts_are_attached_to_their_turns() {
    let verdicts = "{\"turn\":1,\"verdict\":\"first\"}\n{\"turn\":2,\"verdict\":\"violation\"}\n{\"turn\":2,\"verdict\":\"match\"}\n\
                    {\"turn\":null,\"verdict\":\"unverifiable\"}\n{\"turn\":9,\"verdict\":\"match\"}\n";
    let (directory, history) = run(&[
        ("turns_0001_1000.jsonl", "{\"turn\":1}\n{\"turn\":2}\n{\"turn\":3}\n"),
        ("verdicts.jsonl", verdicts),
    ]);
    let page = history.page(None, 9).unwrap();
    let kinds: Vec<_> = page.iter().map(|turn| turn.verdict).collect();
    assert_eq!(kinds, [None, Some(VerdictKind::Match), Some(VerdictKind::First)]);
    assert_eq!(history.turn(2).unwrap().unwrap().verdicts.len(), 2);
    let tally = tally_of(&history);
    assert_eq!((tally.counts.0, tally.violations), ([1, 2, 0, 1, 1, 0], vec![2]));
    append(
        &directory.path().join("verdicts.jsonl"),
        b"{\"turn\":3,\"verdict\":\"violation\"}\n",
    );
    assert_eq!(history.page(None, 1).unwrap()[0].verdict, Some(VerdictKind::Violation));
    assert_eq!(tally_of(&history).violations, [2, 3]);
}

#[test]
fn a_turn_judged_very_often_keeps_the_newest() {
    let line = |status| format!("{{\"turn\":1,\"verdict\":\"retry\",\"status\":{status}}}\n");
    let lines = (0..1000).map(line).collect::<Vec<_>>().concat();
    let (_directory, history) = run(&[("turns_0001_1000.jsonl", "{\"turn\":1}\n"), ("verdicts.jsonl", &lines)]);
    let verdicts = history.turn(1).unwrap().unwrap().verdicts;
    assert!(verdicts.len() <= 101);
    assert!(verdicts.last().unwrap().get().contains("999"));
    assert_eq!(tally_of(&history).counts.0[VerdictKind::Retry.place()], 1000);
}

#[test]
fn a_malformed_line_affects_only_its_own_turn() {
    let lines = "{\"turn\":1}\n{\"turn\":2,\"attempts\":\"many\"}\n{\"turn\":3}\n";
    let (_directory, history) = run(&[("turns_0001_1000.jsonl", lines)]);
    assert_eq!(turns(&history), [3, 1]);
    let error = history.turn(2).unwrap_err().to_string();
    assert!(error.contains("turn 2 cannot be read"), "{error}");
    assert_eq!(history.turn(3).unwrap().unwrap().previous, Some(2));
}

#[test]
fn changed_files_are_reported() {
    let (directory, history) = run(&[("turns_0001_1000.jsonl", "{\"turn\":1}\n{\"turn\":2}\n")]);
    fs::write(
        directory.path().join("turns_0001_1000.jsonl"),
        "something else altogether",
    )
    .unwrap();
    let error = history.turn(1).unwrap_err().to_string();
    assert!(error.contains("turn 1 cannot be read ("), "{error}");
    fs::remove_file(directory.path().join("turns_0001_1000.jsonl")).unwrap();
    assert!(history.turn(2).unwrap_err().to_string().contains("cannot read"));
}

#[test]
fn a_run_has_its_name_however_its_path_is_written() {
    let recorder = Recorder::new();
    let within = recorder.directory().join("within");
    fs::create_dir(&within).unwrap();
    let history = History::open(&within.join("..")).unwrap();
    assert_eq!(history.name(), "run_1");
    assert_eq!(history.trace(0, 1).unwrap().run.name, "run_1");
    assert!(history.runs().iter().any(|run| run.name == "run_1" && run.current));
}

#[test]
fn a_directory_without_a_run_is_an_error_or_empty() {
    History::open(Path::new("/nowhere/at/all")).unwrap_err();
    let (_directory, history) = run(&[("turns_odd.jsonl", "{\"turn\":1}\n"), ("notes.txt", "x")]);
    assert_eq!(history.extent(), Extent::default());
}
