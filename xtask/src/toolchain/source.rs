//! The source of Rust's standard library, in exactly the compiler's version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::{Compiler, Target};
use crate::packages::is_debian;
use crate::process::{output, run};

/// The Debian suites with recent versions. Often no single suite has the version of the installed compiler.
const SUITES: [&str; 3] = ["stable", "stable-backports", "unstable"];

/// Returns the directory of the library, which is either the compiler's own or from Debian's package.
pub(super) fn library(compiler: &Compiler, target: &Target, cache: &Path) -> Result<PathBuf> {
    let own = compiler.sysroot.join("lib/rustlib/src/rust/library");
    if own.join("std").is_dir() {
        return Ok(own);
    }
    let folder = cache.join("source");
    let release = &compiler.release;
    let library = folder.join(format!("usr/src/rustc-{release}/library"));
    if !library.join("std").is_dir() {
        let package = download(release, &folder).with_context(|| {
            let triple = target.triple;
            format!("there is no standard library for {triple}; if you use rustup, run rustup target add {triple}")
        })?;
        unpack(&package, &format!("./usr/src/rustc-{release}/library"), &folder)?;
    }
    ensure!(
        library.join("std").is_dir(),
        "there is no library in {}",
        library.display()
    );
    Ok(library)
}

/// Downloads the package for this version. Does not change the state of the system's packages.
fn download(release: &str, folder: &Path) -> Result<PathBuf> {
    ensure!(
        is_debian(),
        "only Debian provides it as a source package, and this is not Debian"
    );
    let configuration = configure(&folder.join("apt"))?;
    let apt = |program: &str| {
        let mut apt = Command::new(program);
        apt.env("APT_CONFIG", &configuration).current_dir(folder);
        apt
    };
    run(apt("apt-get").args(["update", "--quiet=2"]))?;
    let table = output(apt("apt-cache").args(["madison", "rust-src"]))?;
    let table = String::from_utf8_lossy(&table);
    let Some(version) = table.lines().find_map(|line| version_of(line, release)) else {
        bail!("Debian has no rust-src {release} at the moment");
    };
    run(apt("apt-get")
        .args(["download", "--quiet=2"])
        .arg(format!("rust-src={version}")))?;
    let is_package = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "deb");
    let mut paths = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(is_package).context("apt-get downloaded no package")
}

/// Returns the package's version from a line `rust-src | 1.95.0+dfsg1-2 | ...`, if it is for this release.
fn version_of<'a>(line: &'a str, release: &str) -> Option<&'a str> {
    let version = line.split('|').nth(1)?.trim();
    (version.split(['+', '-']).next() == Some(release)).then_some(version)
}

/// Writes apt settings with this system's mirror but other suites. Returns the settings file.
fn configure(folder: &Path) -> Result<PathBuf> {
    for empty in ["lists/partial", "cache/archives/partial", "empty"] {
        fs::create_dir_all(folder.join(empty))?;
    }
    let mirrors = output(Command::new("apt-get").args([
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
        "Origin: Debian",
        "Label: Debian",
    ]))?;
    let mirrors = String::from_utf8_lossy(&mirrors);
    let mirror = mirrors.lines().next().context("apt has no Debian mirror")?;
    let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let sources = SUITES.map(|suite| format!("deb [signed-by={key}] {mirror} {suite} main\n"));
    fs::write(folder.join("sources.list"), sources.concat())?;
    fs::write(folder.join("status"), "")?;
    let here = folder.display();
    let settings = [
        format!("Dir::Etc::sourcelist \"{here}/sources.list\";"),
        format!("Dir::Etc::sourceparts \"{here}/empty\";"),
        "Dir::Etc::preferences \"/dev/null\";".to_owned(),
        format!("Dir::Etc::preferencesparts \"{here}/empty\";"),
        format!("Dir::State::lists \"{here}/lists\";"),
        format!("Dir::State::status \"{here}/status\";"),
        format!("Dir::Cache \"{here}/cache\";"),
        "Acquire::Languages \"none\";".to_owned(),
        // The directory is owned by the user who runs this, and apt's own user may not write to it.
        "APT::Sandbox::User \"\";".to_owned(),
    ];
    let file = folder.join("apt.conf");
    fs::write(&file, settings.join("\n"))?;
    Ok(file)
}

/// Unpacks one directory of a package, and removes the package.
fn unpack(package: &Path, wanted: &str, folder: &Path) -> Result<()> {
    let mut archive = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(package)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start dpkg-deb")?;
    let archived = archive.stdout.take().context("dpkg-deb has no output")?;
    let unpacked = run(Command::new("tar")
        .arg("-x")
        .arg("-C")
        .arg(folder)
        .arg(wanted)
        .stdin(archived));
    ensure!(
        archive.wait()?.success(),
        "dpkg-deb could not read {}",
        package.display()
    );
    fs::remove_file(package)?;
    unpacked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_a_release_is_found() {
        for (line, expected) in [
            (
                "  rust-src | 1.95.0+dfsg1-2~bpo13+1 | mirror suite/main",
                Some("1.95.0+dfsg1-2~bpo13+1"),
            ),
            ("  rust-src | 1.95.0-1 | mirror suite/main", Some("1.95.0-1")),
            ("  rust-src | 1.95.01-1 | mirror suite/main", None),
            ("", None),
        ] {
            assert_eq!(version_of(line, "1.95.0"), expected, "{line}");
        }
    }
}
