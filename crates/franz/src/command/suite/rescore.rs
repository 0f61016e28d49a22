//! `franz suite rescore`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use franz_action::text::shortened;
use franz_suite::folder;
use franz_suite::results::SUITE_FOLDER;

use super::{fetch_suite, open};
use crate::cli::suite::SuiteRescoreArgs;
use crate::exit::Unusable;
use crate::stop::Stop;
use crate::suite::allowed_plan::check_suite;
use crate::suite::attempt::HOME;
use crate::suite::check::Check;
use crate::suite::chosen::{ChosenSuite, is_built_in};
use crate::suite::play::RECORD;
use crate::suite::runner::MOST_OF_A_REASON;
use crate::suite::sandbox::SuiteSandbox;
use crate::suite::scratch::{self, Scratch};
use crate::suite::trust::{self, TrustedKind};
use crate::suite::{load, results, unusable};
use crate::terminal::{complain, say};

/// The text for attempts whose archive is damaged.
const UNREADABLE: &str = "with an archive that cannot be unpacked";

/// Runs the checks again on kept homes, and reports where they differ from the results. The results stay as they are.
pub(super) fn run(arguments: &SuiteRescoreArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let scratch = Scratch::new(&crate::random()?)?;
    let files = if let Some(named) = &arguments.suite {
        mended_suite(named, &scratch)?
    } else {
        let files = fetch_suite(&store, &plan, &scratch)?;
        check_suite(&store, &plan, &scratch)?;
        files
    };
    let suite = load(&files)?;
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let sandbox = SuiteSandbox::of_this_machine();
    sandbox.warn();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let collected = store.collect(|_| true).map_err(unusable)?;
    results::warn(&collected.damaged);
    for result in collected.results {
        let planned = &result.attempt;
        let Some(task) = suite.task(&planned.task) else {
            *counts.entry("of tasks that the suite does not have").or_default() += 1;
            continue;
        };
        // A refused run, or a screen that was lost: the home is that of an attempt which was judged without it.
        if result.check.is_none() {
            *counts.entry("without a check").or_default() += 1;
            continue;
        }
        let own = scratch.make(&planned.attempt.to_string())?;
        let (home, record) = (own.join(HOME), own.join(RECORD));
        match store.unpack(planned.attempt, &result.r#try, &own) {
            Ok(_) => {}
            Err(error) if error.may_pass() => return Err(unusable(error).into()),
            Err(error) => {
                complain(&error.to_string());
                scratch::remove(&own);
                *counts.entry(UNREADABLE).or_default() += 1;
                continue;
            }
        }
        if !home.exists() {
            scratch::remove(&own);
            *counts.entry("without a kept home").or_default() += 1;
            continue;
        }
        let check = Check {
            sandbox: &sandbox,
            stop: &stop,
            suite: &files,
            task,
            seed: planned.seed,
        };
        let record = record.exists().then_some(record.as_path());
        let Some(checked) = check.run(&home, record, &own, &own)? else {
            return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
        };
        scratch::remove(&own);
        let is_same = checked.outcome == result.outcome;
        *counts
            .entry(if is_same {
                "judged as before"
            } else {
                "judged differently"
            })
            .or_default() += 1;
        if !is_same {
            complain(&format!(
                "attempt {} ({}, {}): {} before, {} now {}",
                planned.attempt,
                planned.task,
                planned.model,
                result.outcome.words(),
                checked.outcome.words(),
                shortened(&checked.why, MOST_OF_A_REASON),
            ));
        }
    }
    for (words, count) in &counts {
        say(&format!("{count} {words}"));
    }
    Ok(u8::from(counts.contains_key(UNREADABLE)))
}

/// Copies the suite whose checks to run to this machine's own disk. The person must have allowed it.
fn mended_suite(named: &Path, scratch: &Scratch) -> Result<PathBuf> {
    let chosen = ChosenSuite::read(named, scratch.folder())?;
    if !is_built_in(&chosen.digest, scratch.folder())? && !trust::has(TrustedKind::Suite, &chosen.digest) {
        let words = "a suite runs code: review what it does, then allow it with: franz trust";
        return Err(Unusable::usage(format!("{words} {}", named.display())).into());
    }
    let files = scratch.folder().join(SUITE_FOLDER);
    folder::copy(&chosen.folder, &files).map_err(|error| unusable(error.into()))?;
    let copied = folder::digest(&files, &chosen.without).map_err(|error| unusable(error.into()))?;
    if copied != chosen.digest {
        let words = format!("the files in {} change while they are read; try again", named.display());
        return Err(Unusable::usage(words).into());
    }
    say(&format!(
        "with the checks of {}, digest {}; the results stay as they are",
        named.display(),
        chosen.digest
    ));
    Ok(files)
}
