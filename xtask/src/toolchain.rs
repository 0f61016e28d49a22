//! Everything needed to compile and link for another system or processor: the installed compiler, a standard library
//! and a linker.

mod source;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{cargo, output, run, succeeds};

/// A system and processor to build for.
pub(crate) struct Target {
    /// The compiler's name for the target.
    pub(crate) triple: &'static str,
    /// The linker, which is also a C compiler.
    pub(crate) linker: &'static str,
    /// The Debian packages that contain the linker.
    packages: &'static [&'static str],
    /// The objects at the start and end of a program for this target. No crate contains them.
    objects: &'static [&'static str],
}

/// Windows, with MinGW, which can be installed everywhere.
pub(crate) const WINDOWS: Target = Target {
    triple: "x86_64-pc-windows-gnu",
    linker: "x86_64-w64-mingw32-gcc",
    packages: &["gcc-mingw-w64-x86-64-posix"],
    objects: &["rsbegin", "rsend"],
};

/// Linux on 64-bit ARM.
pub(crate) const ARM: Target = Target {
    triple: "aarch64-unknown-linux-gnu",
    linker: "aarch64-linux-gnu-gcc",
    packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    objects: &[],
};

/// macOS on Apple's processors and on Intel's. Apple's linker runs only there, so this can check but not link.
pub(crate) const MACOS: [Target; 2] = [
    Target::macos("aarch64-apple-darwin"),
    Target::macos("x86_64-apple-darwin"),
];

impl Target {
    const fn macos(triple: &'static str) -> Target {
        Target {
            triple,
            linker: "cc",
            packages: &[],
            objects: &[],
        }
    }

    /// Returns the linker's Debian packages, or none if the linker is installed.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        if succeeds(Command::new(self.linker).arg("--version")) {
            vec![]
        } else {
            self.packages.to_vec()
        }
    }

    /// Returns the triple as it appears in the names of environment variables.
    fn variable(&self) -> String {
        self.triple.to_uppercase().replace('-', "_")
    }
}

/// How to build the standard library if it is not installed for the target.
#[derive(Clone, Copy)]
pub(crate) enum Library {
    /// Optimised for speed, for users.
    Optimised,
    /// Unoptimised, for tests. Building it takes half the time.
    Unoptimised,
}

impl Library {
    fn name(self) -> &'static str {
        match self {
            Library::Optimised => "optimised",
            Library::Unoptimised => "unoptimised",
        }
    }

    fn level(self) -> &'static str {
        match self {
            Library::Optimised => "3",
            Library::Unoptimised => "0",
        }
    }
}

/// The installed Rust compiler.
struct Compiler {
    /// `1.95.0`
    release: String,
    /// The commit, which distinguishes compilers of the same release.
    commit: String,
    /// The location of the compiler's libraries.
    sysroot: PathBuf,
}

/// Everything that is needed to build for a target.
pub(crate) struct Toolchain {
    target: &'static Target,
    /// The location of the standard library; `None` if it is the compiler's own.
    sysroot: Option<PathBuf>,
}

impl Toolchain {
    /// Uses the installed standard library. If there is none, builds one in the cache, once for each compiler and
    /// optimisation level.
    pub(crate) fn provide(target: &'static Target, library: Library, cache: &Path) -> Result<Toolchain> {
        let compiler = Compiler::find()?;
        if libraries(&compiler.sysroot, target).is_dir() {
            return Ok(Toolchain { target, sysroot: None });
        }
        let kind = library.name();
        let sysroot = cache.join(format!("sysroot-{}-{}-{kind}", compiler.release, compiler.commit));
        if !libraries(&sysroot, target).is_dir() {
            build(&compiler, target, library, cache, &sysroot)?;
        }
        Ok(Toolchain {
            target,
            sysroot: Some(sysroot),
        })
    }

    /// Returns `cargo` with this subcommand for the target.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = cargo(&[subcommand, "--target", self.target.triple]);
        cargo.env(
            format!("CARGO_TARGET_{}_LINKER", self.target.variable()),
            self.target.linker,
        );
        if let Some(sysroot) = &self.sysroot {
            let mut flags = std::ffi::OsString::from("--sysroot\x1f");
            flags.push(sysroot);
            cargo.env("CARGO_ENCODED_RUSTFLAGS", flags);
            // A library that cargo built without LTO contains nothing that could be optimised across crates.
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

/// Returns where the compiler looks for the standard library.
fn libraries(sysroot: &Path, target: &Target) -> PathBuf {
    sysroot.join("lib/rustlib").join(target.triple).join("lib")
}

/// Builds the standard library with cargo's options for this purpose, which are not stable yet.
fn build(compiler: &Compiler, target: &Target, library: Library, cache: &Path, sysroot: &Path) -> Result<()> {
    let source = source::library(compiler, target, cache)?;
    let (project, built, unfinished) = (cache.join("std"), cache.join("std/target"), cache.join("sysroot"));
    let _ = fs::remove_dir_all(&unfinished);
    fs::create_dir_all(libraries(&unfinished, target))?;
    fs::create_dir_all(project.join("src"))?;
    let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(project.join("Cargo.toml"), manifest)?;
    fs::write(project.join("src/lib.rs"), "#![no_std]\n")?;
    let unstable = |command: &mut Command| run(command.env("RUSTC_BOOTSTRAP", "1").current_dir(&project));
    unstable(
        cargo(&["build", "--release", "--quiet", "--target", target.triple])
            .arg("-Zbuild-std=std,panic_unwind,panic_abort,test")
            .arg("--target-dir")
            .arg(&built)
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", library.level())
            .env("__CARGO_TESTS_ONLY_SRC_ROOT", &source),
    )?;
    for entry in fs::read_dir(built.join(target.triple).join("release/deps"))? {
        let path = entry?.path();
        let name = path.file_name().context("a library without a name")?.to_string_lossy();
        if name.ends_with(".rlib") && !name.starts_with("libempty") {
            fs::copy(&path, libraries(&unfinished, target).join(&*name))?;
        }
    }
    for object in target.objects {
        let mut rustc = Command::new("rustc");
        rustc.args(["--target", target.triple, "--emit=obj", "-o"]);
        rustc.arg(libraries(&unfinished, target).join(format!("{object}.o")));
        unstable(rustc.arg(source.join(format!("rtstartup/{object}.rs"))))?;
    }
    fs::remove_dir_all(&project)?;
    Ok(fs::rename(unfinished, sysroot)?)
}
