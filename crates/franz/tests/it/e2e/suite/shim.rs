//! Faults of the machine, for `franz suite` and everything that it starts: a library that is loaded before all others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::Workplace;

/// The beginning of that `bwrap`. A run's own folder has another name in the sandbox.
const SANDBOX: &str = r#"#!/bin/sh
own=
while [ "$1" != -- ]; do
  case "$1 $3" in
    --chdir*) cd "$2";;
    "--bind /franz-run") own=$2;;
  esac
  shift
done
shift
for word in "$@"; do
  case $word in /franz-run*) word=$own${word#/franz-run};; esac
  set -- "$@" "$word"
  shift
done
"#;

/// A fault: a library, and the variables that it reads.
pub(super) struct Shim {
    variables: Vec<(&'static str, String)>,
    folder: PathBuf,
}

impl Shim {
    /// Compiles a library from C.
    pub(super) fn new(place: &Workplace, source: &str, variables: Vec<(&'static str, String)>) -> Shim {
        let folder = place.path("shim");
        fs::create_dir(&folder).unwrap();
        let (code, library) = (folder.join("shim.c"), folder.join("shim.so"));
        fs::write(&code, source).unwrap();
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .args([&library, &code])
            .arg("-ldl")
            .status();
        assert!(compiled.expect("a C compiler").success());
        let preload = ("LD_PRELOAD", library.display().to_string());
        let variables = [vec![preload], variables].concat();
        let shim = Shim { variables, folder };
        shim.write_sandbox();
        shim
    }

    /// Writes a `bwrap` that keeps nothing in, but passes the fault on. Attempts get none of our variables otherwise.
    fn write_sandbox(&self) {
        let variables: Vec<String> = self
            .variables
            .iter()
            .map(|(name, value)| format!("export {name}='{value}'\n"))
            .collect();
        let script = format!("{SANDBOX}{}exec \"$@\"\n", variables.concat());
        let file = self.folder.join("bwrap");
        fs::write(&file, script).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Lets a command run with this fault.
    pub(super) fn on(&self, mut command: Command) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.clone()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }
}

/// Returns a path as an argument.
pub(super) fn text(path: &Path) -> String {
    path.canonicalize()
        .unwrap_or_else(|_| path.to_owned())
        .display()
        .to_string()
}
