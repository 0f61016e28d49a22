//! Provides a real model server for the tests: llama.cpp's server, installed from Python packages in
//! target/model-server.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, root, run, target};
use crate::python;

/// The cargo feature that enables the tests.
pub(crate) const FEATURE: &str = "franz-agent/model-server-tests";

/// The list of packages with their versions.
const PACKAGES: &str = "crates/franz/tests/it/real_server/requirements.txt";

/// The directory in the build output with the server.
const ENVIRONMENT: &str = "model-server";

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
    let python = python::environment(ENVIRONMENT, &root().join(PACKAGES))?;
    let place = target()?.join(ENVIRONMENT);
    let file = place.join("qwen2.json");
    if !file.is_file() || !place.join("templates").is_dir() {
        run(Command::new(python).arg("-B").arg(root().join(VOCABULARY)).arg(&file))?;
    }
    Ok(())
}
