//! What `franz suite plan` says about a plan.

use std::fs;

use super::bench::{Bench, DRAWN};
use crate::harness::{Finished, spawn};

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
        "at most 480 requests, each with a picture; if all attempts are kept, 13 MB on disk with nearly empty screens, and \
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

#[test]
fn what_no_attempt_could_use_is_refused_before_anything_is_written() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let suite = "suite/suite.toml";
    let whole = fs::read_to_string(bench.place.path(suite)).unwrap();
    let model = ["--upstream", "m=http://127.0.0.1:1"];
    for (more, line, told) in [
        ("check_live = \"drawn\"", 8, "drawn is not a file"),
        (
            "set = { \"model.temperatur\" = 1 }",
            2,
            "did you mean 'model.temperature'?",
        ),
        (
            "[[model]]\nname = \"z\"\nupstream = \"demo\"\nfamily = \"no\"",
            9,
            "\"no\" is not a family",
        ),
        (
            "[[model]]\nname = \"z\"\nupstream = \"nonsense\"",
            9,
            "is not the address of a server",
        ),
    ] {
        let text = if more.contains("check_live") {
            whole.replace("canvas", "virtual")
        } else {
            whole.clone()
        };
        fs::write(bench.place.path(suite), format!("{text}{more}\n")).unwrap();
        let plan = [&["suite", "plan", "suite", "-o", "r"][..], &model].concat();
        for command in [&plan[..], &["suite", "test", "suite"], &["trust", "suite"]] {
            let refused = spawn(bench.place.program(command)).finish();
            assert_eq!(refused.code, Some(2), "{more}: {command:?}: {}", refused.stderr);
            let place = format!("suite.toml, line {line}: ");
            assert!(
                refused.stderr.contains(&place) && refused.stderr.contains(told),
                "{more}: {command:?}: {}",
                refused.stderr
            );
        }
    }
    fs::write(bench.place.path(suite), whole).unwrap();
    let address = "m=http://user:hidden-word@127.0.0.1:1";
    for (arguments, told) in [
        (
            ["--upstream", "m=nonsense", "-o", "r"],
            "is not the address of a server",
        ),
        (["--upstream", address, "-o", "r"], "that key_env names"),
        (["--upstream", &address[2..], "-o", "r"], "write NAME=URL"),
        (
            ["--upstream", model[1], "-o", "suite/results"],
            "is in the suite's folder",
        ),
        (["--upstream", model[1], "-o", "suite"], "is in the suite's folder"),
        (["--upstream", model[1], "-o", "."], "would copy the suite onto itself"),
    ] {
        let refused = bench.franz(&[&["plan", "suite"][..], &arguments].concat());
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(told), "{arguments:?}: {}", refused.stderr);
        assert!(!refused.stderr.contains("hidden-word"), "{}", refused.stderr);
    }
    for twice in [["--profiles", "draw,draw"], ["--models", "m,m"]] {
        let refused = bench.franz(&[&["plan", "suite", "-o", "r"][..], &model, &twice].concat());
        assert_eq!(refused.code, Some(2), "{twice:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains("is given twice"),
            "{twice:?}: {}",
            refused.stderr
        );
    }
    assert!(!bench.place.path("r").exists() && !bench.place.path("suite/results").exists());
    assert!(bench.place.path("suite/drawn/check.sh").metadata().unwrap().len() > 0);
}

#[test]
fn settings_that_contradict_each_other_are_told_with_task_and_model() {
    let bench = Bench::with(
        &[("drawn", DRAWN)],
        &[("drawn", "set = { \"memory.kind\" = \"story\" }")],
    );
    let plan = ["plan", "suite", "--upstream", "m=http://127.0.0.1:1", "-o", "r"];
    let refused = bench.franz(&plan);
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
    let told = "the settings of the task drawn and the model m do not work with the profile operator: ";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
}

#[test]
fn a_plan_tells_the_repeats_that_are_left_and_a_command_that_a_shell_reads() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let planned = bench.franz(&[
        "plan",
        "suite",
        "--upstream",
        "m=http://127.0.0.1:1",
        "--limit",
        "1",
        "-o",
        "a b",
    ]);
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    for line in [
        "1 attempt: 1 task, 1 model, 1 profile, 1 repeat\n",
        "next: franz suite run 'a b'\n",
    ] {
        assert!(planned.stdout.contains(line), "{line}: {}", planned.stdout);
    }
    let report = bench.franz(&["report", "a b", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(json["facts"]["repeats"], 1, "{json}");
}
