//! A sandbox for programs of a suite: bubblewrap, where it is installed.
//!
//! Inside, only the system's programs and the paths given can be read, and only the paths given can be written: not the
//! person's home, not the suite with its checks, not the results. All processes inside end together, even if this
//! process is killed. The first of them is the program itself, so that no other process holds its environment.
//!
//! A run also writes its record, by which checks judge. Programs on its desktop are kept out of it by Landlock.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use franz_screen::child::{self, Environment};

use super::confinement::{self, OWN};
use super::process::HERD;
use crate::terminal::complain;

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

/// The folders for temporary files, which are kept in memory, and the most bytes of each.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
const MOST_TEMPORARY: &str = "1073741824";

/// The warning about running without a sandbox.
const OPEN: &str = "not isolated: programs can read your files and the suite's checks, and tamper with what they \
    examine, and checks can use the network; install bubblewrap to prevent it";

/// The warning about a system without Landlock.
const UNCONFINED: &str = "not isolated: programs on a desktop can change the record that checks examine, because this \
    system lacks Landlock (Linux 6.2 or newer)";

/// How a suite's programs are confined.
#[derive(Clone, Debug)]
pub(crate) struct SuiteSandbox {
    /// `None` if there is none on this machine that works.
    bubblewrap: Option<PathBuf>,
    /// Whether it limits what programs keep in memory as files, which older ones cannot.
    limits_memory: bool,
    /// Whether the programs on a desktop are kept out of what only their run may write.
    confines: bool,
}

/// The resources that a program in the sandbox may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed<'a> {
    /// Files and folders that it may read.
    pub(crate) read: &'a [&'a Path],
    /// Folders that it may read and write.
    pub(crate) write: &'a [&'a Path],
    /// A folder that it may read and write at the place that [`SuiteSandbox::own`] returns, where the programs on its
    /// desktop may not.
    pub(crate) own: Option<&'a Path>,
    /// Whether it may use the network.
    pub(crate) network: bool,
    /// Its working directory.
    pub(crate) directory: &'a Path,
}

impl SuiteSandbox {
    /// Detects which isolation this machine supports. Without any, this process keeps what attempts leave behind.
    pub(crate) fn of_this_machine() -> SuiteSandbox {
        let bubblewrap = in_path("bwrap", std::env::var_os("PATH"));
        let sandbox = |limits_memory| SuiteSandbox {
            bubblewrap: bubblewrap.clone(),
            limits_memory,
            confines: false,
        };
        let works = |sandbox: &SuiteSandbox| sandbox.bubblewrap.is_some() && sandbox.works();
        if let Some(sandbox) = [true, false].map(sandbox).into_iter().find(works) {
            return SuiteSandbox {
                confines: confinement::is_possible(),
                ..sandbox
            };
        }
        #[cfg(target_os = "linux")]
        super::strays::adopt();
        SuiteSandbox {
            bubblewrap: None,
            limits_memory: false,
            confines: false,
        }
    }

    /// Returns whether a program runs in it.
    fn works(&self) -> bool {
        let nothing = Allowed {
            read: &[],
            write: &[],
            own: None,
            network: false,
            directory: Path::new("/"),
        };
        let mut command = self.command(&["true".into()], nothing, &Environment::helper());
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Warns the person if programs are not isolated.
    pub(crate) fn warn(&self) {
        if self.bubblewrap.is_none() {
            complain(OPEN);
        } else if !self.confines {
            complain(UNCONFINED);
        }
    }

    /// Returns whether programs can neither read the checks nor change what they examine, and the checks have no
    /// network.
    pub(crate) fn is_isolated(&self) -> bool {
        self.bubblewrap.is_some() && self.confines
    }

    /// Returns whether a limit of processes counts only those inside: it does in a namespace of users, since Linux 5.14.
    pub(crate) fn counts_processes(&self) -> bool {
        self.is_isolated() && !is_root()
    }

    /// Returns where a run finds its own folder.
    pub(crate) fn own<'a>(&self, folder: &'a Path) -> &'a Path {
        if self.bubblewrap.is_some() {
            Path::new(OWN)
        } else {
            folder
        }
    }

    /// Returns the arguments of a run that keeps the programs on its desktop out of its own folder.
    pub(crate) fn confining(&self) -> &'static [&'static str] {
        if self.confines { &["--keep-out-of", OWN] } else { &[] }
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
        command.args(["--proc", "/proc", "--dev", "/dev"]);
        for folder in TEMPORARY {
            if self.limits_memory {
                command.args(["--size", MOST_TEMPORARY]);
            }
            command.args(["--tmpfs", folder]);
        }
        for path in allowed.read {
            command.arg("--ro-bind").arg(path).arg(path);
        }
        for path in allowed.write {
            command.arg("--bind").arg(path).arg(path);
        }
        if let Some(own) = allowed.own {
            command.arg("--bind").arg(own).arg(OWN);
        }
        if self.limits_memory {
            // These are in memory, too.
            command.args(["--remount-ro", "/dev", "--remount-ro", "/"]);
        }
        command.arg("--chdir").arg(allowed.directory).arg("--").args(program);
        command
    }
}

/// Returns the command without a sandbox. On Linux, it ends with this process, and with it everything that it started.
fn without(program: &[OsString], environment: &Environment) -> Command {
    let itself = std::env::current_exe().ok().filter(|_| cfg!(target_os = "linux"));
    if let Some(itself) = itself {
        let mut command = child::command(itself, environment);
        command
            .arg(HERD)
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
