//! Runs other programs in the root of the workspace.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    // Cargo sets this variable for programs that it runs. The compiled-in value might belong to another checkout that
    // shares the target directory.
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    xtask.parent().unwrap_or(&xtask).to_owned()
}

/// Returns the directory of cargo's build output.
pub(crate) fn target() -> Result<PathBuf> {
    #[derive(serde::Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let json = output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    Ok(serde_json::from_slice::<Metadata>(&json)?.target_directory)
}

/// Returns `cargo` with these arguments.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    // Cargo set these variables to describe xtask. Some build scripts depend on them, so that each change between
    // `cargo build` and `cargo xtask` would build half of the crates again.
    let about_xtask = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(about_xtask)) {
        command.env_remove(name);
    }
    command
}

/// Returns how much processor time all child processes that have ended used.
#[cfg(unix)]
pub(crate) fn children_time() -> Result<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let whole = usage.user_time() + usage.system_time();
    Ok(Duration::new(whole.tv_sec().try_into()?, 0) + Duration::from_micros(whole.tv_usec().try_into()?))
}

/// Returns clock time, because this system does not report processor time here.
#[cfg(not(unix))]
pub(crate) fn children_time() -> Result<Duration> {
    Ok(std::time::SystemTime::UNIX_EPOCH.elapsed()?)
}

/// Prints and runs a command. Fails if the command fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start: {shown}"))?;
    ensure!(status.success(), "failed ({status}): {shown}");
    Ok(())
}

/// Runs a command, and answers its question with yes.
pub(crate) fn agree(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    child.stdin.take().context("no stdin")?.write_all(b"y\n")?;
    ensure!(child.wait()?.success(), "failed: {shown}");
    Ok(())
}

/// Returns whether a command can be started and succeeds. Discards its output.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Returns a command's stdout.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let shown = shown(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start: {shown}"))?;
    ensure!(output.status.success(), "failed ({}): {shown}", output.status);
    Ok(output.stdout)
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
