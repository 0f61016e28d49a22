//! Coverage-guided fuzzing with libFuzzer, using the stable toolchain.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{cargo, children_time, root, run, target};

/// The code generation options that make a stable compiler instrument our code for libFuzzer.
const INSTRUMENTED: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks";

/// The time and memory that a single input may use without counting as a failure.
struct Allowance {
    seconds: u32,
    /// The memory that the whole program may use, in MiB.
    memory: u32,
}

/// Returns the allowance of a target. Some targets get less than others.
fn allowance(target: &str) -> Allowance {
    match target {
        // A block's own limits stop it after a fraction of a second and at 16 MiB of values.
        "python" => Allowance {
            seconds: 5,
            memory: 512,
        },
        _ => Allowance {
            seconds: 10,
            memory: 2048,
        },
    }
}

/// A shorter run would only read the existing inputs.
const SHORTEST: Duration = Duration::from_secs(10);

/// Fuzzes every target, or only the named ones, for this many minutes of processor time each. A failing input is left
/// in `fuzz/artifacts`.
pub(crate) fn all(minutes: u32, targets: &[String]) -> Result<()> {
    let fuzz = root().join("fuzz");
    let triple = host_triple()?;
    let known = all_targets(&fuzz)?;
    if let Some(unknown) = targets.iter().find(|target| !known.contains(target)) {
        bail!(
            "there is no fuzz target '{unknown}'; the targets are {}",
            known.join(", ")
        );
    }
    let mut build = cargo(&["build", "--release", "--bins", "--target", &triple]);
    // Other builds might share the target directory, but this build keeps its corpora next to the programs.
    build.arg("--target-dir").arg(fuzz.join("target"));
    run(build.current_dir(&fuzz).env("RUSTFLAGS", INSTRUMENTED))?;
    let chosen = known
        .iter()
        .filter(|target| targets.is_empty() || targets.contains(target));
    for target in chosen {
        let begun = children_time()?;
        let enough = begun + Duration::from_secs(u64::from(minutes) * 60);
        // On a busy machine, processor time passes more slowly than clock time, so repeat until all of the processor
        // time has been used.
        loop {
            let missing = enough.saturating_sub(children_time()?);
            if missing.is_zero() {
                break;
            }
            fuzz_one(&fuzz, &triple, target, missing.max(SHORTEST))?;
        }
        let spent = children_time()?.saturating_sub(begun);
        eprintln!("{target}: nothing found in {} s of CPU time", spent.as_secs());
    }
    Ok(())
}

/// Checks that every target compiles. Nothing is linked, so libFuzzer itself is not built.
pub(crate) fn check() -> Result<()> {
    let mut check = cargo(&["check", "--quiet", "--target", &host_triple()?]);
    check
        .arg("--target-dir")
        .arg(target()?)
        .current_dir(root().join("fuzz"));
    check.env("RUSTFLAGS", "--cfg fuzzing");
    run(check.env("CUSTOM_LIBFUZZER_PATH", "/nowhere/libfuzzer.a"))
}

fn fuzz_one(fuzz: &Path, triple: &str, target: &str, time: Duration) -> Result<()> {
    let corpus = fuzz.join("target/corpus").join(target);
    let artifacts = fuzz.join("artifacts").join(target);
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&artifacts)?;
    let program = fuzz.join("target").join(triple).join("release").join(target);
    let allowance = allowance(target);
    let mut command = std::process::Command::new(program);
    command
        .arg(format!("-max_total_time={}", time.as_secs()))
        .arg(format!("-timeout={}", allowance.seconds))
        .arg(format!("-rss_limit_mb={}", allowance.memory))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg("-print_final_stats=1")
        // New inputs are written to the first directory. The second contains the seeds from the repository.
        .arg(corpus)
        .arg(fuzz.join("corpus").join(target));
    run(&mut command)
}

/// Returns the names of the targets, which are the names of the files in `fuzz/fuzz_targets`.
fn all_targets(fuzz: &Path) -> Result<Vec<String>> {
    let directory = fuzz.join("fuzz_targets");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory).with_context(|| format!("cannot list {}", directory.display()))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    ensure!(!names.is_empty(), "no fuzz targets in {}", directory.display());
    Ok(names)
}

fn host_triple() -> Result<String> {
    let rustc = crate::process::output(std::process::Command::new("rustc").arg("-vV"))?;
    let text = String::from_utf8(rustc)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host")
}
