//! The folder of stored calibrations in the person's state folder, with a file for each server and model.

use franz_home::View;
use franz_record::digest::sha256_hex;

use super::{NotUsed, Stored};
use crate::calibrate::{ModelHome, ServedModel};
use crate::state_folder::{self, StateError, unusable};
use crate::terminal::one_line;

/// The folder's name in the state folder.
const FOLDER: &str = "models";
/// The suffix that is added to the name of an unreadable file.
const BROKEN: &str = ".broken";
/// The maximum size of a file in bytes.
const MOST_BYTES: u64 = 1 << 20;
const HEAD: &str = "\
# What FRANZ found out about this model on this server. Forget it with franz models --forget, or delete the file.

";

/// Reads a model's file, if there is one.
pub(super) fn look_up(model: &ServedModel) -> Result<Option<Stored>, NotUsed> {
    state_folder::look(FOLDER).map_or(Ok(None), |folder| read(&folder, model))
}

/// Changes a model's file, creating it if necessary, and returns its path.
pub(super) fn change(model: &ServedModel, change: impl FnOnce(&mut Stored)) -> Result<String, StateError> {
    let folder = state_folder::make(FOLDER)?;
    let file = file(model);
    let known = if let Ok(known) = read(&folder, model) {
        known
    } else {
        // Keep the unreadable file next to the new one.
        folder.rename(&file, &format!("{file}{BROKEN}")).map_err(unusable)?;
        None
    };
    let mut stored = known.unwrap_or_else(|| Stored::new(model));
    change(&mut stored);
    let text = toml::to_string(&stored).map_err(unusable)?;
    let bytes = format!("{HEAD}{text}").into_bytes();
    folder.replace(&file, &bytes, false).map_err(unusable)?;
    Ok(folder.path_of(&file).display().to_string())
}

/// Forgets all models, or only those on one server or with one name. Returns which were forgotten. An unreadable file
/// cannot be matched to a model, so it is removed only together with all others.
pub(crate) fn forget(server: Option<&ModelHome>, name: Option<&str>) -> Result<Vec<String>, StateError> {
    let Some(folder) = state_folder::look(FOLDER) else {
        return Ok(Vec::new());
    };
    let mut forgotten = Vec::new();
    let names = folder.names().map_err(unusable)?;
    for file in names.into_iter().filter(|file| is_ours(file) && folder.has_file(file)) {
        let text = folder
            .read_own(&file, MOST_BYTES)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok());
        let stored = text.and_then(|text| toml::from_str::<Stored>(&text).ok());
        let goes = stored.as_ref().map_or(server.is_none() && name.is_none(), |stored| {
            server.is_none_or(|server| *server == stored.server) && name.is_none_or(|name| name == stored.model)
        });
        if goes {
            folder.remove(&file).map_err(unusable)?;
            forgotten.push(match stored {
                Some(stored) => one_line(&format!("{} on {}", stored.model, stored.server)),
                None => format!("{}, which could not be read", folder.path_of(&file).display()),
            });
        }
    }
    forgotten.sort();
    forgotten.dedup();
    Ok(forgotten)
}

fn read(folder: &View, model: &ServedModel) -> Result<Option<Stored>, NotUsed> {
    let name = file(model);
    if !folder.has_file(&name) {
        return Ok(None);
    }
    let mistake = |why: String| NotUsed::Mistake {
        file: folder.path_of(&name).display().to_string(),
        why: one_line(&why),
    };
    let bytes = folder
        .read_own(&name, MOST_BYTES)
        .map_err(|error| mistake(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| mistake("it is not text".to_owned()))?;
    Stored::parse(&text, model).map(Some).map_err(mistake)
}

/// Checks whether this is a file name that FRANZ gives, either to a model's file or to one that it moved aside.
fn is_ours(file: &str) -> bool {
    let stem = file.strip_suffix(BROKEN).unwrap_or(file).strip_suffix(".toml");
    stem.is_some_and(|stem| stem.len() == 32 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

/// Returns a model's file name. FRANZ makes the name safe, because a model's own name can contain anything.
fn file(ServedModel { server, name }: &ServedModel) -> String {
    let hash = sha256_hex(format!("{server}\n{name}").as_bytes());
    format!("{}.toml", &hash[..32])
}
