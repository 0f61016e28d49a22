//! Windows on Linux: builds FRANZ with MinGW, and runs its tests under Wine on a separate display.

mod display;
mod smoke;
mod wine;

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::packages;
use crate::process::{cargo, output, run, succeeds, target};
use crate::toolchain::{Library, Toolchain, WINDOWS};
use display::Display;
use wine::Wine;

/// The crates that take the longest to compile. They are not optimised, because the tests here need only a few turns.
const LARGE: [&str; 4] = ["franz-demo", "franz-dialect", "franz-frame", "franz-python"];

/// The arguments that select the screen's tests for Windows.
const SCREEN: [&str; 5] = ["--package", "franz-screen", "--features", "windows-tests", "--quiet"];

/// The arguments that select the tests of what is different in a run's directory on Windows.
const HOME: [&str; 7] = [
    "--package",
    "franz-home",
    "--lib",
    "--quiet",
    "--",
    "handle::platform::",
    "shell::",
];

/// Lints, builds and tests for Windows, either natively or under Wine. Files that take a long time to create are kept
/// in cargo's target directory.
pub(crate) fn test() -> Result<()> {
    if cfg!(windows) {
        return test_natively();
    }
    packages::install("tests for Windows need MinGW, Wine, Xvfb and xdotool", &missing())?;
    let cache = target()?.join("windows");
    // Wine creates its disk during the builds, because that is mostly waiting.
    let (built, started) = thread::scope(|scope| {
        let started = scope.spawn(|| Windows::start(&cache));
        let built = build(&cache);
        (built, started.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let (toolchain, Windows { wine, _display }) = (built?, started?);
    let test = || {
        let mut tests = cargo_unoptimised(&toolchain, "test");
        // Documentation examples are the same on every system, so they are left out.
        run(wine.runs(&mut tests).args(SCREEN).args(["--lib", "--tests"]))?;
        run(wine.runs(&mut cargo_unoptimised(&toolchain, "test")).args(HOME))
    };
    let again = |error| {
        eprintln!("{error}\ntrying again: Wine loses a movement or a release about once in twenty runs");
        test()
    };
    test().or_else(again).or_else(again)?;
    let franz = wine.starter(target()?.join(WINDOWS.triple).join("debug/franz.exe"));
    smoke::test(&franz, &cache)
}

/// Windows on its own display, which ends after Windows.
struct Windows {
    wine: Wine,
    _display: Display,
}

impl Windows {
    fn start(cache: &Path) -> Result<Windows> {
        let display = Display::start(cache)?;
        let wine = Wine::start(cache, &display)?;
        Ok(Windows {
            wine,
            _display: display,
        })
    }
}

/// Lints and builds everything, and returns the toolchain.
fn build(cache: &Path) -> Result<Toolchain> {
    let toolchain = Toolchain::provide(&WINDOWS, Library::Unoptimised, cache)?;
    let cargo = |subcommand| cargo_unoptimised(&toolchain, subcommand);
    run(cargo("clippy")
        .args(SCREEN)
        .args(["--all-targets", "--", "-D", "warnings"]))?;
    run(cargo("build").args(["--package", "franz-agent", "--quiet"]))?;
    run(cargo("test").args(SCREEN).arg("--no-run"))?;
    run(cargo("test").arg("--no-run").args(HOME))?;
    Ok(toolchain)
}

/// Returns a cargo command that does not optimise the large crates.
fn cargo_unoptimised(toolchain: &Toolchain, subcommand: &str) -> Command {
    let unoptimised = LARGE.map(|name| format!("--config=profile.dev.package.{name}.opt-level=0"));
    let mut cargo = toolchain.cargo(subcommand);
    cargo.args(unoptimised);
    cargo
}

/// Runs the tests on Windows. They are the same as under Wine, except for those in which a person moves the mouse,
/// because only under Wine does xdotool play the person.
fn test_natively() -> Result<()> {
    run(cargo(&["clippy"])
        .args(SCREEN)
        .args(["--all-targets", "--", "-D", "warnings"]))?;
    run(cargo(&["test"]).args(SCREEN).arg("--lib"))?;
    run(cargo(&["test"]).args(HOME))?;
    run(&mut cargo(&["build", "--package", "franz-agent", "--quiet"]))?;
    let program = target()?.join("debug/franz.exe");
    smoke::test(&|| Command::new(&program), &target()?.join("windows"))
}

/// Builds the program as users get it.
pub(crate) fn release() -> Result<PathBuf> {
    packages::install("building for Windows needs MinGW", &WINDOWS.missing())?;
    let toolchain = Toolchain::provide(&WINDOWS, Library::Optimised, &target()?.join("windows"))?;
    run(toolchain
        .cargo("build")
        .args(["--package", "franz-agent", "--release", "--locked"]))?;
    Ok(target()?.join(WINDOWS.triple).join("release/franz.exe"))
}

/// Runs a program under Wine.
pub(crate) fn try_program(program: &Path) -> Result<()> {
    packages::install("testing the program for Windows needs Wine", &missing())?;
    let cache = target()?.join("windows");
    let Windows { wine, _display } = Windows::start(&cache)?;
    let version = output(wine.command().arg(program).arg("--version"))?;
    eprintln!(
        "under Wine, the program says: {}",
        String::from_utf8_lossy(&version).trim()
    );
    smoke::test(&wine.starter(program.to_owned()), &cache)
}

/// Returns the Debian packages that are not installed yet.
pub(crate) fn missing() -> Vec<&'static str> {
    let runs = |program, argument| succeeds(Command::new(program).arg(argument));
    let needed = [
        (wine::program().is_some(), &WINE[..]),
        (runs("Xvfb", "-help"), &["xvfb"]),
        (Path::new(PERSON).is_file(), &["xdotool"]),
    ];
    let missing = needed.into_iter().filter(|(there, _)| !there);
    let others = missing.flat_map(|(_, packages)| packages).copied();
    WINDOWS.missing().into_iter().chain(others).collect()
}

/// The program that plays the person. The tests call it from within Wine by this path.
const PERSON: &str = "/usr/bin/xdotool";

/// The packages of Wine, including those that it looks for only at run time.
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
