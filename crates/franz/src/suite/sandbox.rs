//! A sandbox for programs of a suite: bubblewrap, where it is installed.
//!
//! Inside, only the system's programs and the paths given can be read, and only the paths given can be written: not the
//! person's home, not the suite with its checks, not the results. All processes inside end together, even if this
//! process is killed. The first of them is the program itself, so that no other process holds its environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use franz_screen::child::{self, Environment};

/// The folders that hold the system's programs and their data, on the usual systems.
const SYSTEM: [&str; 15] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/sys",
    "/var/cache/fontconfig",
    "/run/systemd/resolve",
];

/// The folders of an inner system that are read for programs.
const RUN: &str = "/run/current-system";

/// How programs of a suite are kept in.
#[derive(Clone, Debug)]
pub(crate) struct SuiteSandbox {
    /// `None` if there is none on this machine that works.
    bubblewrap: Option<PathBuf>,
}

/// What a program in the sandbox may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed<'a> {
    /// Files and folders that it may read.
    pub(crate) read: &'a [&'a Path],
    /// Folders that it may read and write.
    pub(crate) write: &'a [&'a Path],
    /// Whether it may use the network.
    pub(crate) network: bool,
    /// Its working directory.
    pub(crate) directory: &'a Path,
}

impl SuiteSandbox {
    /// Finds out what this machine offers.
    pub(crate) fn of_this_machine() -> SuiteSandbox {
        let found = in_path("bwrap", std::env::var_os("PATH")).filter(|program| {
            let sandbox = SuiteSandbox {
                bubblewrap: Some(program.clone()),
            };
            let root = Path::new("/");
            let nothing = Allowed {
                read: &[],
                write: &[],
                network: false,
                directory: root,
            };
            let mut command = sandbox.command(&["true".into()], nothing, &Environment::helper());
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            status.is_ok_and(|status| status.success())
        });
        SuiteSandbox { bubblewrap: found }
    }

    /// Returns whether there is a sandbox.
    pub(crate) fn is_isolated(&self) -> bool {
        self.bubblewrap.is_some()
    }

    /// Returns the path of a program as the sandbox finds it.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        in_path(program, self.path())
    }

    /// Returns the folders in which programs are found inside.
    pub(crate) fn path(&self) -> Option<OsString> {
        let path = std::env::var_os("PATH")?;
        if self.bubblewrap.is_none() {
            return Some(path);
        }
        let visible = |folder: &PathBuf| SYSTEM.iter().chain([&RUN]).any(|system| folder.starts_with(system));
        std::env::join_paths(std::env::split_paths(&path).filter(visible)).ok()
    }

    /// Returns a command that runs a program with these arguments.
    pub(crate) fn command(&self, program: &[OsString], allowed: Allowed<'_>, environment: &Environment) -> Command {
        let environment = match self.path() {
            Some(path) => environment.clone().with("PATH", path),
            None => environment.clone(),
        };
        let Some(bubblewrap) = &self.bubblewrap else {
            let mut command = without(program, &environment);
            command.current_dir(allowed.directory);
            return command;
        };
        let mut command = child::command(bubblewrap, &environment);
        command.args([
            "--die-with-parent",
            "--unshare-pid",
            "--as-pid-1",
            "--unshare-uts",
            "--hostname",
            "franz",
            "--cap-drop",
            "ALL",
        ]);
        if is_root() {
            // A terminal that root starts gives its device to the group `tty`, and ends if it may not.
            command.args(["--cap-add", "CAP_CHOWN", "--cap-add", "CAP_SETGID"]);
        }
        if !allowed.network {
            command.arg("--unshare-net");
        }
        for folder in SYSTEM {
            let path = Path::new(folder);
            match std::fs::read_link(path) {
                Ok(target) => command.arg("--symlink").arg(target).arg(path),
                Err(_) if path.exists() => command.arg("--ro-bind").arg(path).arg(path),
                Err(_) => &mut command,
            };
        }
        if Path::new(RUN).exists() {
            command.args(["--ro-bind", RUN, RUN]);
        }
        command.args([
            "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp",
        ]);
        for path in allowed.read {
            command.arg("--ro-bind").arg(path).arg(path);
        }
        for path in allowed.write {
            command.arg("--bind").arg(path).arg(path);
        }
        command.arg("--chdir").arg(allowed.directory).arg("--").args(program);
        command
    }
}

/// Returns the command without a sandbox. On Linux, it ends with the thread that starts it.
fn without(program: &[OsString], environment: &Environment) -> Command {
    let itself = std::env::current_exe().ok().filter(|_| cfg!(target_os = "linux"));
    if let Some(itself) = itself {
        let mut command = child::command(itself, environment);
        command
            .arg("leash")
            .arg(std::process::id().to_string())
            .arg("--")
            .args(program);
        return command;
    }
    let (first, arguments) = program
        .split_first()
        .map_or((OsString::new(), &[][..]), |(first, rest)| (first.clone(), rest));
    let mut command = child::command(first, environment);
    command.args(arguments);
    command
}

fn in_path(program: &str, path: Option<OsString>) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&path?).collect();
    let candidates = folders.into_iter().map(|folder| folder.join(program));
    candidates.into_iter().find(|candidate| is_executable(candidate))
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|status| status.is_file() && status.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
