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
use super::origin::{FileKind, Origin};
use super::refused::flag;
use super::settings_file;
use super::trust::common_area;

const MASKS: &str = "screen.mask";

const REGION: &str = "screen.region";

/// Limits that a resumed run keeps as they are, because others would make it a different run or delete what it has
/// recorded.
const KEPT: [&str; 3] = ["screen.kind", "loop.modes", "record.keep_pictures"];

/// The regions of today and of a run have no part in common that a run could use.
#[derive(Debug, thiserror::Error)]
#[error(
    "{origin}: screen.region = {today} has no usable part in common with this run's {run}: choose one for this start: {} or {}",
    flag(REGION, .today),
    flag(REGION, .run)
)]
pub(crate) struct ApartRegions {
    origin: Origin,
    today: Value,
    run: Value,
}

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

/// Refuses to use a part of the desktop that today's region excludes, unless the person names the part now.
pub(super) fn check_region(today: &Layer, run: &Layer, given: &Layer) -> Result<(), ApartRegions> {
    let is_desktop = run.get("screen.kind").and_then(Value::as_str) == Some("desktop");
    if !is_desktop || given.get(REGION).is_some() {
        return Ok(());
    }
    let (Some(limit), Some(origin), Some(region)) = (today.get(REGION), today.origin(REGION), run.get(REGION)) else {
        return Ok(());
    };
    if common_area(region, limit).is_some() {
        return Ok(());
    }
    Err(ApartRegions {
        origin: origin.clone(),
        today: limit.clone(),
        run: region.clone(),
    })
}

/// Returns the limits of `today` that are tighter than these settings, or tighter in part: then only what both allow
/// remains. Lists of what is asked about, denied or masked contain the items of both.
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

/// Returns a sentence about a limit of `today` that the run did not have before, and that now has this value.
pub(super) fn said(name: &str, limit: &Value, today: &Layer, before: &Layer) -> Option<String> {
    let (value, origin) = (today.get(name)?, today.origin(name)?);
    let kind = ConfigKey::named(name)?.kind;
    // The run has had the other items of such a list before.
    let adds_up = matches!(kind, ValueKind::Masks | ValueKind::Rules | ValueKind::Tools);
    let value = if adds_up { value } else { limit };
    // A flag with masks adds to them, so it cannot bring back what the run had.
    let had = before.get(name).filter(|_| kind != ValueKind::Masks);
    let advice = had.map(|had| format!("; to lift it for this start: {}", flag(name, had)));
    let advice = advice.unwrap_or_default();
    Some(format!(
        "{origin}: {name} = {} now applies to this run, too{advice}",
        brief(value)
    ))
}
