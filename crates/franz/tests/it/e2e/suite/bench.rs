//! A workplace with a suite, and what tests do with it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use franz_demo::DemoHandle;
use franz_suite::{AttemptResult, ResultAddress, ResultStore};

use crate::harness::{Finished, Running, Workplace, python, spawn, url};

/// A workplace with a suite in `suite`.
pub(super) struct Bench {
    pub(super) place: Workplace,
}

impl Bench {
    /// Creates a suite of canvas tasks with these checks, and trusts it.
    pub(super) fn new(checks: &[(&str, &str)]) -> Bench {
        Bench::with(checks, &[])
    }

    /// Creates a suite in which some tasks have a further line.
    pub(super) fn with(checks: &[(&str, &str)], lines: &[(&str, &str)]) -> Bench {
        let bench = Bench {
            place: Workplace::new(),
        };
        let mut toml = String::new();
        for (name, check) in checks {
            let more = lines.iter().find(|(task, _)| task == name).map_or("", |(_, line)| line);
            writeln!(
            toml,
                "[[task]]\nname = {name:?}\ngoal = \"Draw a line\"\nscreen = \"canvas\"\ncheck = \"{name}/check.sh\"\nmax_turns = 2\n{more}")
        .unwrap();
            let file = bench.place.path(&format!("suite/{name}/check.sh"));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, check).unwrap();
        }
        fs::write(bench.place.path("suite/suite.toml"), toml).unwrap();
        bench.trust();
        bench
    }

    pub(super) fn trust(&self) {
        self.allow("suite");
    }

    /// Allows what a path leads to. Returns what was shown.
    pub(super) fn allow(&self, path: &str) -> String {
        let mut command = self.place.program(&["trust", path]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"y\n").unwrap();
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success());
        String::from_utf8(ended.stdout).unwrap()
    }

    pub(super) fn franz(&self, arguments: &[&str]) -> Finished {
        self.start(arguments).finish()
    }

    pub(super) fn start(&self, arguments: &[&str]) -> Running {
        spawn(self.place.program(&[&["suite"], arguments].concat()))
    }

    /// Plans attempts by one model, in `results`.
    pub(super) fn plan(&self, server: &DemoHandle, more: &[&str]) -> Finished {
        self.plan_at(&url(server), more)
    }

    /// Does the same for the model server at this address.
    pub(super) fn plan_at(&self, url: &str, more: &[&str]) -> Finished {
        let model = format!("demo={url}");
        let planned = self.franz(
            &[
                &[
                    "plan",
                    "suite",
                    "--upstream",
                    &model,
                    "--profiles",
                    "draw",
                    "-o",
                    "results",
                ],
                more,
            ]
            .concat(),
        );
        assert_eq!(planned.code, Some(0), "{}", planned.stderr);
        planned
    }

    /// Returns the digest of the plan.
    pub(super) fn digest(&self) -> String {
        let (store, _) = ResultStore::open(&ResultAddress::of(&self.place.path("results"))).unwrap();
        store.plan_digest().to_string()
    }

    /// Returns the results by task.
    pub(super) fn results(&self) -> BTreeMap<String, AttemptResult> {
        let all = self.all_results().into_iter();
        all.map(|result| (result.attempt.task.to_string(), result)).collect()
    }

    pub(super) fn all_results(&self) -> Vec<AttemptResult> {
        let (store, _) = ResultStore::open(&ResultAddress::of(&self.place.path("results"))).unwrap();
        store.results().unwrap()
    }
}

/// Returns the folder of the try that a result comes from, below the results.
pub(super) fn try_folder(result: &AttemptResult) -> String {
    format!("attempt_{:04}/try_{}", result.attempt.attempt, result.r#try)
}

/// A model that draws a line, and then another one.
pub(super) fn drawer() -> DemoHandle {
    python(&["drag(100, 100, 900, 900)", "drag(100, 900, 900, 100)"])
}

/// Accepts a canvas on which something was drawn.
pub(super) const DRAWN: &str = "grep -q drag \"$SUITE_RUN\"/canvas.jsonl && exit 0; exit 1\n";
