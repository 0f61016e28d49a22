//! `franz suite run` and `franz suite shard`

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use franz_record::Exit;
use franz_suite::{PlannedAttempt, Shard};

use super::{fetch_suite, open};
use crate::cli::suite::{SuiteRunArgs, SuiteShardArgs};
use crate::exit::Unusable;
use crate::stop::Stop;
use crate::suite::allowed_plan::AllowedPlan;
use crate::suite::attempt::Workshop;
use crate::suite::loaded_models::LoadedModels;
use crate::suite::models;
use crate::suite::results;
use crate::suite::rules;
use crate::suite::runner;
use crate::suite::sandbox::SuiteSandbox;
use crate::suite::scratch::Scratch;
use crate::suite::versions::Versions;
use crate::suite::{load, shown, unusable};
use crate::terminal::say;

/// Who allowed the plan to run here.
enum PlanPermission<'a> {
    /// The person, by `franz suite plan` or `franz trust`.
    Person,
    /// Whoever wrote this digest on the command line.
    Digest(&'a str),
}

pub(super) fn run(arguments: &SuiteRunArgs) -> Result<u8> {
    play(arguments, Shard::WHOLE, &PlanPermission::Person)
}

pub(super) fn shard(arguments: &SuiteShardArgs) -> Result<u8> {
    let number = |given: Option<u32>, variables: &[&str]| {
        given.or_else(|| variables.iter().find_map(|name| std::env::var(name).ok()?.parse().ok()))
    };
    let index = number(arguments.index, &["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"]);
    let of = number(arguments.of, &["SLURM_ARRAY_TASK_COUNT"]);
    let (Some(index), Some(of)) = (index, of) else {
        let words = "which part? Give --index I --of N; a job of Slurm or Kubernetes gets the index from its engine";
        return Err(Unusable::usage(words).into());
    };
    let shard = Shard::new(index, of).map_err(Unusable::usage)?;
    play(&arguments.run, shard, &PlanPermission::Digest(&arguments.digest))
}

fn play(arguments: &SuiteRunArgs, shard: Shard, permission: &PlanPermission<'_>) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let id = crate::random()?;
    let scratch = Scratch::new(&id)?;
    let files = fetch_suite(&store, &plan, &scratch)?;
    let suite = load(&files)?;
    let plan = match permission {
        PlanPermission::Person => AllowedPlan::by_person(&store, plan, &suite, &scratch)?,
        PlanPermission::Digest(given) => AllowedPlan::by_digest(&store, plan, given)?,
    };
    rules::check_plan(&plan, &suite)?;
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    store.mend().map_err(unusable)?;
    if matches!(permission, PlanPermission::Person) {
        store.remove_unfinished().map_err(unusable)?;
    }
    let collected = store.collect(|attempt| shard.has(attempt)).map_err(unusable)?;
    results::warn(&collected.damaged);
    let (missing, damaged) = (collected.missing(&plan), collected.damaged);
    // A damaged result blocks a new one.
    let is_damaged = |attempt: u32| damaged.iter().any(|one| one.attempt == attempt);
    let attempts = missing
        .into_iter()
        .filter(|attempt| shard.has(*attempt) && !is_damaged(*attempt));
    let attempts: Vec<PlannedAttempt> = attempts
        .filter_map(|attempt| plan.attempts.get(attempt as usize - 1).cloned())
        .collect();
    let end = if damaged.iter().any(|one| one.is_planned) {
        Exit::Usage.code()
    } else {
        0
    };
    if attempts.is_empty() {
        if end == 0 {
            say("every attempt has a result");
        }
        return Ok(end);
    }
    let sandbox = SuiteSandbox::of_this_machine();
    sandbox.warn();
    models::warn_of_keys(&plan.header.models);
    let names: BTreeSet<_> = attempts.iter().map(|attempt| &attempt.task).collect();
    let tasks: Vec<_> = names.into_iter().filter_map(|name| suite.task(name)).collect();
    let versions = Versions::of(&tasks, &sandbox, &scratch.make("versions")?, &stop);
    let executable = std::env::current_exe().context("cannot find the FRANZ executable")?;
    let workshop = Workshop {
        store: &store,
        plan: &plan,
        suite: &suite,
        files: &files,
        sandbox: &sandbox,
        scratch: &scratch,
        stop: &stop,
        keep: arguments.keep,
        executable: &executable,
        job: &format!("{}x{}", id.get(..8).unwrap_or(&id), arguments.jobs),
        versions: &versions,
        loaded: &LoadedModels::none_of(&plan.header.models),
    };
    let code = runner::run(&workshop, attempts, arguments.jobs);
    if code == 0 {
        say(&format!("next: franz suite report {}", shown(&arguments.results)));
        return Ok(end);
    }
    Ok(code)
}
