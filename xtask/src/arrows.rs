//! The dependencies between our crates, held to the ones that ARCHITECTURE.md allows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::process::{cargo, output, root};

/// The paragraph that lists the allowed arrows begins with these words.
const PARAGRAPH: &str = "Allowed arrows:";
/// The package in `crates/franz`. Every other package is named after its directory.
const PROGRAM: (&str, &str) = ("franz", "franz-agent");
/// Stands for every crate but the one itself.
const ALL: &str = "all";

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

/// Each of our packages, with the ones that it depends on for any purpose.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Fails if a crate has a dependency that ARCHITECTURE.md does not allow, or if nothing uses one that it allows.
pub(crate) fn check() -> Result<()> {
    let path = root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let json = output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let complaints = differences(&used(&serde_json::from_slice(&json)?), &allowed(&text)?);
    ensure!(
        complaints.is_empty(),
        "{}; move the code, or mend the paragraph `{PARAGRAPH}` of ARCHITECTURE.md",
        complaints.join(", ")
    );
    Ok(())
}

fn used(metadata: &Metadata) -> Arrows {
    let ours: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let of = |package: &Package| -> BTreeSet<String> {
        let names = package.dependencies.iter().map(|dependency| dependency.name.clone());
        names.filter(|name| ours.contains(name.as_str())).collect()
    };
    metadata
        .packages
        .iter()
        .map(|package| (package.name.clone(), of(package)))
        .collect()
}

/// Reads arrows such as `relay -> chat` from the text of ARCHITECTURE.md.
fn allowed(text: &str) -> Result<Arrows> {
    let paragraph = text
        .split("\n\n")
        .find(|paragraph| paragraph.starts_with(PARAGRAPH))
        .with_context(|| format!("ARCHITECTURE.md has no paragraph `{PARAGRAPH}`"))?;
    let spans = paragraph.split('`').skip(1).step_by(2);
    let arrows = spans.filter_map(|span| span.split_once("->"));
    Ok(arrows
        .map(|(from, to)| {
            let to = to.split(',').map(|name| package(name.trim()));
            (package(from.trim()), to.collect())
        })
        .collect())
}

fn package(name: &str) -> String {
    let (directory, package) = PROGRAM;
    match name {
        ALL => ALL.to_owned(),
        name if name == directory => package.to_owned(),
        name => format!("franz-{name}"),
    }
}

fn differences(used: &Arrows, allowed: &Arrows) -> Vec<String> {
    let none = BTreeSet::new();
    let mut found = Vec::new();
    for (from, to) in used {
        let may = allowed.get(from).unwrap_or(&none);
        let forbidden = to.iter().filter(|name| !may.contains(*name) && !may.contains(ALL));
        found.extend(forbidden.map(|name| format!("{from} -> {name} is not allowed")));
    }
    for (from, to) in allowed {
        let does = used.get(from).unwrap_or(&none);
        let unused = to.iter().filter(|name| *name != ALL && !does.contains(*name));
        found.extend(unused.map(|name| format!("{from} -> {name} is allowed but not used")));
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
    fn arrows_that_are_not_allowed_or_not_used_are_found() {
        let text = "# Crates\n\nAllowed arrows: `relay -> chat`, `panel ->\nchat,\nrelay`, `franz -> all`. `chat` has none.\n\nMore.";
        let packages = [
            ("franz-chat", vec!["serde", "franz-relay"]),
            ("franz-relay", vec!["franz-chat"]),
            ("franz-panel", vec!["franz-relay"]),
            ("franz-agent", vec!["franz-chat", "franz-panel"]),
        ];
        let package = |(name, uses): (&str, Vec<&str>)| Package {
            name: name.to_owned(),
            dependencies: uses
                .into_iter()
                .map(|name| Dependency { name: name.to_owned() })
                .collect(),
        };
        let metadata = Metadata {
            packages: packages.into_iter().map(package).collect(),
        };
        assert_eq!(
            differences(&used(&metadata), &allowed(text).unwrap()),
            [
                "franz-chat -> franz-relay is not allowed",
                "franz-panel -> franz-chat is allowed but not used"
            ]
        );
        assert!(allowed("# Crates\n").is_err());
    }
}
