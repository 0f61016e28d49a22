//! `franz trust PATH`, `franz trust --list`, `franz trust --revoke PATH`

mod suites;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_record::resume::CONFIG_FILE;

use crate::cli::TrustArgs;
use crate::config::layer::Layer;
use crate::config::origin::FileKind;
use crate::config::refused::RefusedSetting;
use crate::config::settings_file::FileRead;
use crate::config::stack::Stack;
use crate::config::{folder, settings_file, today};
use crate::consent;
use crate::exit::Unusable;
use crate::terminal::{one_line, say};
use crate::trusted_files;
use suites::SuitePath;

pub(super) fn run(arguments: &TrustArgs) -> Result<u8> {
    if arguments.list {
        return list();
    }
    if let Some(path) = &arguments.revoke {
        return revoke(path);
    }
    let path = arguments.path.as_deref().unwrap_or(Path::new("."));
    match SuitePath::of(path) {
        Some(suite) => suite.allow(),
        None => allow(&meant(path)),
    }
}

/// Returns the settings file for a path. If the path is a directory, this is the file in it.
fn meant(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let (settings, run) = (path.join("franz.toml"), path.join(CONFIG_FILE));
    if !settings.exists() && run.exists() {
        run
    } else {
        settings
    }
}

fn allow(path: &Path) -> Result<u8> {
    let kind = folder::kind_of(path, FileKind::Directory);
    let read = settings_file::read(path, kind).map_err(Unusable::usage)?;
    let missing = || Unusable::usage(format!("there is no file {}", path.display()));
    let (layer, file) = read.ok_or_else(missing)?;
    let shown = file.path.display().to_string();
    let over = |below: Layer| {
        let stack = Stack::trusting(trusted_files::has).own(below);
        stack.stranger(layer.clone(), file.clone(), kind).judged().refused
    };
    // Once it is allowed, a franz.toml also loosens the limits of the person's own, which is below it. A profile is
    // below both, and the environment is above all files.
    let own = if path.file_name().is_some_and(|name| name == "franz.toml") {
        today::of_file().map_err(Unusable::usage)?
    } else {
        Layer::default()
    };
    let limited = over(Layer::defaults().over(own));
    let mut refused = over(Layer::defaults());
    let is_new = |one: &RefusedSetting| !refused.iter().any(|known| known.key == one.key);
    let more: Vec<RefusedSetting> = limited.into_iter().filter(is_new).collect();
    refused.extend(more);
    refused.sort_by_key(|one| one.origin.line());
    if refused.is_empty() {
        say(&format!("{shown} already applies in full; there is nothing to allow"));
        return Ok(0);
    }
    let allowed = consent::ask(&file, &refused, &mut io::stdin().lock(), &mut io::stdout().lock())?;
    if !allowed {
        say("nothing is allowed");
        return Ok(1);
    }
    trusted_files::remember(&file)?;
    say(&format!(
        "{shown} is allowed in its current form; FRANZ asks again when it changes"
    ));
    Ok(0)
}

fn list() -> Result<u8> {
    let mut out = io::stdout().lock();
    for file in trusted_files::list() {
        let path = one_line(&file.path.display().to_string());
        writeln!(out, "{:<8} {path}", standing(&file))?;
    }
    for line in suites::list() {
        writeln!(out, "{}", one_line(&line))?;
    }
    Ok(0)
}

fn standing(file: &FileRead) -> &'static str {
    match settings_file::digest(&file.path) {
        Some(digest) if digest == file.digest => "allowed",
        Some(_) => "changed",
        None => "missing",
    }
}

fn revoke(path: &Path) -> Result<u8> {
    if suites::revoke(path)? > 0 {
        return Ok(0);
    }
    let path = if path.is_dir() { meant(path) } else { path.to_owned() };
    let whole = path.canonicalize().or_else(|_| std::path::absolute(&path))?;
    let shown = whole.display().to_string();
    if !trusted_files::forget(&shown)? {
        return Err(Unusable::usage(format!(
            "{shown} is not an allowed file, suite or plan; franz trust --list shows them"
        ))
        .into());
    }
    say(&format!("{shown} is no longer allowed"));
    Ok(0)
}
