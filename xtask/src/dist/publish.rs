//! Whether each crate can be published: whole by itself, and with nothing in it that is not its own.

use anyhow::Result;

use crate::process::{cargo, run};

/// Packs all of them, and builds each from what was packed.
pub(super) fn check() -> Result<()> {
    // What is not committed yet is packed, too; an archive of it is made just as well.
    run(&mut cargo(&[
        "package",
        "--workspace",
        "--exclude",
        "xtask",
        "--locked",
        "--allow-dirty",
        "--quiet",
    ]))
}
