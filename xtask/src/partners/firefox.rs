//! Tests the dashboard in Firefox, as Debian packages it.

use std::process::Command;

use anyhow::Result;

use crate::node;
use crate::packages::install;
use crate::process::succeeds;

const NAME: &str = "firefox";
/// The program, and Debian's package.
const FIREFOX: &str = "firefox-esr";

/// Returns whether one of these words names Firefox, or there are none.
pub(super) fn is_named(words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| NAME.contains(word.as_str()))
}

/// Prints a row for each thing that a person does on the page. Returns 1 if any of them failed.
pub(super) fn check(franz: &std::path::Path) -> Result<usize> {
    let firefox = std::env::var_os("FIREFOX").unwrap_or_else(|| FIREFOX.into());
    if !succeeds(Command::new(&firefox).arg("--version")) {
        install("the dashboard is tested in Firefox", &[FIREFOX])?;
    }
    let found = which(&firefox)?;
    let mut tests = node::script(&super::file("firefox"), "firefox.mjs")?;
    let status = tests.env("FRANZ_BIN", franz).env("FIREFOX", found).status()?;
    Ok(usize::from(!status.success()))
}

/// Returns the whole path of a program.
fn which(program: &std::ffi::OsStr) -> Result<String> {
    let found = crate::process::output(Command::new("which").arg(program))?;
    Ok(String::from_utf8(found)?.trim().to_owned())
}
