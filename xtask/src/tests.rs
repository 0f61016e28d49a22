//! The test suite and the lints.

use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::arrows;
use crate::book;
use crate::browser;
use crate::deny;
use crate::desktop;
use crate::inspect_log;
use crate::kubernetes_schemas;
use crate::mcp_clients;
use crate::model_server;
use crate::modules;
use crate::names;
use crate::node;
use crate::packages;
use crate::panel_clients;
use crate::process::{cargo, children_time, run, succeeds};
use crate::python;
use crate::starters;
use crate::windows;
use crate::workflows;

/// The options for building the tests. Every stage that needs a build uses exactly these, so that nothing is built
/// twice.
const ALL: [&str; 5] = [
    "--workspace",
    "--features",
    desktop::FEATURES,
    "--features",
    model_server::FEATURE,
];

/// Runs everything, and prints how long each stage took and how much processor time. The test runner's own summary comes
/// last.
pub(crate) fn test() -> Result<()> {
    let missing = [
        node::missing(),
        python::missing(),
        desktop::missing(),
        windows::missing(),
    ]
    .concat();
    packages::install("the test suite needs more programs", &missing)?;
    let mut stages = Stages::default();
    stages.run("lint", lint)?;
    stages.run("workflows", workflows::lint)?;
    stages.run("model server", model_server::provide)?;
    stages.run("build", || {
        desktop::provide()?;
        run(cargo(&["test", "--no-run", "--quiet"]).args(ALL))
    })?;
    stages.run("examples in the documentation", || {
        run(cargo(&["test", "--doc", "--quiet"]).args(ALL))
    })?;
    stages.run("book", book::make_where_possible)?;
    stages.run("MCP clients", || mcp_clients::call(&browser::program()?))?;
    stages.run("clients of a panel", || panel_clients::ask(&browser::program()?))?;
    stages.run("logs for Inspect", || inspect_log::read(&browser::program()?))?;
    stages.run("schemas of Kubernetes", || {
        kubernetes_schemas::validate(&browser::program()?)
    })?;
    stages.run("browser and windows", browser_and_windows)?;
    stages.print();
    if succeeds(&mut cargo(&["nextest", "--version"])) {
        let mut tests = cargo(&["nextest", "run", "--no-fail-fast"]);
        // Many tests wait for other programs and use almost no processor time.
        let at_once = 3 * std::thread::available_parallelism()?.get();
        return run(tests.args(ALL).args(["--test-threads", &at_once.to_string()]));
    }
    eprintln!("cargo-nextest is not installed (cargo install cargo-nextest --locked): using cargo test");
    run(cargo(&["test", "--no-fail-fast"]).args(ALL))
}

/// Runs the browser tests and, at the same time, everything for Windows: the browser mostly waits, and the builds for
/// Windows fill these gaps.
fn browser_and_windows() -> Result<()> {
    let mut browser = browser::suite(&browser::program()?)?;
    let (browser, windows) = thread::scope(|scope| {
        let windows = scope.spawn(windows::test);
        let browser = run(&mut browser);
        (browser, windows.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    browser.and(windows)
}

/// The stages of the suite.
#[derive(Default)]
struct Stages(Vec<Stage>);

struct Stage {
    name: &'static str,
    took: Duration,
    /// Processor time of the programs that the stage ran.
    processor: Duration,
}

impl Stages {
    fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Result<()>) -> Result<()> {
        let (began, before) = (Instant::now(), children_time()?);
        stage()?;
        self.0.push(Stage {
            name,
            took: began.elapsed(),
            processor: children_time()?.saturating_sub(before),
        });
        Ok(())
    }

    fn print(&self) {
        eprintln!("  time  processor");
        for Stage { name, took, processor } in &self.0 {
            eprintln!("{} {:>10}  {name}", minutes(*took), minutes(*processor));
        }
    }
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{:>3}:{:02}", seconds / 60, seconds % 60)
}

/// Runs the quick checks for use while you work: those that are fast once everything is built and that fail most often.
pub(crate) fn check() -> Result<()> {
    lint_code()?;
    run(&mut cargo(&[
        "test",
        "--package",
        "franz-agent",
        "--test",
        "it",
        "--quiet",
        "docs::",
    ]))?;
    run(&mut cargo(&["test", "--package", "xtask", "--quiet", "documents"]))
}

/// Checks formatting, dependencies between crates, the origin of third-party crates, clippy and documentation. Any
/// warning is an error.
pub(crate) fn lint() -> Result<()> {
    lint_code()?;
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"]);
    run(documentation.env("RUSTDOCFLAGS", "-D warnings"))
}

fn lint_code() -> Result<()> {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    arrows::check()?;
    starters::check()?;
    names::check()?;
    modules::check()?;
    deny::check_origins()?;
    run(cargo(&["clippy", "--all-targets", "--quiet"])
        .args(ALL)
        .args(["--", "-D", "warnings"]))
}
