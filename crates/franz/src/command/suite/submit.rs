//! `franz suite submit`

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use franz_screen::child::{self, Environment};
use franz_suite::engine::{KubernetesOptions, MOST_SHARDS, SuiteJob};

use super::{check_trust, fetch_suite, open};
use crate::cli::suite::{SuiteEngine, SuiteSubmitArgs};
use crate::exit::Unusable;
use crate::suite::scratch::Scratch;
use crate::terminal::{printable, say};

pub(super) fn run(arguments: &SuiteSubmitArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let Some(results) = store.folder() else {
        let words = "submit needs a folder; for an object store, write a job that runs: franz suite shard";
        return Err(Unusable::usage(format!("{words} {}", arguments.results.display())).into());
    };
    let scratch = Scratch::new(&crate::random()?)?;
    fetch_suite(&store, &plan, &scratch)?;
    check_trust(&store, &plan, &scratch)?;
    let attempts = u32::try_from(plan.attempts.len()).unwrap_or(u32::MAX);
    let job = SuiteJob {
        suite: plan.header.suite.clone(),
        results: results.to_owned(),
        digest: plan.header.digest.clone(),
        shards: arguments.shards.min(attempts).clamp(1, MOST_SHARDS),
        jobs: arguments.jobs,
        program: arguments.program.clone(),
        key_files: key_files(&arguments.key_file)?,
    };
    let (text, program) = match arguments.engine {
        SuiteEngine::Slurm => {
            let path = job.results.to_string_lossy();
            if path.contains(|letter: char| letter == '\\' || letter.is_control()) {
                let words = format!("Slurm writes no files to {path:?}; give the folder a name without backslashes");
                return Err(Unusable::usage(words).into());
            }
            (job.slurm(), &["sbatch"][..])
        }
        SuiteEngine::Kubernetes => {
            let given = |value: &Option<String>, name: &str| {
                let missing = || Unusable::usage(format!("Kubernetes also needs {name}"));
                value.clone().ok_or_else(missing)
            };
            let variables = plan.header.models.iter().filter_map(|model| model.key_env.clone());
            let options = KubernetesOptions {
                image: given(&arguments.image, "--image")?,
                claim: given(&arguments.claim, "--claim, the volume with the results")?,
                secret: arguments.secret.clone(),
                parallel: job.shards,
                variables: variables.collect(),
            };
            let manifest = serde_json::to_string_pretty(&job.kubernetes(&options))?;
            (manifest + "\n", &["kubectl", "create", "-f", "-"][..])
        }
    };
    if arguments.dry_run {
        std::io::stdout().write_all(printable(&text).as_bytes())?;
        return Ok(0);
    }
    hand_over(program, &text)
}

/// Reads `NAME=FILE` words.
fn key_files(given: &[String]) -> Result<Vec<(String, PathBuf)>> {
    let read = |word: &String| {
        let (name, file) = word.split_once('=')?;
        Some((name.to_owned(), PathBuf::from(file)))
    };
    let wrong = |word: &String| {
        Unusable::usage(format!(
            "--key-file {word}: write NAME=FILE, such as OUR_KEY=/keys/ours"
        ))
    };
    let files = given.iter().map(|word| read(word).ok_or_else(|| wrong(word)));
    Ok(files.collect::<Result<_, _>>()?)
}

/// Gives the job to its engine.
fn hand_over(program: &[&str], text: &str) -> Result<u8> {
    let (name, words) = program.split_first().context("an engine has a program")?;
    let mut command = child::command(name, &Environment::foreign_agent());
    let mut engine = command.args(words).stdin(Stdio::piped()).spawn().map_err(|error| {
        Unusable::usage(format!(
            "{name} cannot be started: {error}; --dry-run prints the job instead"
        ))
    })?;
    if let Some(mut input) = engine.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    let status = engine.wait()?;
    if !status.success() {
        return Err(anyhow::anyhow!("{name} did not take the job ({status})"));
    }
    say("franz suite missing shows what has no result yet");
    Ok(0)
}
