//! `franz suite report`

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use franz_suite::plan::AttemptPlan;
use franz_suite::report::{SuiteReport, write_csv};
use franz_suite::{ResultStore, folder};
use jiff::Timestamp;

use super::{fetch_suite, open};
use crate::cli::suite::SuiteReportArgs;
use crate::suite::inspect::{self, InspectLogs};
use crate::suite::scratch::{Scratch, make};
use crate::suite::{load, results, unusable};
use crate::terminal::{printable, say};

/// The page that is written if the person names none.
const PAGE: &str = "report.html";

pub(super) fn run(arguments: &SuiteReportArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let mut input = results::input(&store, &plan)?;
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
    // Nobody opens a page in an object store.
    let own = store
        .folder()
        .map_or_else(|| PathBuf::from(PAGE), |_| arguments.results.join(PAGE));
    let page = arguments.html.as_deref();
    if page.is_some() || !(arguments.csv || arguments.json) {
        let named = page.is_some();
        let page = page.unwrap_or(&own);
        let advice = if named {
            ""
        } else {
            "; write it elsewhere with --html FILE"
        };
        let html = if is_in(page, &store) {
            report.html()
        } else {
            // The paths of players begin in the folder of the results.
            for attempt in &mut input.attempts {
                attempt.player = None;
            }
            SuiteReport::of(&input).html()
        };
        let written = if named {
            write_named(page, &html)
        } else {
            write(page, &html)
        };
        written.map_err(|error| error.context(format!("cannot write the page{advice}")))?;
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

/// Returns whether a page is in the folder of the results.
fn is_in(page: &Path, store: &ResultStore) -> bool {
    let folder = std::path::absolute(page).ok();
    let folder = folder.and_then(|page| page.parent()?.canonicalize().ok());
    folder.is_some() && folder.as_deref() == store.folder()
}

/// Writes a log for each model.
fn write_logs(folder: &Path, store: &ResultStore, plan: &AttemptPlan) -> Result<()> {
    make(folder)?;
    let planned = store.planned_at().map_err(unusable)?;
    let scratch = Scratch::new(&crate::random()?)?;
    let files = fetch_suite(store, plan, &scratch)?;
    let logs = InspectLogs {
        plan,
        suite: &load(&files)?,
        results: &store.results().map_err(unusable)?,
        created: Timestamp::try_from(planned)?.to_string(),
    };
    for model in &plan.header.models {
        let file = folder.join(format!("{}.json", model.name));
        write(&file, &serde_json::to_string(&inspect::log(&logs, model))?)?;
    }
    Ok(())
}

/// Writes a file that the person names. A link leads to the file that they mean, and a device is written to.
#[expect(
    clippy::disallowed_methods,
    reason = "the person names the file, and it is no file of a run"
)]
fn write_named(file: &Path, text: &str) -> Result<()> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    if file.exists() && !file.is_file() {
        return std::fs::write(&file, text).with_context(|| file.display().to_string());
    }
    write(&file, text)
}

/// Writes a file whose name the person did not choose. A link with this name, perhaps in a folder from elsewhere, is
/// replaced, not followed.
fn write(file: &Path, text: &str) -> Result<()> {
    Ok(folder::replace(file, text.as_bytes(), &crate::random()?)?)
}
