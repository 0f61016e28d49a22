//! `franz suite test`

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use franz_suite::SuiteTask;

use crate::cli::suite::SuiteTestArgs;
use crate::exit::Unusable;
use crate::stop::Stop;
use crate::suite::chosen::{ChosenSuite, is_built_in};
use crate::suite::rehearsal::{Rehearsal, Tested, folder_for_pictures};
use crate::suite::sandbox::SuiteSandbox;
use crate::suite::scratch::Scratch;
use crate::suite::shown;
use crate::suite::trust::{self, TrustedKind};
use crate::terminal::say;

pub(super) fn run(arguments: &SuiteTestArgs) -> Result<u8> {
    let scratch = Scratch::new(&crate::random()?)?;
    let chosen = ChosenSuite::read(&arguments.suite, scratch.folder())?;
    if !is_built_in(&chosen.digest, scratch.folder())? && !trust::has(TrustedKind::Suite, &chosen.digest) {
        let words = format!(
            "a suite runs code: review what it does, then allow it with: franz trust {}",
            shown(&arguments.suite)
        );
        return Err(Unusable::usage(words).into());
    }
    let tasks = tasks(arguments, &chosen)?;
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let sandbox = SuiteSandbox::of_this_machine();
    sandbox.warn();
    let pictures = arguments.pictures.as_deref().map(folder_for_pictures).transpose()?;
    let executable = std::env::current_exe().context("cannot find the FRANZ executable")?;
    let rehearsal = Rehearsal {
        sandbox: &sandbox,
        scratch: &scratch,
        stop: &stop,
        executable: &executable,
        suite: &chosen.folder,
        seed: arguments.seed,
        pictures: pictures.as_deref(),
    };
    let (next, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tested = rehearsal
                        .test(task)
                        .unwrap_or_else(|error| Tested::Wrong(format!("{error:#}")));
                    let words = match tested {
                        Tested::Stopped => return,
                        Tested::Fine => "fine: solved by its script, not by doing nothing".to_owned(),
                        Tested::Skipped(why) => format!("skipped: {why}"),
                        Tested::Wrong(why) => {
                            wrong.fetch_add(1, Ordering::Relaxed);
                            format!("wrong: {why}")
                        }
                    };
                    say(&format!("{:<18} {words}", task.name));
                }
            });
        }
    });
    if let Some(ending) = stop.ending() {
        return Ok(ending.exit_code());
    }
    Ok(u8::from(wrong.into_inner() > 0))
}

fn tasks<'a>(arguments: &SuiteTestArgs, chosen: &'a ChosenSuite) -> Result<Vec<&'a SuiteTask>> {
    let all = &chosen.suite.tasks;
    if arguments.task.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        let found = all.iter().find(|task| task.name.as_str() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|task| task.name.as_str()).collect();
            Unusable::usage(format!("there is no task {name}, only {}", names.join(", ")))
        })
    };
    Ok(arguments.task.iter().map(find).collect::<Result<_, _>>()?)
}
