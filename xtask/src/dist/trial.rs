//! Tests whether the unpacked program runs without any of our other files.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::packages;
use crate::process::{output, run, succeeds};
use crate::recorded;
use crate::windows;

const TURNS: usize = 3;

/// The program that runs ARM programs on this machine.
const QEMU: &str = "qemu-aarch64";

/// The directory with Debian's libraries for ARM.
const ARM_LIBRARIES: &str = "/usr/aarch64-linux-gnu";

/// Runs every program for a few turns, using the built-in model.
pub(super) fn all(unpacked: &Path) -> Result<()> {
    for entry in fs::read_dir(unpacked)? {
        let folder = entry?.path();
        let linux = folder.join("franz");
        if is_for_arm(&folder) {
            emulated(&linux, &folder.join("run"))?;
        } else if linux.is_file() {
            natively(&linux, &folder.join("run"))?;
        } else {
            windows::try_program(&folder.join("franz.exe"))?;
        }
    }
    Ok(())
}

fn is_for_arm(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with("aarch64-linux")
}

fn natively(program: &Path, recorded: &Path) -> Result<()> {
    ensure_version(Command::new(program))?;
    run(turns(&mut Command::new(program), recorded).args(["--no-open", "--dashboard", "127.0.0.1:0"]))?;
    recorded::ensure_turns(recorded, TURNS)
}

/// Runs the program without the panel. The panel would start the agent, which is also an ARM program, and the system
/// cannot start that without QEMU.
fn emulated(program: &Path, recorded: &Path) -> Result<()> {
    if !succeeds(Command::new(QEMU).arg("--version")) {
        packages::install("testing the program for ARM needs QEMU", &["qemu-user"])?;
    }
    let emulator = || {
        let mut qemu = Command::new(QEMU);
        qemu.args(["-L", ARM_LIBRARIES]).arg(program);
        qemu
    };
    ensure_version(emulator())?;
    run(turns(&mut emulator(), recorded).arg("--no-panel"))?;
    recorded::ensure_turns(recorded, TURNS)
}

fn ensure_version(mut program: Command) -> Result<()> {
    let version = output(program.arg("--version"))?;
    let version = String::from_utf8_lossy(&version);
    ensure!(
        version.trim() == concat!("franz ", env!("CARGO_PKG_VERSION")),
        "the program reports the wrong version: {version}"
    );
    Ok(())
}

/// Runs a few turns on the canvas, recorded in this directory.
fn turns<'a>(program: &'a mut Command, recorded: &Path) -> &'a mut Command {
    program
        .args(["run", "--upstream", "demo", "--max-turns", &TURNS.to_string()])
        .arg("--run-dir")
        .arg(recorded)
        .env("XDG_STATE_HOME", recorded.with_extension("state"))
}
