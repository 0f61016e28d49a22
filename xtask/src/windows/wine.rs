//! Wine, with a Windows installation that nothing else uses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::display::Display;
use crate::process::{output, root, run, succeeds};
use crate::toolchain::WINDOWS;

/// Debian's paths for Wine. The `wine` on `PATH` complains at every start that it cannot run 32-bit programs.
const DEBIAN: (&str, &str) = ("/usr/lib/wine/wine64", "/usr/lib/wine/wineserver64");

/// A running Windows. When this value is dropped, Windows ends along with all programs in it.
pub(super) struct Wine {
    program: &'static str,
    server: &'static str,
    /// The directory that contains the Windows disk.
    prefix: PathBuf,
    /// The display that shows Windows.
    display: String,
    /// A file with the contents of the display.
    picture: PathBuf,
}

/// Returns the program that runs Windows programs, and the one that acts as the Windows kernel.
pub(super) fn program() -> Option<(&'static str, &'static str)> {
    let known = [DEBIAN, ("wine64", "wineserver"), ("wine", "wineserver")];
    known
        .into_iter()
        .find(|(program, _)| succeeds(Command::new(program).arg("--version")))
}

impl Wine {
    /// Starts Windows on a display. For each version of Wine, the disk is created only the first time.
    pub(super) fn start(cache: &Path, display: &Display) -> Result<Wine> {
        let (program, server) = program().context("Wine is not installed")?;
        let version = output(Command::new(program).arg("--version"))?;
        let version = String::from_utf8_lossy(&version);
        let version = version.split_whitespace().next().unwrap_or("wine").to_owned();
        let wine = Wine {
            program,
            server,
            prefix: cache.join(version),
            display: display.name.clone(),
            picture: display.picture.clone(),
        };
        fs::create_dir_all(&wine.prefix)?;
        // Let the server run for a minute after the last program has ended. Programs then start several times as fast,
        // and after a kill, no process is left running for long.
        run(wine.runs(&mut Command::new(server)).arg("-p60"))?;
        let made = wine.prefix.join("made");
        if !made.is_file() {
            let mut boot = wine.command();
            run(boot.args(["wineboot", "--init"]).stdout(Stdio::null()))?;
            wine.complete()?;
            fs::write(made, "")?;
        }
        Ok(wine)
    }

    /// Returns the command for a Windows program.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        self.runs(&mut command);
        command
    }

    /// Returns a function that creates the command for this program.
    pub(super) fn starter(&self, program: PathBuf) -> impl Fn() -> Command {
        move || {
            let mut command = self.command();
            command.arg(&program);
            command
        }
    }

    /// Makes a command, and the programs that cargo runs for it, use this Windows.
    pub(super) fn runs<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", self.program)
            .env("WINEPREFIX", &self.prefix)
            .env("WINEARCH", "win64")
            .env("WINEDEBUG", "-all")
            // Disable .NET and a browser, which Wine would offer to download, and menu entries on this desktop.
            .env("WINEDLLOVERRIDES", "mscoree=;mshtml=;winemenubuilder.exe=d")
            .env("DISPLAY", &self.display)
            .env("LC_ALL", "C.UTF-8")
            .env("X_SERVER_PICTURE", &self.picture)
    }

    /// Adds a library that every Rust program needs and that versions before 9 do not have.
    fn complete(&self) -> Result<()> {
        let library = self.prefix.join("drive_c/windows/system32/bcryptprimitives.dll");
        if library.exists() {
            return Ok(());
        }
        let source = root().join("xtask/src/windows/bcryptprimitives.c");
        let mut compiler = Command::new(WINDOWS.linker);
        run(compiler
            .args(["-shared", "-Os", "-s", "-o"])
            .arg(library)
            .arg(source)
            .arg("-lbcrypt"))
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        let _ = self.runs(Command::new(self.server).arg("-k")).status();
    }
}
