//! `franz suite`: plans, runs and reports suites.

mod grounding;
mod import;
mod plan;
mod report;
mod rescore;
mod run;
mod submit;
mod test;
mod unpack;

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use franz_suite::plan::AttemptPlan;
use franz_suite::results::SUITE_FOLDER;
use franz_suite::{ResultAddress, ResultStore, folder};

use crate::cli::suite::{ResultsArgs, SuiteArgs, SuiteCommand, SuiteGatherArgs};
use crate::exit::Unusable;
use crate::suite::scratch::Scratch;
use crate::suite::{results, unusable};
use crate::terminal::{complain, one_line, progress, say};

pub(super) fn run(arguments: &SuiteArgs) -> Result<u8> {
    match &arguments.command {
        SuiteCommand::Test(arguments) => test::run(arguments),
        SuiteCommand::Import(arguments) => import::run(arguments),
        SuiteCommand::Plan(arguments) => plan::run(arguments),
        SuiteCommand::Run(arguments) => run::run(arguments),
        SuiteCommand::Shard(arguments) => run::shard(arguments),
        SuiteCommand::Submit(arguments) => submit::run(arguments),
        SuiteCommand::Missing(arguments) => missing(arguments),
        SuiteCommand::Gather(arguments) => gather(arguments),
        SuiteCommand::Report(arguments) => report::run(arguments),
        SuiteCommand::Rescore(arguments) => rescore::run(arguments),
        SuiteCommand::Grounding(arguments) => grounding::run(arguments),
        SuiteCommand::Unpack(arguments) => unpack::run(arguments),
    }
}

/// Opens the folder or object store with a plan. A folder's path is complete, because scripts and runs get paths in it
/// from another folder.
pub(super) fn open(results: &Path) -> Result<(ResultStore, AttemptPlan)> {
    let address = match ResultAddress::of(results) {
        ResultAddress::Folder(folder) => ResultAddress::Folder(folder.canonicalize().unwrap_or(folder)),
        address @ ResultAddress::ObjectStore(_) => address,
    };
    Ok(ResultStore::open(&address).map_err(unusable)?)
}

/// Copies the suite's files to this machine's own disk, so that no attempt waits for a shared one. Checks that they
/// have not changed since the plan was made.
pub(super) fn fetch_suite(store: &ResultStore, plan: &AttemptPlan, scratch: &Scratch) -> Result<PathBuf> {
    let files = scratch.folder().join(SUITE_FOLDER);
    store.fetch_suite(&files).map_err(unusable)?;
    if folder::digest(&files, &[]).map_err(|error| unusable(error.into()))? == plan.header.digest {
        return Ok(files);
    }
    let words = format!(
        "the files in {} have changed since the plan was made; remove that folder and plan again (`franz suite rescore` \
         takes other checks with --suite DIR)",
        store.at(SUITE_FOLDER).display()
    );
    Err(Unusable::usage(words).into())
}

fn missing(arguments: &ResultsArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let collected = store.collect(|_| true).map_err(unusable)?;
    results::warn(&collected.damaged);
    let missing = collected.missing(&plan);
    let of: BTreeSet<u32> = missing.iter().copied().collect();
    let fruitless = store.fruitless(&of).map_err(unusable)?;
    if missing.is_empty() {
        // Nothing on standard output, for scripts.
        progress("every attempt has a result");
    }
    let mut out = io::stdout().lock();
    for attempt in missing {
        let Some(planned) = plan.attempts.get(attempt as usize - 1) else {
            continue;
        };
        let tries = fruitless.get(&attempt).cloned().unwrap_or_default();
        let is_damaged = collected.damaged.iter().any(|one| one.attempt == attempt);
        let damage = if is_damaged { "  damaged result" } else { "" };
        let failures = match tries.failed.len() {
            0 => String::new(),
            1 => "  1 failed try".to_owned(),
            failures => format!("  {failures} failed tries"),
        };
        let mut reasons = damage.to_owned() + &failures;
        for id in &tries.skipped {
            reasons.push_str("  ");
            reasons.push_str(&store.why_failed(attempt, id).map_err(unusable)?);
        }
        let line = format!(
            "{attempt}  {}  {}  repeat {}{reasons}",
            planned.task, planned.model, planned.repeat
        );
        // A script must not take an incomplete list for a complete one.
        writeln!(out, "{}", one_line(&line)).context("cannot write the list")?;
    }
    out.flush().context("cannot write the list")?;
    Ok(0)
}

fn gather(arguments: &SuiteGatherArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let id = crate::random()?;
    let scratch = Scratch::new(&id)?;
    let (mut taken, mut healed) = (0, 0);
    for folder in &arguments.from {
        let (other, _) = open(folder)?;
        let from = store.take_from(&other, &id, scratch.folder()).map_err(unusable)?;
        for error in from.refused {
            complain(&format!("a try is not copied: {error}"));
        }
        taken += from.new;
        healed += store.heal_from(&other, &id).map_err(unusable)?;
    }
    let mended = store.mend().map_err(unusable)?;
    store.remove_unfinished().map_err(unusable)?;
    let collected = store.write_results(&id).map_err(unusable)?;
    results::warn(&collected.damaged);
    for (count, words) in [
        (taken, "tries copied"),
        (healed, "damaged results replaced"),
        (mended, "unfinished results completed"),
    ] {
        if count > 0 {
            say(&format!("{count} {words}"));
        }
    }
    say(&format!(
        "{} of {} attempts have results",
        collected.results.len(),
        plan.attempts.len()
    ));
    Ok(0)
}
