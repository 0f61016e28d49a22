//! A program's bill of materials in `CycloneDX` format, which lists every third-party crate linked into the program.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::licences;
use crate::crates::{self, Crate};
use crate::process::root;

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// Returns the bill of materials of the program for this triple. The same crates always give the same bytes.
pub(super) fn of(triple: &str) -> Result<Vec<u8>> {
    let version = env!("CARGO_PKG_VERSION");
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": format!("franz@{version}"),
                "name": "franz",
                "version": version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
                "properties": [{"name": "target", "value": triple}],
            },
        },
        "components": components(triple)?,
    });
    let mut text = serde_json::to_vec_pretty(&bill)?;
    text.push(b'\n');
    Ok(text)
}

fn components(triple: &str) -> Result<Vec<Value>> {
    let linked = licences::linked(triple)?;
    let checksums = checksums()?;
    let mut components = BTreeMap::new();
    for one in crates::all()?.iter().filter(|one| one.source.is_some()) {
        let label = format!("{} {}", one.name, one.version);
        if linked.contains(&label) {
            let checksum = checksums
                .get(&label)
                .with_context(|| format!("Cargo.lock has no checksum for {label}"))?;
            components.insert(label, component(one, checksum)?);
        }
    }
    Ok(components.into_values().collect())
}

fn component(one: &Crate, checksum: &str) -> Result<Value> {
    let Crate {
        name, version, license, ..
    } = one;
    let license = license
        .as_deref()
        .with_context(|| format!("{name} {version} names no licence"))?;
    let url = format!("pkg:cargo/{name}@{version}");
    Ok(json!({
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": version,
        "purl": url,
        // Older crates write `MIT/Apache-2.0` instead of `MIT OR Apache-2.0`.
        "licenses": [{"expression": license.replace('/', " OR ")}],
        "hashes": [{"alg": "SHA-256", "content": checksum}],
    }))
}

fn checksums() -> Result<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let lock: Lock = toml::from_str(&text).context("cannot read Cargo.lock")?;
    let packages = lock.package.into_iter();
    Ok(packages
        .filter_map(|one| Some((format!("{} {}", one.name, one.version), one.checksum?)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::WINDOWS;

    #[test]
    fn the_bill_names_every_linked_crate() {
        for (triple, own, other) in [
            (WINDOWS.triple, "windows-sys", "x11rb"),
            ("x86_64-unknown-linux-gnu", "x11rb", "windows-sys"),
        ] {
            let bill: Value = serde_json::from_slice(&of(triple).unwrap()).unwrap();
            let components = bill["components"].as_array().unwrap();
            assert_eq!(components.len(), licences::linked(triple).unwrap().len(), "{triple}");
            let named = |name: &str| components.iter().any(|one| one["name"] == name);
            assert!(named(own) && !named(other) && !named("insta"), "{triple}");
            for one in components {
                let licence = one["licenses"][0]["expression"].as_str().unwrap();
                assert!(spdx::Expression::parse(licence).is_ok(), "{one}");
                let hash = one["hashes"][0]["content"].as_str().unwrap();
                assert!(hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{one}");
            }
        }
    }
}
