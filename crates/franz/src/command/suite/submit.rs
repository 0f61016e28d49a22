//! `franz suite submit`

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use clap::ValueEnum as _;
use franz_screen::child::{self, Environment};
use franz_suite::engine::{KubernetesOptions, KubernetesPlace, MOST_SHARDS, SuiteJob};
use franz_suite::plan::AttemptPlan;

use super::{fetch_suite, open};
use crate::cli::suite::{SuiteEngine, SuiteSubmitArgs};
use crate::exit::Unusable;
use crate::suite::allowed_plan::AllowedPlan;
use crate::suite::load;
use crate::suite::rules;
use crate::suite::scratch::Scratch;
use crate::terminal::{printable, say};

pub(super) fn run(arguments: &SuiteSubmitArgs) -> Result<u8> {
    check_options(arguments)?;
    let (store, plan) = open(&arguments.results)?;
    let scratch = Scratch::new(&crate::random()?)?;
    let suite = load(&fetch_suite(&store, &plan, &scratch)?)?;
    let plan = AllowedPlan::by_person(&store, plan, &suite, &scratch)?;
    rules::check_plan(&plan, &suite)?;
    let attempts = u32::try_from(plan.attempts.len()).unwrap_or(u32::MAX);
    let keep = arguments.keep.to_possible_value();
    let job = SuiteJob {
        suite: plan.header.suite.clone(),
        results: store.folder().unwrap_or(&arguments.results).to_owned(),
        digest: store.plan_digest().clone(),
        shards: arguments.shards.min(attempts).clamp(1, MOST_SHARDS),
        jobs: arguments.jobs,
        keep: keep.context("every value has a name")?.get_name().to_owned(),
        program: arguments.program.clone(),
        key_files: key_files(&arguments.key_file, &plan)?,
    };
    let is_folder = store.folder().is_some();
    let (text, program) = match arguments.engine {
        SuiteEngine::Slurm => {
            check_folder(&job, is_folder)?;
            (job.slurm(), &["sbatch"][..])
        }
        SuiteEngine::Kubernetes => {
            let options = kubernetes(arguments, &plan, job.shards, is_folder)?;
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

/// Checks that the engine uses every option that is given.
fn check_options(arguments: &SuiteSubmitArgs) -> Result<()> {
    let words = match arguments.engine {
        SuiteEngine::Slurm => {
            let options = [
                ("--image", &arguments.image),
                ("--claim", &arguments.claim),
                ("--store-secret", &arguments.store_secret),
                ("--secret", &arguments.secret),
            ];
            let given = options.iter().find(|(_, value)| value.is_some());
            given.map(|(name, _)| {
                format!("{name} is for Kubernetes; for Slurm, leave it out, and name files with keys by --key-file")
            })
        }
        SuiteEngine::Kubernetes => (!arguments.key_file.is_empty()).then(|| {
            "--key-file is for Slurm; for Kubernetes, put the keys into a secret, and name it by --secret".to_owned()
        }),
    };
    words.map_or(Ok(()), |words| Err(Unusable::usage(words).into()))
}

/// Checks that Slurm can write what the parts print.
fn check_folder(job: &SuiteJob, is_folder: bool) -> Result<()> {
    let path = job.results.to_string_lossy();
    if !is_folder {
        let words = format!(
            "Slurm writes a job's output next to the results, so it needs a folder that all nodes share; for an \
             object store, use --engine kubernetes, or write a job that runs: franz suite shard {path}"
        );
        return Err(Unusable::usage(words).into());
    }
    if path.contains(|letter: char| letter == '\\' || letter.is_control()) {
        let words = format!("Slurm cannot write to {path:?}; give the folder a name without backslashes");
        return Err(Unusable::usage(words).into());
    }
    Ok(())
}

/// Returns the options that only Kubernetes needs.
fn kubernetes(
    arguments: &SuiteSubmitArgs,
    plan: &AttemptPlan,
    parallel: u32,
    is_folder: bool,
) -> Result<KubernetesOptions> {
    let given = |value: &Option<String>, name: &str| {
        let missing = || Unusable::usage(format!("Kubernetes also needs {name}"));
        value.clone().ok_or_else(missing)
    };
    let place = if is_folder {
        KubernetesPlace::Claim(given(&arguments.claim, "--claim, the volume with the results")?)
    } else {
        let name = "--store-secret, the secret with the variables of the object store";
        KubernetesPlace::StoreSecret(given(&arguments.store_secret, name)?)
    };
    let variables = plan.header.models.iter().filter_map(|model| model.key_env.clone());
    let variables: Vec<String> = variables.collect();
    if let (Some(variable), None) = (variables.first(), &arguments.secret) {
        let words = format!("Kubernetes also needs --secret, the secret with the key for {variable}");
        return Err(Unusable::usage(words).into());
    }
    Ok(KubernetesOptions {
        image: given(&arguments.image, "--image")?,
        place,
        secret: arguments.secret.clone(),
        parallel,
        variables,
    })
}

/// Reads `NAME=FILE` words. Each name is the variable of a model, because nothing else reads it.
fn key_files(given: &[String], plan: &AttemptPlan) -> Result<Vec<(String, PathBuf)>> {
    let known: BTreeSet<&str> = plan
        .header
        .models
        .iter()
        .filter_map(|model| model.key_env.as_deref())
        .collect();
    let read = |word: &String| {
        let (name, file) = word.split_once('=').filter(|(_, file)| !file.is_empty())?;
        known.contains(name).then(|| (name.to_owned(), PathBuf::from(file)))
    };
    let wrong = |word: &String| {
        let known: Vec<&str> = known.iter().copied().collect();
        let names = match known.as_slice() {
            [] => "no model of this plan has a key_env".to_owned(),
            names => format!("NAME is the key_env of a model: {}", names.join(" or ")),
        };
        Unusable::usage(format!(
            "--key-file {word}: write NAME=FILE, such as OUR_KEY=/keys/ours; {names}"
        ))
    };
    let files = given.iter().map(|word| read(word).ok_or_else(|| wrong(word)));
    Ok(files.collect::<Result<_, _>>()?)
}

/// Hands the job to its engine.
fn hand_over(program: &[&str], text: &str) -> Result<u8> {
    let (name, words) = program.split_first().context("an engine has a program")?;
    let mut command = child::command(name, &Environment::foreign_agent());
    let mut engine = command.args(words).stdin(Stdio::piped()).spawn().map_err(|error| {
        Unusable::usage(format!(
            "{name} cannot be started: {error}; --dry-run prints the job instead"
        ))
    })?;
    let written = engine.stdin.take().map(|mut input| input.write_all(text.as_bytes()));
    let status = engine.wait()?;
    if !status.success() {
        return Err(anyhow::anyhow!("{name} rejected the job ({status})"));
    }
    written.transpose()?;
    say("franz suite missing lists the attempts that have no result yet");
    Ok(0)
}
