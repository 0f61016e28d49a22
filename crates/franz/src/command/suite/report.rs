//! `franz suite report`

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use franz_suite::report::{SuiteReport, write_csv};

use super::open;
use crate::cli::suite::SuiteReportArgs;
use crate::suite::results;
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
    Ok(0)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the person names the file, and it is no file of a run"
)]
fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
