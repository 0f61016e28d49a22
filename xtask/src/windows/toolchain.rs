//! What compiles and links for Windows: the compiler that is there, a standard library for it, and MinGW.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::source;
use crate::process::{cargo, output, run};

/// What is built for; the linker of MinGW is to be had everywhere.
pub(crate) const TARGET: &str = "x86_64-pc-windows-gnu";

/// MinGW's linker, which is its compiler, too.
pub(super) const LINKER: &str = "x86_64-w64-mingw32-gcc";

/// The Rust compiler that is there.
pub(super) struct Compiler {
    /// `1.95.0`
    pub(super) release: String,
    /// Tells apart compilers of the same release.
    commit: String,
    /// Where its libraries are.
    pub(super) sysroot: PathBuf,
}

/// Everything that it takes to build for Windows.
pub(super) struct Toolchain {
    /// Where the standard library is; `None`: where the compiler has it.
    sysroot: Option<PathBuf>,
}

impl Toolchain {
    /// Takes the standard library that is installed, or builds one, once for each compiler.
    pub(super) fn provide(cache: &Path) -> Result<Toolchain> {
        let compiler = Compiler::find()?;
        if libraries(&compiler.sysroot).is_dir() {
            return Ok(Toolchain { sysroot: None });
        }
        let sysroot = cache.join(format!("sysroot-{}-{}", compiler.release, compiler.commit));
        if !sysroot.is_dir() {
            build(&compiler, cache, &sysroot)?;
        }
        Ok(Toolchain { sysroot: Some(sysroot) })
    }

    /// `cargo` with this subcommand, for Windows.
    pub(super) fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = cargo(&[subcommand, "--target", TARGET]);
        cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", LINKER);
        if let Some(sysroot) = &self.sysroot {
            let mut flags = std::ffi::OsString::from("--sysroot\x1f");
            flags.push(sysroot);
            cargo.env("CARGO_ENCODED_RUSTFLAGS", flags);
            // A library that cargo has built without that itself holds nothing to optimise across crates.
            cargo.env("CARGO_PROFILE_RELEASE_LTO", "false");
        }
        cargo
    }
}

impl Compiler {
    fn find() -> Result<Compiler> {
        let rustc = |argument: &[&str]| -> Result<String> {
            let text = output(Command::new("rustc").args(argument))?;
            Ok(String::from_utf8(text)?)
        };
        let about = rustc(&["-vV"])?;
        let value = |name: &str| {
            let found = about
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found
                .map(str::to_owned)
                .with_context(|| format!("rustc -vV names no {name}"))
        };
        Ok(Compiler {
            release: value("release")?,
            commit: value("commit-hash")?.chars().take(9).collect(),
            sysroot: rustc(&["--print", "sysroot"])?.trim().into(),
        })
    }
}

/// Where the compiler looks for the standard library.
fn libraries(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TARGET).join("lib")
}

/// Builds the standard library with the options of cargo that are meant for that, though not yet stable.
fn build(compiler: &Compiler, cache: &Path, sysroot: &Path) -> Result<()> {
    let library = source::library(compiler, cache)?;
    let (project, built, unfinished) = (cache.join("std"), cache.join("std/target"), cache.join("sysroot"));
    let _ = fs::remove_dir_all(&unfinished);
    fs::create_dir_all(libraries(&unfinished))?;
    fs::create_dir_all(project.join("src"))?;
    let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(project.join("Cargo.toml"), manifest)?;
    fs::write(project.join("src/lib.rs"), "#![no_std]\n")?;
    let unstable = |command: &mut Command| run(command.env("RUSTC_BOOTSTRAP", "1").current_dir(&project));
    unstable(
        cargo(&["build", "--release", "--quiet", "--target", TARGET])
            .arg("-Zbuild-std=std,panic_unwind,panic_abort,test")
            .arg("--target-dir")
            .arg(&built)
            .env("__CARGO_TESTS_ONLY_SRC_ROOT", &library),
    )?;
    for entry in fs::read_dir(built.join(TARGET).join("release/deps"))? {
        let path = entry?.path();
        let name = path.file_name().context("a library without a name")?.to_string_lossy();
        if name.ends_with(".rlib") && !name.starts_with("libempty") {
            fs::copy(&path, libraries(&unfinished).join(&*name))?;
        }
    }
    // What a program of this target begins and ends with is no crate; so cargo has not built it.
    for object in ["rsbegin", "rsend"] {
        let mut rustc = Command::new("rustc");
        rustc.args(["--target", TARGET, "--emit=obj", "-o"]);
        rustc.arg(libraries(&unfinished).join(format!("{object}.o")));
        unstable(rustc.arg(library.join(format!("rtstartup/{object}.rs"))))?;
    }
    fs::remove_dir_all(&project)?;
    Ok(fs::rename(unfinished, sysroot)?)
}
