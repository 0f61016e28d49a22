//! What `franz suite plan` says about a plan.

use std::fs;

use super::bench::{Bench, DRAWN};
use crate::harness::Finished;

/// Plans a suite of so many tasks, of which one sets its temperature, by two models.
fn planned(tasks: usize, models: &str, repeat: &str) -> Finished {
    let names: Vec<String> = (1..=tasks).map(|number| format!("task-{number}")).collect();
    let checks: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), DRAWN)).collect();
    let bench = Bench::with(&checks, &[("task-1", "set = { \"model.temperature\" = 0 }")]);
    fs::write(bench.place.path("models.toml"), models).unwrap();
    let planned = bench.franz(&[
        "plan",
        "suite",
        "--models-from",
        "models.toml",
        "--repeat",
        repeat,
        "-o",
        "results",
    ]);
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    planned
}

/// Two models at servers that are never asked, one of them with its own temperature.
const MODELS: &str = "[[model]]\nname = \"fixed\"\nupstream = \"http://127.0.0.1:1\"\nset = { \"model.temperature\" = 0.0 }\n\
                      [[model]]\nname = \"free\"\nupstream = \"http://127.0.0.1:1\"\n";

#[test]
fn a_plan_says_what_it_may_take_and_what_it_can_show() {
    let told = planned(24, MODELS, "5");
    for line in [
        "240 attempts: 24 tasks, 2 models, 1 profile, 5 repeats\n",
        // 240 attempts of at most two turns.
        "at most 480 requests, each with a picture; if all attempts are kept, 12 MB on disk with nearly empty screens, and \
         960 MB with pictures on them\n",
        "the smallest difference between two models that the plan can show: 22 points\n",
        "This assumes that an attempt solves its task with a probability of 50 %",
        "next: franz suite run results\n",
    ] {
        assert!(told.stdout.contains(line), "{line}: {}", told.stdout);
    }
    for (warned, line) in [
        (true, "fixed has temperature 0: its repeats might be identical"),
        (
            true,
            "the task task-1 has temperature 0: its repeats might be identical",
        ),
        (false, "free has"),
        (false, "task-2"),
    ] {
        assert_eq!(told.stderr.contains(line), warned, "{line}: {}", told.stderr);
    }
}

#[test]
fn a_plan_that_shows_nothing_says_so_and_a_single_repeat_needs_no_warning() {
    let told = planned(2, MODELS, "1");
    assert!(
        told.stderr
            .contains("too small to show any difference between two models"),
        "{}",
        told.stderr
    );
    assert!(!told.stdout.contains("the smallest difference"), "{}", told.stdout);
    assert!(!told.stderr.contains("temperature"), "{}", told.stderr);
    let alone = planned(
        2,
        "[[model]]\nname = \"warm\"\nupstream = \"http://127.0.0.1:1\"\nset = { \"model.temperature\" = 0.7 }\n",
        "2",
    );
    assert_eq!(alone.stderr, "", "a model's own temperature wins");
    assert!(!alone.stdout.contains("difference"), "{}", alone.stdout);
}
