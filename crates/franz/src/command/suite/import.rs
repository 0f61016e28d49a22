//! `franz suite import`

use anyhow::Result;
use franz_suite::miniwob::{MiniwobImport, MiniwobPackage};

use crate::cli::suite::{MiniwobArgs, SuiteImportArgs, SuiteImportKind};
use crate::exit::Unusable;
use crate::suite::shown;
use crate::terminal::say;

pub(super) fn run(arguments: &SuiteImportArgs) -> Result<u8> {
    match &arguments.kind {
        SuiteImportKind::Miniwob(arguments) => miniwob(arguments),
    }
}

fn miniwob(arguments: &MiniwobArgs) -> Result<u8> {
    let package = MiniwobPackage::read(&arguments.package).map_err(Unusable::usage)?;
    let import = MiniwobImport {
        tasks: arguments.tasks.clone(),
        seeds: arguments.seeds,
        time_limit: arguments.time_limit,
        oracle: arguments.oracle.clone(),
    };
    let id = crate::random()?;
    let imported = import.write(&package, &arguments.output, &id);
    let imported = imported.map_err(Unusable::usage)?;
    let folder = shown(&arguments.output);
    say(&format!(
        "{folder}: {} tasks out of {} pages",
        imported.tasks, imported.pages
    ));
    say(&format!("next: franz trust {folder}"));
    say(&format!(
        "then: franz suite plan {folder} --upstream NAME=URL --repeat 1 -o results"
    ));
    Ok(0)
}
