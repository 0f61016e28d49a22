//! The program as users get it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::packages;
use crate::process::{cargo, output, run, succeeds, target};
use crate::toolchain::{ARM, Library, Toolchain, WINDOWS};
use crate::windows;

/// The triple of a program that runs on any Linux, because it links nothing from the system.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// The triple of this machine.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// The program for one system.
pub(super) struct Program {
    /// The system and processor, such as `x86_64-linux`.
    pub(super) system: &'static str,
    /// The compiler's name for the system.
    pub(super) triple: &'static str,
    pub(super) file: PathBuf,
    /// The program's system requirements, in words.
    pub(super) needs: String,
}

/// Builds for Linux. Links statically if the compiler and the linker support it. Otherwise, the program needs a system
/// no older than this one.
pub(super) fn linux() -> Result<Program> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "archives can be built only on x86_64 Linux"
    );
    let build = ["build", "--release", "--locked", "--package", "franz-agent"];
    let made = target()?;
    if has_library(STATIC)? && succeeds(Command::new("musl-gcc").arg("--version")) {
        run(cargo(&build).args(["--target", STATIC]))?;
        return Ok(Program {
            system: "x86_64-linux",
            triple: STATIC,
            file: made.join(STATIC).join("release/franz"),
            needs: "nothing: it is linked statically".to_owned(),
        });
    }
    run(&mut cargo(&build))?;
    let file = made.join("release/franz");
    let needs = oldest_glibc("objdump", &file)?;
    eprintln!(
        "NOT STATIC: the program needs {needs}; to link it statically, run rustup target add {STATIC} and install musl-gcc"
    );
    Ok(Program {
        system: "x86_64-linux",
        triple: HOST,
        file,
        needs,
    })
}

/// Builds for Linux on 64-bit ARM. The program uses the system's glibc, and `needs` states the oldest version that
/// works.
pub(super) fn arm() -> Result<Program> {
    packages::install("building for ARM needs a linker for ARM", &ARM.missing())?;
    let toolchain = Toolchain::provide(&ARM, Library::Optimised, &target()?.join("arm"))?;
    run(toolchain
        .cargo("build")
        .args(["--package", "franz-agent", "--release", "--locked"]))?;
    let file = target()?.join(ARM.triple).join("release/franz");
    let needs = oldest_glibc("aarch64-linux-gnu-objdump", &file)?;
    eprintln!("the program for ARM needs {needs}");
    Ok(Program {
        system: "aarch64-linux",
        triple: ARM.triple,
        file,
        needs,
    })
}

/// Builds for Windows with MinGW.
pub(super) fn windows() -> Result<Program> {
    Ok(Program {
        system: "x86_64-windows",
        triple: WINDOWS.triple,
        file: windows::release()?,
        needs: "Windows 10 or newer".to_owned(),
    })
}

fn has_library(triple: &str) -> Result<bool> {
    let folder = output(Command::new("rustc").args(["--print", "target-libdir", "--target", triple]))?;
    Ok(Path::new(String::from_utf8(folder)?.trim()).is_dir())
}

/// Returns the oldest glibc that provides everything that a program requires of it.
fn oldest_glibc(objdump: &str, file: &Path) -> Result<String> {
    let symbols = output(Command::new(objdump).arg("-T").arg(file))?;
    let (major, minor) =
        newest_version(&String::from_utf8_lossy(&symbols)).context("the program names no glibc version")?;
    Ok(format!("glibc {major}.{minor} or newer"))
}

/// Returns the newest version among those written like `(GLIBC_2.34)`.
fn newest_version(symbols: &str) -> Option<(u32, u32)> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit())?;
        let mut numbers = rest[..end].split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_counts() {
        let symbols = "DF *UND* 0 (GLIBC_2.9)  poll\nDF *UND* 0 (GLIBC_2.34)  open\nDF *UND* 0 (GLIBC_2.2.5) read\n";
        assert_eq!(newest_version(symbols), Some((2, 34)));
        assert_eq!(newest_version("nothing"), None);
    }
}
