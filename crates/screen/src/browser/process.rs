//! Runs a browser as a child process, connected by two pipes. The browser ends when this process does, however this
//! process ends.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::path::Path;

use tempfile::TempDir;

use crate::child::Environment;

#[cfg(unix)]
#[path = "process/pipes.rs"]
mod pipes;
#[cfg_attr(all(unix, not(target_os = "macos")), path = "process/linux.rs")]
#[cfg_attr(target_os = "macos", path = "process/macos.rs")]
#[cfg_attr(windows, path = "process/windows.rs")]
mod system;

/// A started browser, with this process's ends of the pipes.
pub(super) struct Started {
    pub(super) process: BrowserProcess,
    pub(super) hears: PipeReader,
    pub(super) says: PipeWriter,
}

/// A browser's process and its private directory. Dropping this removes both.
pub(super) struct BrowserProcess {
    /// Declared first, so that it ends before its directory is removed.
    _guard: system::ProcessGuard,
    _folder: TempDir,
    /// The browser's output, kept open because the file is removed when the browser ends.
    said: File,
}

impl BrowserProcess {
    /// Returns the output of a browser that has ended.
    pub(super) fn last_words(&mut self) -> String {
        let mut bytes = Vec::new();
        // Unreadable output is not reported.
        let _ = (&mut self.said).take(LAST_WORDS).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// How many bytes of a browser's output to read. The important part comes first.
const LAST_WORDS: u64 = 20_000;

/// Starts a browser with these arguments, plus those for its pipes and its directory.
#[expect(clippy::disallowed_methods, reason = "it is in a directory that was made at random")]
pub(super) fn start(program: &Path, arguments: &[String]) -> io::Result<Started> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("franz-browser-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir()?;
    for inside in ["profile", "home", "tmp"] {
        std::fs::create_dir(folder.path().join(inside))?;
    }
    let file = folder.path().join("said");
    let (says_here, said) = (File::create(&file)?, File::open(&file)?);
    let mut all = vec![format!("--user-data-dir={}", folder.path().join("profile").display())];
    all.extend_from_slice(arguments);
    let (guard, hears, says) = system::start(program, &all, &environment(folder.path()), folder.path(), says_here)?;
    Ok(Started {
        process: BrowserProcess {
            _guard: guard,
            _folder: folder,
            said,
        },
        hears,
        says,
    })
}

/// Returns an environment in which a browser keeps all of its files in its directory.
fn environment(folder: &Path) -> Environment {
    let helper = Environment::helper();
    if cfg!(windows) {
        let temporary = folder.join("tmp");
        return helper.with("TEMP", &temporary).with("TMP", &temporary);
    }
    let home = folder.join("home");
    [
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
    ]
    .into_iter()
    .fold(helper, |environment, name| environment.with(name, &home))
    .with("TMPDIR", folder.join("tmp"))
}
