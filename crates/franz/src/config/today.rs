//! The limits that the person's own file and environment set today. They also hold for a resumed run, whose other
//! settings are its own.

use toml::Value;

use super::ConfigError;
use super::environment;
use super::folder;
use super::key::ConfigKey;
use super::kind::ValueKind;
use super::layer::Layer;
use super::live::brief;
use super::mask;
use super::origin::FileKind;
use super::refused::flag;
use super::settings_file;

const MASKS: &str = "screen.mask";

/// Limits that a resumed run keeps as they are, because others would make it a different run or delete what it has
/// recorded.
const KEPT: [&str; 3] = ["screen.kind", "loop.modes", "record.keep_pictures"];

/// Returns what the person's own file and environment set today.
pub(crate) fn read() -> Result<Layer, ConfigError> {
    Ok(of_file()?.over(Layer::environment(environment::variables())?))
}

/// Returns what the person's own file sets.
pub(crate) fn of_file() -> Result<Layer, ConfigError> {
    let file = match folder::own() {
        Some(folder) => settings_file::read(&folder.join("franz.toml"), FileKind::Own)?,
        None => None,
    };
    Ok(file.map(|(layer, _)| layer).unwrap_or_default())
}

/// Returns the limits of `today` that suit this run. A canvas has no windows, so a mask for one cannot limit it.
pub(super) fn suiting(today: &Layer, run: &Layer) -> Layer {
    let is_canvas = run.get("screen.kind").and_then(Value::as_str) == Some("canvas");
    let mut suiting = today.clone();
    if let (true, Some(masks), Some(origin)) = (is_canvas, today.get(MASKS), today.origin(MASKS)) {
        suiting.insert(MASKS, mask::areas(masks), origin.clone());
    }
    suiting
}

/// Returns the limits of `today` that are tighter than these settings. Lists contain the items of both.
pub(super) fn tighter(today: &Layer, than: &Layer) -> Layer {
    let mut limits = Layer::default();
    for (name, value) in today.iter().filter(|(name, _)| !KEPT.contains(&name.as_str())) {
        let key = ConfigKey::named(name);
        let limit = key.and_then(|key| key.trust.tightened(than.get(name), value));
        if let (Some(limit), Some(origin)) = (limit, today.origin(name)) {
            limits.insert(name.clone(), limit, origin.clone());
        }
    }
    limits
}

/// Returns a sentence about a limit of `today` that the run did not have before.
pub(super) fn said(name: &str, today: &Layer, before: &Layer) -> Option<String> {
    let (value, origin) = (today.get(name)?, today.origin(name)?);
    // A flag with masks adds to them, so it cannot bring back what the run had.
    let had = before
        .get(name)
        .filter(|_| ConfigKey::named(name).is_some_and(|key| key.kind != ValueKind::Masks));
    let advice = had.map(|had| format!("; to lift it for this start: {}", flag(name, had)));
    let advice = advice.unwrap_or_default();
    Some(format!(
        "{origin}: {name} = {} now applies to this run, too{advice}",
        brief(value)
    ))
}
