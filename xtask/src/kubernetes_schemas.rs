//! Holds the jobs that FRANZ writes for Kubernetes to its published schemas.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::browser;
use crate::process::{cargo, root, run, target};
use crate::python;

/// The directory with the script and the schemas' pinned version.
const TESTS: &str = "crates/suite/tests/kubernetes";

/// Builds the program and validates its jobs.
pub(crate) fn test() -> Result<()> {
    run(&mut cargo(&["build", "--quiet", "--package", "franz-agent"]))?;
    validate(&browser::program()?)
}

/// Installs the schemas if necessary, and validates the jobs of this program.
pub(crate) fn validate(franz: &Path) -> Result<()> {
    let python = python::environment("kubernetes", &root().join(TESTS).join("requirements.txt"))?;
    let place = target()?.join("kubernetes/jobs");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    let script = root().join(TESTS).join("validate.py");
    let mut validation = Command::new(python);
    // The person's trusted suites and plans on this machine stay unchanged.
    validation.env("XDG_STATE_HOME", place.join("state"));
    run(validation.arg("-B").arg(script).arg(franz).arg(place))
}
