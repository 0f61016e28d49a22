//! `franz suite unpack`

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use franz_suite::{AttemptResult, ResultStore};

use super::open;
use crate::cli::suite::SuiteUnpackArgs;
use crate::exit::Unusable;
use crate::suite::attempt::HOME;
use crate::suite::play::RECORD;
use crate::suite::{scratch, shown, unusable};
use crate::terminal::say;

/// Unpacks the kept files of an attempt's result into a new folder.
pub(super) fn run(arguments: &SuiteUnpackArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let number = arguments.attempt;
    let refused = |words: String| Err(Unusable::usage(words).into());
    if number == 0 || plan.attempts.len() < number as usize {
        return refused(format!(
            "there is no attempt {number}; the plan has attempts 1 to {}",
            plan.attempts.len()
        ));
    }
    let Some(result) = store.result(number).map_err(unusable)? else {
        return refused(format!("attempt {number} has no result yet"));
    };
    let default = || PathBuf::from(format!("attempt_{number:04}"));
    let to = arguments.output.clone().unwrap_or_else(default);
    if to.exists() {
        return refused(format!("{} exists; choose another folder with -o", to.display()));
    }
    if !unpack(&store, &result, &to)? {
        return refused(format!(
            "only the result of attempt {number} was kept; run with --keep all to keep everything"
        ));
    }
    let planned = &result.attempt;
    say(&format!(
        "attempt {number} ({}, {}, repeat {}): {}",
        planned.task,
        planned.model,
        planned.repeat,
        result.outcome.words()
    ));
    say(&format!("home: {}", to.join(HOME).display()));
    say(&format!("next: franz replay {}", shown(&to.join(RECORD))));
    Ok(0)
}

/// Unpacks the kept files into a folder that appears only when complete. Returns `false` if nothing is kept.
#[expect(clippy::disallowed_methods, reason = "the person names the folder")]
fn unpack(store: &ResultStore, result: &AttemptResult, to: &Path) -> Result<bool> {
    let name = to.file_name().context("the path after -o cannot be a new folder")?;
    let unfinished = to.with_file_name(format!(".{}.{}", name.to_string_lossy(), crate::random()?));
    let unpacked = store.unpack(result.attempt.attempt, &result.r#try, &unfinished);
    let moved = match unpacked {
        Ok(true) => std::fs::rename(&unfinished, to)
            .map(|()| true)
            .map_err(anyhow::Error::from),
        Ok(false) => Ok(false),
        Err(error) => Err(unusable(error).into()),
    };
    if !matches!(moved, Ok(true)) {
        scratch::remove(&unfinished);
    }
    moved
}
