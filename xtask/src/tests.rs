//! The test suite and the lints.

use anyhow::Result;

use crate::arrows;
use crate::browser;
use crate::process::{cargo, run, succeeds};

/// Lints, tests in a browser, documentation tests, then all tests; the test runner's own summary comes last.
pub(crate) fn test() -> Result<()> {
    lint()?;
    browser::test(&[])?;
    run(&mut cargo(&["test", "--workspace", "--doc", "--quiet"]))?;
    if succeeds(&mut cargo(&["nextest", "--version"])) {
        return run(&mut cargo(&["nextest", "run", "--workspace", "--no-fail-fast"]));
    }
    eprintln!("cargo-nextest is not installed (cargo install cargo-nextest --locked): using cargo test");
    run(&mut cargo(&["test", "--workspace", "--no-fail-fast"]))
}

/// Formatting, arrows, clippy and documentation, without a warning.
pub(crate) fn lint() -> Result<()> {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    arrows::check()?;
    run(&mut cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ]))?;
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"]);
    run(documentation.env("RUSTDOCFLAGS", "-D warnings"))
}
