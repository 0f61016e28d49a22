//! Windows on Linux: FRANZ is built for it with MinGW, and its tests run under Wine on a display of their own.

mod display;
mod smoke;
mod source;
mod toolchain;
mod wine;

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::packages;
use crate::process::{run, succeeds, target};
use display::Display;
use toolchain::Toolchain;
use wine::Wine;

/// Lints, builds and tests for Windows. What takes long to make is kept in cargo's target folder.
pub(crate) fn test() -> Result<()> {
    packages::install("tests for Windows need MinGW, Wine, Xvfb and xdotool", &missing())?;
    let cache = target()?.join("windows");
    let toolchain = Toolchain::provide(&cache)?;
    let screen = ["--package", "franz-screen", "--features", "windows-tests", "--quiet"];
    run(toolchain
        .cargo("clippy")
        .args(screen)
        .args(["--all-targets", "--", "-D", "warnings"]))?;
    run(toolchain.cargo("build").args(["--package", "franz", "--quiet"]))?;
    let display = Display::start(&cache)?;
    let wine = Wine::start(&cache, &display)?;
    let test = || {
        let mut tests = toolchain.cargo("test");
        // Examples in the documentation are the same everywhere.
        run(wine.runs(&mut tests).args(screen).args(["--lib", "--tests"]))
    };
    test().or_else(|error| {
        eprintln!("{error}\nWine loses a movement or a release now and then, in one run of twenty: once more");
        test()
    })?;
    smoke::test(&wine, &cache)
}

/// What Debian calls what is not there yet.
fn missing() -> Vec<&'static str> {
    let runs = |program, argument| succeeds(Command::new(program).arg(argument));
    let needed = [
        (
            runs(toolchain::LINKER, "--version"),
            &["gcc-mingw-w64-x86-64-posix"][..],
        ),
        (wine::program().is_some(), &WINE),
        (runs("Xvfb", "-help"), &["xvfb"]),
        (Path::new(PERSON).is_file(), &["xdotool"]),
    ];
    let missing = needed.into_iter().filter(|(there, _)| !there);
    missing.flat_map(|(_, packages)| packages).copied().collect()
}

/// Plays the person; the tests call it from within Wine, by this path.
const PERSON: &str = "/usr/bin/xdotool";

/// Wine, with what it looks for only when it runs.
const WINE: [&str; 10] = [
    "wine",
    "wine64",
    "fonts-wine",
    "libxcomposite1",
    "libxcursor1",
    "libxfixes3",
    "libxi6",
    "libxinerama1",
    "libxrandr2",
    "libxrender1",
];
