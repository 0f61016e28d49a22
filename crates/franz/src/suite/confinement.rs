//! Keeps the programs on a private desktop out of the folder in which their run writes its record.
//!
//! Both are in the same sandbox, so the sandbox cannot distinguish them. Landlock, a part of Linux, can: a thread gives
//! up access for good, and whatever it starts gives it up with it.

use std::path::Path;

use anyhow::Result;

/// Where the sandbox has that folder. It is a separate folder, because programs may write below other folders of `/`.
pub(crate) const OWN: &str = "/franz-run";

/// Runs a closure. The programs that it starts cannot use a folder directly below `/`, nor find it by another path.
pub(crate) fn without<T: Send>(hidden: Option<&Path>, start: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let Some(hidden) = hidden else {
        return start();
    };
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            platform::give_up(hidden)?;
            start()
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Returns whether this system can do it.
pub(crate) fn is_possible() -> bool {
    platform::is_possible()
}

#[cfg(target_os = "linux")]
mod platform {
    use std::path::{Path, PathBuf};

    use anyhow::{Context as _, Result};
    use landlock::{
        ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreated,
        RulesetCreatedAttr as _, RulesetError, path_beneath_rules,
    };

    /// The first Landlock version that also prevents truncating files by path (Linux 6.2).
    const VERSION: ABI = ABI::V3;

    /// The folders in which programs may write, as far as the sandbox lets them: their home is below `/tmp`.
    const WRITABLE: [&str; 4] = ["/dev", "/proc", "/tmp", "/var/tmp"];

    /// Gives up everything below `/` but what any program needs, for this thread and what it starts.
    pub(super) fn give_up(hidden: &Path) -> Result<()> {
        let entries = std::fs::read_dir("/").context("cannot list the folders of the sandbox")?;
        let visible = entries.flatten().map(|entry| entry.path());
        let visible: Vec<PathBuf> = visible.filter(|path| path != hidden).collect();
        let restricted = ruleset()
            .and_then(|rules| rules.add_rules(path_beneath_rules(&visible, AccessFs::from_read(VERSION))))
            .and_then(|rules| rules.add_rules(path_beneath_rules(WRITABLE, AccessFs::from_all(VERSION))))
            // The names in the hidden folder are no secret, and anybody may list `/`.
            .and_then(|rules| rules.add_rules(path_beneath_rules(["/"], AccessFs::ReadDir)))
            .and_then(RulesetCreated::restrict_self);
        restricted.context("cannot keep programs out of the record")?;
        Ok(())
    }

    pub(super) fn is_possible() -> bool {
        ruleset().is_ok()
    }

    fn ruleset() -> Result<RulesetCreated, RulesetError> {
        let all = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        all.handle_access(AccessFs::from_all(VERSION))?.create()
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use std::path::Path;

    use anyhow::{Result, bail};

    pub(super) fn give_up(_: &Path) -> Result<()> {
        bail!("only Linux can keep programs out of a folder")
    }

    pub(super) fn is_possible() -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;
    use std::process::Command;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test starts a program")]
    fn programs_are_kept_out_of_a_folder_and_nobody_else_is() {
        assert!(is_possible(), "this kernel lacks Landlock (Linux 6.2 or newer)");
        let looks = |path: &str| {
            let seen = Command::new("cat").arg(path).output().unwrap();
            seen.status.success()
        };
        let own = std::env::temp_dir().join("own");
        for (hidden, is_seen) in [(Path::new("/etc"), false), (own.as_path(), true)] {
            let seen = without(Some(hidden), || {
                Ok((
                    looks("/etc/passwd"),
                    looks("/etc/../etc/passwd"),
                    looks("/proc/self/root/etc/passwd"),
                ))
            });
            assert_eq!(seen.unwrap(), (is_seen, is_seen, is_seen), "{hidden:?}");
            assert!(File::open("/etc/passwd").is_ok());
        }
    }
}
