//! Checks that `deny.toml` allows everything that is linked. cargo-deny checks everything in that file. Sources and
//! licences are also checked without cargo-deny.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::crates::{self, Crate};
use crate::process::{root, run, succeeds};
use crate::tool::Tool;

const CARGO_DENY: Tool = Tool {
    name: "cargo-deny",
    options: &["--no-default-features"],
};

/// The source of every crate that is not our own.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[derive(Deserialize)]
struct Configuration {
    licenses: Licences,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

/// Checks licences, sources and duplicate versions, and known vulnerabilities if their database is available.
pub(crate) fn check() -> Result<()> {
    let program = CARGO_DENY.provide()?;
    deny(&program, &["bans", "licenses", "sources"])?;
    if succeeds(Command::new(&program).args(["fetch", "db"]).current_dir(root())) {
        return deny(&program, &["advisories"]);
    }
    eprintln!("SKIPPED: the check for known vulnerabilities, because the RustSec database cannot be fetched");
    Ok(())
}

fn deny(program: &Path, what: &[&str]) -> Result<()> {
    run(Command::new(program).arg("check").args(what).current_dir(root()))
}

/// Checks only the sources, licences and Rust versions of all crates in Cargo.lock, which takes almost no time.
pub(crate) fn check_origins() -> Result<()> {
    let text = std::fs::read_to_string(root().join("deny.toml")).context("cannot read deny.toml")?;
    let allowed = licensees(&toml::from_str(&text).context("cannot read deny.toml")?)?;
    let crates = crates::all()?;
    let objections: Vec<_> = crates.iter().filter_map(|one| objection(one, &allowed)).collect();
    ensure!(
        objections.is_empty(),
        "{}; use another crate, or justify this one in deny.toml",
        objections.join("; ")
    );
    let ours = rust_number(env!("CARGO_PKG_RUST_VERSION"));
    let is_newer = |one: &&Crate| {
        one.rust_version
            .as_deref()
            .is_some_and(|needed| rust_number(needed) > ours)
    };
    let newer: Vec<_> = crates.iter().filter(is_newer).map(|one| &one.name).collect();
    ensure!(
        newer.is_empty(),
        "{newer:?} need a newer Rust than the rust-version in Cargo.toml"
    );
    Ok(())
}

/// Returns major and minor version.
fn rust_number(version: &str) -> Vec<u32> {
    version
        .split('.')
        .take(2)
        .filter_map(|part| part.parse().ok())
        .collect()
}

fn licensees(configuration: &Configuration) -> Result<Vec<Licensee>> {
    let parsed = configuration.licenses.allow.iter().map(|name| Licensee::parse(name));
    Ok(parsed.collect::<Result<_, _>>()?)
}

/// Returns why a crate is not allowed; `None` if it is.
fn objection(one: &Crate, allowed: &[Licensee]) -> Option<String> {
    let Crate { name, version, .. } = one;
    if let Some(source) = one.source.as_deref().filter(|source| *source != CRATES_IO) {
        return Some(format!("{name} {version} is from {source}, not from crates.io"));
    }
    let Some(licence) = &one.license else {
        return Some(format!("{name} {version} names no licence"));
    };
    // Older crates write `MIT/Apache-2.0` instead of `MIT OR Apache-2.0`.
    let Ok(expression) = Expression::parse_mode(licence, ParseMode::LAX) else {
        return Some(format!(
            "{name} {version} is under {licence}, which is not an SPDX expression"
        ));
    };
    let granted = expression.evaluate(|required| allowed.iter().any(|licensee| licensee.satisfies(required)));
    (!granted).then(|| format!("{name} {version} is under {licence}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dependency_is_allowed() {
        check_origins().unwrap();
    }

    #[test]
    fn foreign_sources_and_licences_are_found() {
        let allow = vec!["MIT".to_owned(), "Unicode-3.0".to_owned()];
        let allowed = licensees(&Configuration {
            licenses: Licences { allow },
        })
        .unwrap();
        let elsewhere = "git+https://example.org/crate#1234";
        for (licence, source, expected) in [
            (Some("MIT/Apache-2.0"), Some(CRATES_IO), true),
            (Some("(MIT OR GPL-3.0) AND Unicode-3.0"), Some(CRATES_IO), true),
            (Some("MIT"), None, true),
            (Some("MIT"), Some(elsewhere), false),
            (Some("MIT AND GPL-3.0-only"), Some(CRATES_IO), false),
            (Some("Apache-2.0"), Some(CRATES_IO), false),
            (Some("as you like"), Some(CRATES_IO), false),
            (None, Some(CRATES_IO), false),
        ] {
            let one = Crate {
                license: licence.map(str::to_owned),
                source: source.map(str::to_owned),
                ..Crate::default()
            };
            assert_eq!(objection(&one, &allowed).is_none(), expected, "{licence:?} {source:?}");
        }
    }
}
