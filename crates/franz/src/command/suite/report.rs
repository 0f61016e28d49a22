//! `franz suite report`

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use franz_suite::ResultStore;
use franz_suite::plan::{AttemptPlan, PLAN_FILE};
use franz_suite::report::{SuiteReport, write_csv};
use jiff::Timestamp;

use super::open;
use crate::cli::suite::SuiteReportArgs;
use crate::exit::Unusable;
use crate::suite::inspect::{self, InspectLogs};
use crate::suite::scratch::make;
use crate::suite::{load, results};
use crate::terminal::{printable, say};

pub(super) fn run(arguments: &SuiteReportArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let input = results::input(&store, &plan)?;
    let report = SuiteReport::of(&input);
    let mut out = io::stdout().lock();
    if arguments.csv {
        write_csv(&input, &mut out)?;
    } else if arguments.json {
        out.write_all(report.json()?.as_bytes())?;
    } else {
        out.write_all(printable(&report.text()).as_bytes())?;
    }
    drop(out);
    let own = arguments.results.join("report.html");
    let page = arguments.html.as_deref();
    if page.is_some() || !(arguments.csv || arguments.json) {
        let page = page.unwrap_or(&own);
        write(page, &report.html())?;
        if !(arguments.csv || arguments.json) {
            say("");
            say(&format!("wrote {}", page.display()));
        }
    }
    if let Some(folder) = &arguments.inspect {
        write_logs(folder, &store, &plan)?;
    }
    Ok(0)
}

/// Writes a log for each model.
fn write_logs(folder: &Path, store: &ResultStore, plan: &AttemptPlan) -> Result<()> {
    make(folder)?;
    let planned = store.folder().join(PLAN_FILE).metadata()?.modified()?;
    let logs = InspectLogs {
        plan,
        suite: &load(&store.suite_folder())?,
        results: &store.results().map_err(Unusable::usage)?,
        created: Timestamp::try_from(planned)?.to_string(),
    };
    for model in &plan.header.models {
        let file = folder.join(format!("{}.json", model.name));
        write(&file, &serde_json::to_string(&inspect::log(&logs, model))?)?;
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the person names the file, and it is no file of a run"
)]
fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
