//! The families: those that come with FRANZ, and the person's own in the configuration folder.

use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_dialect::Family;
use franz_dialect::family::FileError;

use crate::config::{folder, settings_file};
use crate::exit::Unusable;

/// The folder in the configuration folder.
const FOLDER: &str = "families";

/// A family and where it comes from.
pub(crate) struct Known {
    pub(crate) family: Family,
    /// The person's own file; `None` if it comes with FRANZ.
    pub(crate) file: Option<PathBuf>,
}

/// Returns all families by name. A person's own family replaces the built-in one of the same name.
///
/// # Errors
/// All mistakes, if one of the person's own files has any.
pub(crate) fn all() -> Result<Vec<Known>> {
    let mut known: Vec<Known> = Family::all()
        .into_iter()
        .map(|family| Known { family, file: None })
        .collect();
    for file in own_files()? {
        let family = read(&file)?;
        known.retain(|other| other.family.name != family.name);
        known.push(Known {
            family,
            file: Some(file),
        });
    }
    known.sort_by(|one, other| one.family.name.cmp(&other.family.name));
    Ok(known)
}

/// Returns the family with this name, or in this file.
pub(crate) fn named(name: &str) -> Result<Family> {
    let is_file = name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|end| end == "toml");
    if is_file {
        return read(Path::new(name));
    }
    let known = all()?;
    if let Some(found) = known.iter().find(|known| known.family.name == name) {
        return Ok(found.family.clone());
    }
    let names: Vec<&str> = known.iter().map(|known| known.family.name.as_str()).collect();
    let names = names.join(", ");
    Err(Unusable::usage(format!(
        "there is no family '{name}'; name one of {names}, or a TOML file"
    ))
    .into())
}

/// Returns the text of the family with this name.
pub(crate) fn text(name: &str) -> Result<String> {
    let known = all()?;
    let found = known.into_iter().find(|known| known.family.name == name);
    match found.map(|known| known.file) {
        Some(Some(file)) => content(&file),
        _ => Family::text(name)
            .map(str::to_owned)
            .ok_or_else(|| Unusable::usage(format!("there is no family '{name}'; `franz models` lists them")).into()),
    }
}

/// Returns the family that fits a model id, if there is one.
pub(crate) fn fitting(model: &str) -> Result<Option<Family>> {
    let families: Vec<Family> = all()?.into_iter().map(|known| known.family).collect();
    Ok(Family::matching(&families, model).map_err(Unusable::usage)?.cloned())
}

fn own_files() -> Result<Vec<PathBuf>> {
    let Some(folder) = folder::own().map(|own| own.join(FOLDER)) else {
        return Ok(Vec::new());
    };
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Unusable::usage(format!("{}: {error}", folder.display())).into()),
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<Family> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let family = Family::read(&stem, &content(file)?);
    // The name alone does not say whose file it is.
    let located = |error: FileError| FileError {
        name: file.display().to_string(),
        ..error
    };
    Ok(family.map_err(|error| Unusable::usage(located(error)))?)
}

fn content(file: &Path) -> Result<String> {
    let bytes = settings_file::bytes(file).map_err(Unusable::usage)?;
    let missing = || Unusable::usage(format!("there is no family file {}", file.display()));
    Ok(settings_file::decoded(file, bytes.ok_or_else(missing)?).map_err(Unusable::usage)?)
}
