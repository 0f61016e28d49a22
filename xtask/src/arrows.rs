//! The dependencies that are allowed between our crates.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use serde::Deserialize;

use crate::process::{cargo, output};

/// Each of our crates, with the ones that it may depend on for any purpose.
const ALLOWED: [(&str, &[&str]); 17] = [
    ("franz-json", &[]),
    ("franz-secret", &[]),
    ("franz-home", &[]),
    ("franz-rfb", &[]),
    ("franz-suite", &[]),
    ("franz-python", &[]),
    ("franz-action", &[]),
    ("franz-dialect", &["franz-python", "franz-action"]),
    ("franz-frame", &["franz-action"]),
    (
        "franz-screen",
        &["franz-home", "franz-frame", "franz-action", "franz-rfb"],
    ),
    ("franz-chat", &["franz-json", "franz-secret"]),
    (
        "franz-demo",
        &["franz-json", "franz-action", "franz-dialect", "franz-frame"],
    ),
    (
        "franz-record",
        &["franz-json", "franz-action", "franz-home", "franz-secret"],
    ),
    ("franz-relay", &["franz-chat"]),
    (
        "franz-panel",
        &[
            "franz-json",
            "franz-home",
            "franz-chat",
            "franz-record",
            "franz-relay",
            "franz-secret",
        ],
    ),
    (
        "franz-agent",
        &[
            "franz-json",
            "franz-home",
            "franz-python",
            "franz-action",
            "franz-dialect",
            "franz-frame",
            "franz-screen",
            "franz-chat",
            "franz-demo",
            "franz-rfb",
            "franz-record",
            "franz-panel",
            "franz-relay",
            "franz-secret",
            "franz-suite",
        ],
    ),
    ("xtask", &[]),
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
}

/// Fails if a crate has a dependency that is not allowed. The error lists all such dependencies.
pub(crate) fn check() -> Result<()> {
    let json = output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let forbidden = forbidden(&serde_json::from_slice(&json)?);
    ensure!(
        forbidden.is_empty(),
        "these arrows are not in ARCHITECTURE.md: {}; move the code, or justify the arrow there and in xtask/src/arrows.rs",
        forbidden.join(", ")
    );
    Ok(())
}

fn forbidden(metadata: &Metadata) -> Vec<String> {
    let allowed: BTreeMap<_, _> = ALLOWED.into_iter().collect();
    let ours: Vec<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let mut found = Vec::new();
    for package in &metadata.packages {
        let may = allowed.get(package.name.as_str());
        let used = package.dependencies.iter().map(|dependency| dependency.name.as_str());
        for name in used.filter(|name| ours.contains(name)) {
            if may.is_none_or(|may| !may.contains(&name)) {
                found.push(format!("{} -> {name}", package.name));
            }
        }
        if may.is_none() {
            found.push(format!("{} is unknown", package.name));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dependency_rules_hold() {
        check().unwrap();
    }

    #[test]
    fn a_forbidden_dependency_is_found() {
        let package = |name: &str, uses: &str| Package {
            name: name.to_owned(),
            dependencies: vec![Dependency { name: uses.to_owned() }],
        };
        let metadata = Metadata {
            packages: vec![package("franz-chat", "franz-record"), package("franz-record", "serde")],
        };
        assert_eq!(forbidden(&metadata), ["franz-chat -> franz-record"]);
    }
}
